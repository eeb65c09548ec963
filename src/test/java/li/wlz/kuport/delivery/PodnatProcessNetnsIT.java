package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Snapshot;
import li.wlz.kuport.lab.World;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The real {@code kuport podnat}, with the old controller's command line, on a node of the lab. */
class PodnatProcessNetnsIT {
    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain().pods("edge", 2));

    private final World world = STAGE.world();
    private final MeshNode edge = world.edge();

    @TempDir
    Path manifests;

    @TempDir
    Path statuses;

    @BeforeAll
    static void serve() {
        STAGE.serve(STAGE.world().edge().pod(1));
    }

    private Process start(Path log, String... arguments) {
        List<String> command = new ArrayList<>(List.of("env", "-u", "NODE_NAME", "HOSTNAME=edge"));
        command.addAll(AgentProcess.kuport("podnat"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--manifests", manifests.toString(), "--status-dir", statuses.toString()));
        return edge.namespace().start(log, command.toArray(String[]::new));
    }

    private static void end(Process process) throws InterruptedException {
        process.destroy();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    private void ask() throws IOException {
        Files.writeString(
                manifests.resolve("pod.yaml"),
                Asking.of(edge, edge.pod(1), Asking.both(3000, Stage.POD_PORT)).yaml());
    }

    @Test
    void a_dry_run_prints_what_would_change_and_changes_nothing_at_all() throws Exception {
        ask();
        Path log = Files.createTempFile(Path.of("target"), "podnat-dry-", ".log");
        Snapshot before = Snapshot.of(edge.namespace());
        String ruleset = edge.namespace().run("nft", "list", "ruleset");
        Process process = start(
                log,
                "-stateuri",
                "http://localhost:8080",
                "-internalnetwork",
                "192.168.0.0/16",
                "-logtostderr",
                "-dryrun");
        try {
            await().atMost(Visits.PATIENCE.multipliedBy(4))
                    .until(() -> Files.readString(log).contains("# would change:"));
            // More passes change as little.
            Files.writeString(manifests.resolve("other.yaml"), "{");
            await().atMost(Visits.PATIENCE.multipliedBy(4))
                    .until(() -> Files.readString(log).contains("# mistake: other.yaml"));
        } finally {
            end(process);
        }
        assertThat(Files.readString(log))
                .contains("# pod games/edge-pod1 entries[0]: Delivered: 203.0.113.9:3000/tcp goes to ")
                .contains("nft -f - <<END", "203.0.113.9 . tcp . 3000 : 10.244.1.10 . 8080")
                .doesNotContain("applied")
                .contains("-stateuri and -stateflavor are ignored");
        assertThat(edge.namespace().run("nft", "list", "ruleset")).isEqualTo(ruleset);
        assertThat(before.difference(Snapshot.of(edge.namespace()))).isEmpty();
        try (var files = Files.list(statuses)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void F1_its_chains_in_iptables_are_mended_soon_after_somebody_flushed_them() throws Exception {
        ask();
        Path log = Files.createTempFile(Path.of("target"), "podnat-iptables-", ".log");
        Process process = start(log, "-httpport", "0", "-informerresync=0", "-firewallflavor", "iptables");
        Dial dial = Dial.tcp(AddressPlan.A1.ipv4(), 3000).within(Visits.PATIENCE);
        try {
            await().atMost(Visits.PATIENCE.multipliedBy(4)).until(() -> saved().contains("--to-destination"));
            String whole = saved();
            for (String damage : List.of("-F KUPORT-PRE", "-D PREROUTING 1", "-F")) {
                edge.namespace().run("sh", "-ec", "iptables-nft -t nat " + damage);
                await().atMost(Visits.PATIENCE).until(() -> saved().equals(whole));
                Visits.seenAsItself(world.cli().namespace(), dial, "edge-pod1");
            }
            Files.delete(manifests.resolve("pod.yaml"));
            await().atMost(Visits.PATIENCE).until(() -> !saved().contains("KUPORT"));
        } finally {
            end(process);
        }
        // Empty ones, which iptables made.
        for (String table : List.of("ip nat", "ip filter", "ip6 nat", "ip6 filter")) {
            edge.namespace().run("sh", "-ec", "nft delete table " + table);
        }
    }

    private String saved() {
        return edge.namespace().run("iptables-nft-save").replaceAll("#.*|\\[\\d+:\\d+]", "");
    }

    @Test
    void it_delivers_without_a_link_and_writes_what_it_says_of_pods() throws Exception {
        ask();
        Path log = Files.createTempFile(Path.of("target"), "podnat-", ".log");
        Process process = start(log, "-httpport", "9484", "-informerresync=60");
        Path status = statuses.resolve("pods/games/edge-pod1.yaml");
        try {
            await().atMost(Visits.PATIENCE.multipliedBy(4)).until(() -> Files.exists(status));
            Visits.seenAsItself(world.cli().namespace(), Dial.tcp(AddressPlan.A1.ipv4(), 3000), "edge-pod1");
            assertThat(Files.readString(status)).contains("entries[0]", "Delivered", "goes to");
            assertThat(edge.namespace().run("ip", "link")).doesNotContain("kup0");
            assertThat(edge.namespace().run("curl", "-s", "http://127.0.0.1:9484/metrics"))
                    .contains("kuport_pod_entries{reason=\"Delivered\"} 2.0");
            Files.delete(manifests.resolve("pod.yaml"));
            await().atMost(Visits.PATIENCE).until(() -> !Files.exists(status));
            Visits.refused(world.cli().namespace(), Dial.tcp(AddressPlan.A1.ipv4(), 3000));
        } finally {
            end(process);
        }
    }

    @Test
    void who_sends_half_a_request_is_hung_up_on() throws Exception {
        Path log = Files.createTempFile(Path.of("target"), "podnat-", ".log");
        Process process = start(log, "-httpport", "9484");
        try {
            await().atMost(Visits.PATIENCE.multipliedBy(4))
                    .until(() -> Files.readString(log).contains("listening address=127.0.0.1"));
            // cat ends when the agent has closed the connection; after a minute it is ended, which is a failure.
            assertThat(edge.namespace()
                            .run(
                                    "bash",
                                    "-c",
                                    "exec 3<>/dev/tcp/127.0.0.1/9484 && printf 'GET /healthz' >&3"
                                            + " && timeout 60 cat <&3 && echo hung up"))
                    .isEqualTo("hung up\n");
        } finally {
            end(process);
        }
    }
}
