package li.wlz.kuport.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import li.wlz.kuport.intake.Intake;
import li.wlz.kuport.model.ClassReport;
import li.wlz.kuport.model.Condition;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.model.Problem;
import li.wlz.kuport.model.ProgrammedReason;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.reconcile.spi.Reporter.Outcome;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileReporterTest {
    private static final ObjectKey GAMESERVER = new ObjectKey("games", "gameserver");

    @TempDir
    private Path folder;

    private Instant now = Instant.parse("2026-01-31T12:00:00Z");
    private final InstantSource clock = () -> now;

    private static PortMapReport portMap(Condition... conditions) {
        return new PortMapReport(
                GAMESERVER,
                3,
                true,
                new NodeRow("edge-a", NodeRow.Role.Accepting, true, IpAddress.parse("10.244.18.107"), 3, null, ""),
                new PortMapReport.ChosenEndpoint(
                        "worker-b", "gameserver-0", IpAddress.parse("10.244.18.107"), IpAddress.parse("fd00::6b")),
                List.of(
                        new PortMapReport.Published(
                                "edge-a", "enp1s0", IpAddress.parse("203.0.113.9"), IpAddress.parse("2001:db8::9")),
                        new PortMapReport.Published("edge-a", "", IpAddress.parse("203.0.113.10"), null)),
                List.of(conditions),
                List.of());
    }

    private static Condition accepted() {
        return new Condition(Condition.ACCEPTED, true, "Valid", "all checks passed");
    }

    private static Condition programmed(boolean status) {
        return status
                ? new Condition(Condition.PROGRAMMED, true, "AllNodesReady", "delivered to gameserver-0")
                : new Condition(
                        Condition.PROGRAMMED, false, "NoReadyEndpoint", "no pod of Service gameserver is ready");
    }

    private static Decision decision(@Nullable PortMapReport portMap, NodeProblem... problems) {
        Map<ObjectKey, PortMapReport> portMaps = new TreeMap<>();
        if (portMap != null) {
            portMaps.put(portMap.key(), portMap);
        }
        return new Decision(
                NodePlan.EMPTY,
                new NodeReport(
                        "edge-a",
                        true,
                        List.of(IpAddress.parse("100.64.0.1")),
                        1420,
                        1370,
                        4790,
                        4242,
                        Sorted.copyOf(Map.of(
                                "enp1s0", List.of(IpAddress.parse("203.0.113.9"), IpAddress.parse("2001:db8::9")))),
                        List.of(problems)),
                Sorted.copyOf(portMaps),
                Sorted.copyOf(Map.of(
                        "public",
                        new ClassReport(
                                "public", 1, true, new Condition(Condition.READY, true, "Valid", "edge-a serves")))),
                Sorted.map());
    }

    private static Outcome outcome(Decision decision, Problem... problems) {
        return new Outcome(1, decision, List.of(problems), List.of());
    }

    private StatusFiles files() {
        return new StatusFiles(folder, "1.0.0", clock);
    }

    private String content(String file) throws IOException {
        return Files.readString(folder.resolve(file));
    }

    private List<String> tree() throws IOException {
        try (Stream<Path> tree = Files.walk(folder)) {
            return tree.filter(Files::isRegularFile)
                    .map(f -> folder.relativize(f).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void a_status_file_is_the_object_as_the_api_server_would_show_it() throws IOException {
        files().write(decision(portMap(accepted(), programmed(true))));
        assertThat(tree())
                .containsExactly(
                        "portmapclasses/public.yaml", "portmapnodes/edge-a.yaml", "portmaps/games/gameserver.yaml");
        assertThat(content("portmaps/games/gameserver.yaml")).isEqualTo("""
                        # Written by kuport agent; changes are overwritten.
                        apiVersion: kuport.wlz.li/v1alpha1
                        kind: PortMap
                        metadata:
                          name: gameserver
                          namespace: games
                        status:
                          endpoint:
                            node: worker-b
                            pod: gameserver-0
                            address: 10.244.18.107
                            address6: fd00::6b
                          published:
                          - node: edge-a
                            interface: enp1s0
                            address: 203.0.113.9
                            address6: 2001:db8::9
                          - node: edge-a
                            address: 203.0.113.10
                          nodes:
                          - name: edge-a
                            role: Accepting
                            ready: true
                            endpoint: 10.244.18.107
                            observedGeneration: 3
                          observedGeneration: 3
                          conditions:
                          - lastTransitionTime: 2026-01-31T12:00:00Z
                            message: all checks passed
                            observedGeneration: 3
                            reason: Valid
                            status: "True"
                            type: Accepted
                          - lastTransitionTime: 2026-01-31T12:00:00Z
                            message: delivered to gameserver-0
                            observedGeneration: 3
                            reason: AllNodesReady
                            status: "True"
                            type: Programmed
                        """);
    }

    @Test
    void what_is_written_reads_as_the_report_that_it_was() {
        NodeProblem problem = new NodeProblem(NodeReason.ReversePathFilter, "rp_filter of wt0 is 1: set it to 2");
        Decision decision = decision(null, problem);
        files().write(decision);
        var snapshot = ManifestSource.read(folder.resolve("portmapnodes"));
        Intake.Result result = new Intake(null).read(snapshot.resources(), false);
        assertThat(snapshot.problems()).isEmpty();
        assertThat(result.problems()).isEmpty();
        assertThat(result.world().nodeReports()).isEqualTo(Map.of("edge-a", decision.report()));
    }

    @Test
    void a_condition_keeps_its_time_until_its_status_changes_also_over_a_restart() throws IOException {
        files().write(decision(portMap(accepted(), programmed(true))));
        now = now.plusSeconds(60);
        files().write(decision(portMap(accepted(), programmed(false))));
        assertThat(content("portmaps/games/gameserver.yaml"))
                .containsSubsequence(
                        ": 2026-01-31T12:00:00Z", "type: Accepted", ": 2026-01-31T12:01:00Z", "type: Programmed");
    }

    @Test
    void a_file_is_written_only_when_it_changes_also_over_a_restart() throws IOException {
        Decision decision = decision(portMap(accepted()));
        files().write(decision);
        Path file = folder.resolve("portmaps/games/gameserver.yaml");
        FileTime longAgo = FileTime.from(Instant.EPOCH);
        Files.setLastModifiedTime(file, longAgo);
        now = now.plusSeconds(60);
        StatusFiles second = files();
        second.write(decision);
        second.write(decision);
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(longAgo);
    }

    @Test
    void what_an_agent_before_wrote_of_objects_that_are_gone_is_removed_and_nothing_else() throws IOException {
        files().write(decision(portMap(accepted())));
        Files.writeString(folder.resolve("portmaps/games/mine.yaml"), "# mine\n");
        Files.writeString(folder.resolve("other.yaml"), StatusFiles.FIRST_LINE);
        files().write(decision(null));
        assertThat(tree())
                .containsExactly(
                        "other.yaml",
                        "portmapclasses/public.yaml",
                        "portmapnodes/edge-a.yaml",
                        "portmaps/games/mine.yaml");
    }

    @Test
    void the_status_of_an_object_that_goes_is_removed() throws IOException {
        StatusFiles files = files();
        files.write(decision(portMap(accepted())));
        files.write(decision(null));
        assertThat(tree()).containsExactly("portmapclasses/public.yaml", "portmapnodes/edge-a.yaml");
    }

    @Test
    void one_file_that_cannot_be_written_leaves_the_others_and_is_tried_again() throws IOException {
        Files.writeString(folder.resolve("portmapclasses"), "in the way");
        StatusFiles files = files();
        assertThatThrownBy(() -> files.write(decision(portMap(accepted()))))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("portmapclasses");
        assertThat(tree()).contains("portmaps/games/gameserver.yaml", "portmapnodes/edge-a.yaml");
        Files.delete(folder.resolve("portmapclasses"));
        files.write(decision(portMap(accepted())));
        assertThat(tree()).contains("portmapclasses/public.yaml");
    }

    @Test
    void the_log_tells_what_changes_and_nothing_twice() {
        StatusLog log = new StatusLog();
        NodeProblem problem = new NodeProblem(NodeReason.LinkDown, "kup0 is down");
        Problem mistake =
                new Problem("web.yaml", "PortMap games/web", "spec.port", "70000 is not a port; ports are 1 to 65535");
        assertThat(log.lines(outcome(decision(portMap(accepted(), programmed(false)), problem), mistake)))
                .containsExactly(
                        "mistake: web.yaml: PortMap games/web: spec.port: 70000 is not a port; ports are 1 to 65535",
                        "PortMap games/gameserver Accepted=True Valid: all checks passed",
                        "PortMap games/gameserver Programmed=False NoReadyEndpoint: no pod of Service gameserver is ready",
                        "PortMapClass public Ready=True Valid: edge-a serves",
                        "Node edge-a LinkDown: kup0 is down");
        assertThat(log.lines(outcome(decision(portMap(accepted(), programmed(false)), problem), mistake)))
                .isEmpty();
        assertThat(log.lines(outcome(decision(portMap(accepted(), programmed(true))))))
                .containsExactly(
                        "mended: web.yaml: PortMap games/web: spec.port: 70000 is not a port; ports are 1 to 65535",
                        "PortMap games/gameserver Programmed=True AllNodesReady: delivered to gameserver-0",
                        "Node edge-a LinkDown is gone");
        assertThat(log.lines(outcome(decision(null))))
                .containsExactly(
                        "PortMap games/gameserver Accepted is gone", "PortMap games/gameserver Programmed is gone");
    }

    @Test
    void the_log_tells_each_problem_of_one_reason() {
        NodeProblem of4 = new NodeProblem(NodeReason.ForwardingDisabled, "set net.ipv4.ip_forward to 1");
        NodeProblem of6 = new NodeProblem(NodeReason.ForwardingDisabled, "set net.ipv6.conf.all.forwarding to 1");
        StatusLog log = new StatusLog();
        assertThat(log.lines(outcome(decision(null, of4, of6))))
                .contains("Node edge-a ForwardingDisabled: set net.ipv4.ip_forward to 1;"
                        + " set net.ipv6.conf.all.forwarding to 1");
        assertThat(log.lines(outcome(decision(null, of6))))
                .containsExactly("Node edge-a ForwardingDisabled: set net.ipv6.conf.all.forwarding to 1");
    }

    @Test
    void the_log_tells_what_this_node_cannot_do() {
        PortMapReport report = portMap(accepted());
        PortMapReport refused = new PortMapReport(
                report.key(),
                3,
                false,
                new NodeRow(
                        "edge-a",
                        NodeRow.Role.Accepting,
                        false,
                        null,
                        3,
                        ProgrammedReason.PortInUse,
                        "nginx listens on port 3000"),
                null,
                List.of(),
                List.of(),
                List.of());
        assertThat(new StatusLog().lines(outcome(decision(refused))))
                .contains("PortMap games/gameserver here=False PortInUse: nginx listens on port 3000");
    }
}
