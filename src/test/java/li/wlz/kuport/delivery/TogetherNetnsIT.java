package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.UdpSender;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The ports of one Service go to one pod, together. */
class TogetherNetnsIT {
    private static final int VOICE = 3000;
    private static final int CONTROL = 3001;
    private static final int FTP = 2100;
    private static final int FIRST_PASSIVE = 50_000;
    private static final int LAST_PASSIVE = 50_099;
    private static final int PASSIVE = 50_042;
    private static final List<String> PODS = List.of("home1-pod1", "home2-pod1", "edge-pod1");

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();
    private final Cluster cluster = STAGE.cluster();

    @BeforeAll
    static void serve() {
        STAGE.world().nodes().forEach(node -> node.pods().forEach(STAGE::serve));
        STAGE.cluster().write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"));
    }

    @AfterEach
    void withdraw() {
        for (String file :
                List.of("talk", "talk-voice", "talk-control", "ftp", "ftp-control", "ftp-passive", "named")) {
            cluster.delete(file);
        }
        cluster.settle();
    }

    private void talk(String pod) {
        cluster.put("talk", Manifests.workload("talk", Stage.POD_PORT, STAGE.endpoint(pod)));
    }

    @Test
    void P10_two_ports_of_a_service_move_together_in_twenty_moves() throws InterruptedException {
        cluster.write(
                "talk-voice",
                Manifests.portMap("talk-voice", "talk", "className: public\nprotocol: UDP\nport: " + VOICE));
        cluster.write(
                "talk-control",
                Manifests.portMap("talk-control", "talk", "className: public\nprotocol: UDP\nport: " + CONTROL));
        talk(PODS.getFirst());
        Queue<List<String>> samples = new ConcurrentLinkedQueue<>();
        AtomicBoolean moving = new AtomicBoolean(true);
        Thread sampler = Thread.ofPlatform().start(() -> {
            while (moving.get()) {
                samples.add(targets());
            }
        });
        try (UdpSender voice = UdpSender.start(world.cli().namespace(), Dial.udp(AddressPlan.A1.ipv4(), VOICE));
                UdpSender control =
                        UdpSender.start(world.cli().namespace(), Dial.udp(AddressPlan.A1.ipv6(), CONTROL))) {
            for (int move = 1; move <= 20; move++) {
                String pod = PODS.get(move % PODS.size());
                talk(pod);
                voice.awaitAnswerOf(pod, Visits.PATIENCE);
                control.awaitAnswerOf(pod, Visits.PATIENCE);
            }
        } finally {
            moving.set(false);
            sampler.join();
        }
        assertThat(samples)
                .hasSizeGreaterThan(20)
                .allSatisfy(sample -> assertThat(sample)
                        .as("each node's targets of both ports in one listing, without the ports")
                        .hasSize(2)
                        .allMatch(sample.getFirst()::equals));
        assertThat(samples.stream().distinct()).hasSizeGreaterThan(1);
    }

    /** Where edge sends what is dialled at each port of A1: one listing is of one generation of the table. */
    private List<String> targets() {
        String listing = world.edge().namespace().run("nft", "list", "map", "inet", "kuport", "accept4");
        Matcher matcher = Pattern.compile(Pattern.quote(AddressPlan.A1.ipv4() + " . udp . ") + "\\d+ : (\\S+) \\.")
                .matcher(listing);
        List<String> targets = new ArrayList<>();
        while (matcher.find()) {
            targets.add(matcher.group(1));
        }
        return targets;
    }

