package li.wlz.kuport.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.MBeanServerFactory;
import li.wlz.kuport.model.Condition;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.model.Problem;
import li.wlz.kuport.reconcile.spi.Reporter.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HealthServerTest {
    private static final Condition ACCEPTED = new Condition("Accepted", true, "Valid", "fine");

    @TempDir
    private Path conntrack = Path.of("");

    private final AtomicLong clock = new AtomicLong(1_000_000_000_000L);
    private final Health health = new Health(Duration.ofMinutes(5), clock::get);
    private final HttpClient client = HttpClient.newHttpClient();
    private int port;
    private Metrics metrics = new Metrics(new PrometheusRegistry(), conntrack, clock::get);
    private HealthServer server = new HealthServer(0, health, metrics);

    @BeforeEach
    void start() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        metrics = new Metrics(new PrometheusRegistry(), conntrack, clock::get);
        server = new HealthServer(port, health, metrics);
        server.start();
    }

    @AfterEach
    void close() {
        server.close();
        client.close();
    }

    private HttpResponse<String> get(String host, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + host + ":" + port + path))
                .timeout(Duration.ofSeconds(20))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return get("127.0.0.1", path);
    }

    private static PortMapReport mapping(String name, Condition... conditions) {
        return new PortMapReport(
                new ObjectKey("games", name), 1, false, null, null, List.of(), List.of(conditions), List.of());
    }

    /** An outcome of which the kernel refused something. */
    private static Outcome refused(PortMapReport... reports) {
        TreeMap<ObjectKey, PortMapReport> byKey = new TreeMap<>();
        for (PortMapReport report : reports) {
            byKey.put(report.key(), report);
        }
        NodeReport node = new NodeReport(
                "edge",
                true,
                List.of(),
                0,
                0,
                4790,
                4242,
                new TreeMap<>(),
                List.of(
                        new NodeProblem(NodeReason.NftablesUnavailable, "nft: Operation not permitted"),
                        new NodeProblem(NodeReason.ForwardingDisabled, "off")));
        return new Outcome(
                1,
                new Decision(NodePlan.EMPTY, node, byKey, new TreeMap<>(), new TreeMap<>()),
                List.of(new Problem("", "PortMap games/x", "spec.port", "is wrong")),
                List.of("nft: Operation not permitted"));
    }

    private static Outcome applied() {
        Outcome outcome = refused();
        return new Outcome(outcome.pass(), outcome.decision(), outcome.problems(), List.of());
    }

    private void isNotReady() throws Exception {
        assertThat(get("/readyz").statusCode()).isEqualTo(503);
        assertThat(get("/readyz").body()).isEqualTo("what is wanted is not in force yet\n");
    }

    private void isReady() throws Exception {
        assertThat(get("/readyz").statusCode()).isEqualTo(200);
        assertThat(get("/readyz").body()).isEqualTo("ok\n");
    }

    @Test
    void ready_is_an_agent_that_has_put_all_it_decided_in_force_once() throws Exception {
        isNotReady();
        health.report(refused());
        isNotReady();
        health.report(applied());
        isReady();
        health.report(refused());
        isReady();
    }

    @Test
    void well_is_an_agent_whose_loop_runs_whether_or_not_anything_came_of_it() throws Exception {
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
        clock.addAndGet(Duration.ofMinutes(4).toNanos());
        health.passBegins();
        clock.addAndGet(Duration.ofMinutes(4).toNanos());
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
        clock.addAndGet(Duration.ofMinutes(2).toNanos());
        assertThat(get("/healthz").statusCode()).isEqualTo(503);
        health.passBegins();
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
    }

    @Test
    void metrics_count_by_words_of_ours_and_name_no_object() throws Exception {
        Files.writeString(conntrack.resolve("nf_conntrack_count"), "17\n");
        Files.writeString(conntrack.resolve("nf_conntrack_max"), "65536\n");
        metrics.passBegins();
        clock.addAndGet(Duration.ofMillis(3).toNanos());
        metrics.report(refused(
                mapping("one", ACCEPTED, new Condition("Programmed", true, "AllNodesReady", "fine")),
                mapping("two", ACCEPTED, new Condition("Programmed", false, "NoReadyEndpoint", "none")),
                mapping("three", new Condition("Accepted", false, "PortConflict", "taken"))));
        // Whoever else is told takes his time.
        clock.addAndGet(Duration.ofSeconds(3).toNanos());
        metrics.passed(false);
        String body = get("/metrics").body();
        assertThat(body)
                .contains("kuport_mappings{state=\"programmed\"} 1.0")
                .contains("kuport_mappings{state=\"waiting\"} 1.0")
                .contains("kuport_mappings{state=\"refused\"} 1.0")
                .contains("kuport_mappings_failing{reason=\"NoReadyEndpoint\"} 1.0")
                .contains("kuport_mappings_failing{reason=\"PortConflict\"} 1.0")
                .contains("kuport_mappings_failing{reason=\"PortReserved\"} 0.0")
                .contains("kuport_node_problems{reason=\"ForwardingDisabled\"} 1.0")
                .contains("kuport_input_problems 1.0")
                .contains("kuport_kernel_refusals_total{reason=\"NftablesUnavailable\"} 1.0")
                .contains("kuport_kernel_refusals_total{reason=\"ForwardingDisabled\"} 0.0")
                .contains("kuport_kernel_refusals_total{reason=\"VxlanUnavailable\"} 0.0")
                .contains("kuport_passes_total{result=\"failed\"} 1.0")
                .contains("kuport_pass_duration_seconds_bucket{le=\"0.005\"} 1", "kuport_pass_duration_seconds_count 1")
                .contains("kuport_link_peers 0.0")
                .contains("kuport_conntrack_entries 17.0")
                .contains("kuport_conntrack_limit 65536.0")
                .doesNotContain("games", "edge");
    }

    @Test
    void metrics_of_the_Java_machine_are_there() throws Exception {
        server.close();
        server = new HealthServer(port, health, new Metrics());
        server.start();
        assertThat(get("/metrics").body())
                .contains("jvm_memory_used_bytes", "jvm_gc_collection_seconds", "jvm_threads_current")
                .contains("process_resident_memory_bytes", "process_open_fds");
        // It would be there to be asked by JMX, which nobody does, and it is large.
        assertThat(MBeanServerFactory.findMBeanServer(null)).isEmpty();
    }

    @Test
    void a_public_address_is_not_listened_on() throws Exception {
        // All of 127/8 is loopback's: two addresses that can be bound, of which only one counts as internal.
        server.alsoOn(List.of(IpAddress.parse("127.0.0.2"), IpAddress.parse("203.0.113.9")));
        assertThat(get("127.0.0.2", "/healthz").statusCode()).isEqualTo(200);
        server.alsoOn(List.of());
        assertThatThrownBy(() -> get("127.0.0.2", "/healthz")).isInstanceOf(IOException.class);
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
    }

    @Test
    void requests_that_never_end_on_another_address_hold_up_no_probe_on_loopback() throws Exception {
        server.alsoOn(List.of(IpAddress.parse("127.0.0.2")));
        List<Socket> halves = new ArrayList<>();
        try {
            for (int i = 0; i < 5; i++) {
                Socket half = new Socket("127.0.0.2", port);
                halves.add(half);
                half.getOutputStream().write("GET /healthz HTTP/1.1\r\nHost:".getBytes(StandardCharsets.US_ASCII));
            }
            // They must have got hold of all threads that they can get.
            await().until(() -> Thread.getAllStackTraces().keySet().stream()
                    .anyMatch(thread -> thread.getName().equals("health-others-1")));
            assertThat(get("/healthz").statusCode()).isEqualTo(200);
        } finally {
            for (Socket half : halves) {
                half.close();
            }
        }
    }

    @Test
    void a_port_that_is_taken_is_named_with_what_to_do() {
        HealthServer second = new HealthServer(port, health, metrics);
        assertThatThrownBy(second::start)
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("127.0.0.1:" + port)
                .hasMessageContaining("--http-port");
        second.close();
    }
}
