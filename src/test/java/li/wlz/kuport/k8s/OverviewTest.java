package li.wlz.kuport.k8s;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

/** What a person is told when the API server does not say what is asked. */
class OverviewTest {
    private static AbstractThrowableAssert<?, ?> read(String url) {
        Config config = new ConfigBuilder(Config.empty()).withMasterUrl(url).build();
        try (KubernetesClient client = ApiConnection.to(config, "test", 1000)) {
            return assertThatThrownBy(() -> Overview.read(client, null)).isInstanceOf(ClusterException.class);
        }
    }

    @Test
    void nobody_listens_there() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        read("https://127.0.0.1:" + port)
                .hasMessage("no answer from the API server at https://127.0.0.1:" + port
                        + "/: the connection was refused or broke; see that --kubeconfig or $KUBECONFIG names the right"
                        + " cluster, and that it can be reached from here");
    }

    @Test
    void its_name_is_not_known() {
        read("https://no-such-host.invalid:6443")
                .hasMessageContaining("no answer from the API server at https://no-such-host.invalid:6443/")
                .hasMessageContaining("its name cannot be resolved");
    }

    @Test
    void it_takes_the_connection_and_says_nothing() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            read("http://127.0.0.1:" + silent.getLocalPort())
                    .hasMessageContaining("no answer from the API server at http://127.0.0.1:" + silent.getLocalPort())
                    .hasMessageContaining("timed out");
        }
    }

    @Test
    void what_it_answers_is_told() throws IOException {
        answers(500, "etcd is away", "failed: 500 etcd is away");
        answers(403, "no list for you", "not permitted: 403 no list for you");
        answers(401, "who are you", "does not accept the credentials");
        answers(404, "no such kind", "does not know PortMaps: apply the crds.yaml");
    }

    private static void answers(int status, String message, String told) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] body = "{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"code\": %d, \"message\": \"%s\"}"
                .formatted(status, message)
                .getBytes(StandardCharsets.UTF_8);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            read("http://127.0.0.1:" + server.getAddress().getPort()).hasMessageContaining(told);
        } finally {
            server.stop(0);
        }
    }
}