    private static String ftp(Manifests.Backend pod) {
        String ports = """
                ports:
                  - {name: control, protocol: TCP, port: %1$d}
                  - {name: passive, protocol: TCP, port: %2$d}
                """.formatted(FTP, FIRST_PASSIVE);
        StringBuilder text = new StringBuilder("""
                apiVersion: v1
                kind: Service
                metadata: {name: ftp, namespace: games}
                spec:
                """ + ports.indent(2));
        for (IpFamily family : IpFamily.values()) {
            text.append("""
                    ---
                    apiVersion: discovery.k8s.io/v1
                    kind: EndpointSlice
                    metadata: {name: ftp-%s, namespace: games, labels: {kubernetes.io/service-name: ftp}}
                    addressType: %s
                    endpoints:
                      - addresses: ["%s"]
                        nodeName: %s
                        targetRef: {kind: Pod, namespace: games, name: %s}
                        conditions: {ready: true}
                    """.formatted(
                            family.digit(),
                            family == IpFamily.IPV4 ? "IPv4" : "IPv6",
                            pod.addresses().of(family),
                            pod.node(),
                            pod.name()));
            text.append(ports);
        }
        return text.toString();
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void P9_a_passive_data_connection_reaches_the_server_of_its_control_connection(IpFamily family) throws IOException {
        cluster.write("ftp-control", ftpPortMap("control", "port: " + FTP));
        cluster.write("ftp-passive", ftpPortMap("passive", "port: " + FIRST_PASSIVE + "\nendPort: " + LAST_PASSIVE));
        for (Host pod : List.of(world.home1().pod(1), world.home2().pod(1))) {
            try (FtpServer server = new FtpServer(pod)) {
                cluster.put("ftp", ftp(STAGE.endpoint(pod.name())));
                IpAddress published = AddressPlan.A1.of(family);
                try (FtpClient client = new FtpClient(world.cli(), published)) {
                    assertThat(client.list()).isEqualTo("listing of " + pod.name());
                    assertThat(server.sources)
                            .as("who the server saw on both connections")
                            .hasSize(2)
                            .containsOnly(world.cli().address(family).toString());
                    server.sources.clear();
                }
            }
        }
    }

    private static String ftpPortMap(String port, String lines) {
        return Manifests.portMap("ftp-" + port, "ftp", "className: public\nprotocol: TCP\n" + lines)
                .replace("port: main", "port: " + port);
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void E5_the_port_behind_a_name_is_that_of_the_chosen_pod(IpFamily family) {
        cluster.write(
                "talk-voice",
                Manifests.portMap("talk-voice", "talk", "className: public\nprotocol: UDP\nport: " + VOICE));
        Host next = world.home2().pod(1);
        try (EchoServer second = EchoServer.start(next.namespace(), "second version", 9090)) {
            Manifests.Backend first = STAGE.endpoint("home1-pod1");
            cluster.write("talk", Manifests.workload("talk", Stage.POD_PORT, first));
            cluster.put(
                    "named", slicesOfSecondVersion(STAGE.endpoint(next.name()).unready()));
            try (UdpSender sender =
                    UdpSender.start(world.cli().namespace(), Dial.udp(AddressPlan.A1.of(family), VOICE))) {
                sender.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
                cluster.write("talk", Manifests.workload("talk", Stage.POD_PORT, first.draining()));
                cluster.put("named", slicesOfSecondVersion(STAGE.endpoint(next.name())));
                sender.awaitAnswerOf("second version", Visits.PATIENCE);
                assertThat(second.sightings())
                        .allSatisfy(s -> assertThat(s.sender()).isEqualTo(sender.local()));
                // Back again, as when a rollout is undone.
                cluster.write("talk", Manifests.workload("talk", Stage.POD_PORT, first));
                cluster.put(
                        "named",
                        slicesOfSecondVersion(STAGE.endpoint(next.name()).draining()));
                sender.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
            }
        }
    }

    /** The slices of a version that listens on 9090 behind the same name, without the Service, which is there already. */
    private static String slicesOfSecondVersion(Manifests.Backend pod) {
        String both = Manifests.workload("talk", 9090, pod);
        return both.substring(both.indexOf("---\n")).replace("name: talk-", "name: talk-second-");
    }

    /** As much of RFC 959 and RFC 2428 as a listing in passive mode takes. */
    private static final class FtpServer implements AutoCloseable {
        private final List<String> sources = java.util.Collections.synchronizedList(new ArrayList<>());
        private final ServerSocketChannel control;
        private final ServerSocketChannel data;
        private final Host pod;

        FtpServer(Host pod) {
            this.pod = pod;
            control = listen(FTP);
            data = listen(PASSIVE);
            Thread.startVirtualThread(this::serve);
        }

        private ServerSocketChannel listen(int port) {
            return pod.namespace().call(() -> ServerSocketChannel.open().bind(new InetSocketAddress(port)));
        }

        private void serve() {
            try (SocketChannel session = control.accept()) {
                BufferedReader commands = lines(session);
                for (String command = commands.readLine(); command != null; command = commands.readLine()) {
                    if (command.equals("EPSV")) {
                        write(session, "229 Entering Extended Passive Mode (|||" + PASSIVE + "|)\r\n");
                    } else if (command.equals("LIST")) {
                        write(session, "150 Here it comes\r\n");
                        try (SocketChannel listing = data.accept()) {
                            sources.add(source(session));
                            sources.add(source(listing));
                            write(listing, "listing of " + pod.name() + "\r\n");
                        }
                    }
                }
            } catch (IOException e) {
                // The client left, or the test is over; what it got is judged there.
                sources.add(e.toString());
            }
        }

        private static String source(SocketChannel channel) throws IOException {
            return IpAddress.of(((InetSocketAddress) channel.getRemoteAddress())
                            .getAddress()
                            .getAddress())
                    .toString();
        }

        @Override
        public void close() throws IOException {
            control.close();
            data.close();
        }
    }

    private static final class FtpClient implements AutoCloseable {
        private final Host host;
        private final IpAddress server;
        private final SocketChannel session;

        FtpClient(Host host, IpAddress server) {
            this.host = host;
            this.server = server;
            this.session = connect(FTP);
        }

        private SocketChannel connect(int port) {
            return host.namespace().call(() -> SocketChannel.open(new InetSocketAddress(server.toInetAddress(), port)));
        }

        String list() throws IOException {
            BufferedReader replies = lines(session);
            write(session, "EPSV\r\n");
            Matcher passive = Pattern.compile("\\|\\|\\|(\\d+)\\|").matcher(replies.readLine());
            assertThat(passive.find()).isTrue();
            write(session, "LIST\r\n");
            try (SocketChannel data = connect(Integer.parseInt(passive.group(1)))) {
                return lines(data).readLine();
            }
        }

        @Override
        public void close() throws IOException {
            session.close();
        }
    }

    private static BufferedReader lines(SocketChannel channel) {
        return new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.US_ASCII));
    }

    private static void write(SocketChannel channel, String text) throws IOException {
        channel.write(StandardCharsets.US_ASCII.encode(text));
    }
}
