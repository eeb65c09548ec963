package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.FutureTask;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The accepting node's administrator has connection tracking read FTP, so that a server's passive ports need no mapping. */
class FtpHelperNetnsIT {
    private static final int FTP = 3021;
    private static final int FTP_IN_POD = 2121;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();
    private final Host pod = world.edge().pod(1);

    @BeforeAll
    static void serve() {
        STAGE.serve(STAGE.world().edge().pod(1));
        STAGE.cluster().write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"));
        STAGE.publish("ftp", "public", FTP, FTP_IN_POD, STAGE.endpoint("edge-pod1"));
        // The port that the server names happens to be published as well, for another.
        STAGE.serve(STAGE.world().home1().pod(1));
        STAGE.publish("other", "public", Stage.POD_PORT, STAGE.endpoint("home1-pod1"));
        STAGE.cluster().settle();
        STAGE.world().edge().namespace().nft("""
                table ip helpers {
                    ct helper ftp {
                        type "ftp" protocol tcp
                    }
                    chain prerouting {
                        type filter hook prerouting priority -150
                        tcp dport %d ct helper set "ftp"
                    }
                }
                """.formatted(FTP));
    }

    @AfterAll
    static void removeHelper() {
        STAGE.world().edge().namespace().nft("delete table ip helpers\n");
    }

    /** Says once where the data is to be had: on the port of the pod's other server. */
    private ServerSocket ftpServer() {
        String passive = "227 Entering Passive Mode (%s,%d,%d)"
                .formatted(
                        pod.addresses().ipv4().toString().replace('.', ','),
                        Stage.POD_PORT >> 8,
                        Stage.POD_PORT & 0xff);
        ServerSocket server = pod.namespace().call(() -> new ServerSocket(FTP_IN_POD));
        Thread.startVirtualThread(new FutureTask<>(() -> {
            try (Socket control = server.accept()) {
                BufferedReader commands = lines(control);
                say(control, "220 ready");
                assertThat(commands.readLine()).isEqualTo("PASV");
                say(control, passive);
                return commands.readLine();
            }
        }));
        return server;
    }

    private static BufferedReader lines(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    }

    private static void say(Socket socket, String line) throws IOException {
        socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void a_connection_that_a_helper_expects_is_translated_by_the_helper() throws IOException {
        IpAddress dialled = AddressPlan.A1.ipv4();
        Namespace client = world.cli().namespace();
        try (ServerSocket server = ftpServer();
                Socket control = client.call(() -> new Socket(dialled.toInetAddress(), FTP))) {
            BufferedReader answers = lines(control);
            assertThat(answers.readLine()).isEqualTo("220 ready");
            say(control, "PASV");
            assertThat(answers.readLine())
                    .as("as the helper has changed it, port 8080")
                    .isEqualTo("227 Entering Passive Mode (203,0,113,9,31,144)");
            Visits.seenAsItself(client, Dial.tcp(dialled, Stage.POD_PORT), pod.name());
            assertThat(server.isBound()).isTrue();
        }
    }
}
