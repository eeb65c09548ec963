package li.wlz.kuport.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An API server that has too much to do: a made-up one, since a real one can't be asked for 429. */
class BusyServerTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final AtomicInteger turnedAway = new AtomicInteger();
    private volatile boolean busy = true;

    @SuppressWarnings("NullAway.Init") // set before each test
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        boolean watch = String.valueOf(exchange.getRequestURI().getQuery()).contains("watch=true");
        if (busy) {
            turnedAway.incrementAndGet();
            exchange.getResponseHeaders().set("Retry-After", "1");
            send(
                    exchange,
                    429,
                    "{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"code\": 429, \"message\": \"too many requests\"}");
        } else if (watch && !exchange.getRequestHeaders().containsKey("Upgrade")) {
            // Nothing ever happens.
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().flush();
        } else {
            send(exchange, 200, "{\"metadata\": {\"resourceVersion\": \"1\"}, \"items\": []}");
        }
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Test
    void B3_B5_429_is_no_answer_it_is_asked_again_until_there_is_one() {
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                .build();
        try (KubernetesClient client = ApiConnection.to(config, "test");
                KubernetesSource source = new KubernetesSource(client, Demand.PORT_MAPS)) {
            source.start(() -> {});
            await().atMost(SOON).until(() -> turnedAway.get() > 20);
            assertThat(source.latest()).isEmpty();
            busy = false;
            await().atMost(SOON).until(() -> source.latest().isPresent());
        }
    }
}
