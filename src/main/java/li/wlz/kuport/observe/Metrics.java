package li.wlz.kuport.observe;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmThreadsMetrics;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Unit;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.Condition;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PodReason;
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.model.ProgrammedReason;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.SortedDifference;
import li.wlz.kuport.reconcile.spi.Reporter;
import org.jspecify.annotations.Nullable;

/** Counts for Prometheus. Labels are words of ours, never names of objects, so their number is bounded. */
public final class Metrics implements Reporter {
    private static final int LONGEST_NUMBER = 32;
    private static final Path CONNTRACK = Path.of("/proc/sys/net/netfilter");

    private final PrometheusRegistry registry;
    private final LongSupplier clock;
    private final Gauge mappings;
    private final Gauge mappingReasons;
    private final Gauge podEntries;
    private final Gauge nodeProblems;
    private final Gauge mistakes;
    private final Gauge peers;
    private final Counter passes;
    private final Counter refusals;
    private final Histogram passSeconds;

    /** The reports that were counted last, and their counts. */
    private SortedMap<ObjectKey, PortMapReport> counted = Sorted.map();

    private long begun;

    private final Map<State, Integer> states = new TreeMap<>();
    private final Map<String, Integer> reasons = new TreeMap<>();

    /** The states of a mapping, and their labels. */
    private enum State {
        programmed,
        waiting,
        refused
    }

    public Metrics() {
        this(new PrometheusRegistry(), CONNTRACK, System::nanoTime);
        // Not all that the library has: those of native memory would start JMX, hundreds of classes, for nothing.
        JvmMemoryMetrics.builder().register(registry);
        JvmGarbageCollectorMetrics.builder().register(registry);
        JvmThreadsMetrics.builder().register(registry);
        ProcessMetrics.builder().register(registry);
    }

    /**
     * @param conntrack the folder with the kernel's {@code nf_conntrack_count} and {@code nf_conntrack_max}
     * @param clock monotonic, in nanoseconds
     */
    Metrics(PrometheusRegistry registry, Path conntrack, LongSupplier clock) {
        this.registry = registry;
        this.clock = clock;
        mappings = Gauge.builder()
                .name("kuport_mappings")
                .help("PortMaps as this node sees them: programmed, waiting (accepted, not programmed), refused")
                .labelNames("state")
                .register(registry);
        mappingReasons = Gauge.builder()
                .name("kuport_mappings_failing")
                .help("PortMaps that are not programmed, by the reason of their condition")
                .labelNames("reason")
                .register(registry);
        podEntries = Gauge.builder()
                .name("kuport_pod_entries")
                .help(
                        "Entries of annotations of this node's pods, and annotations refused as a whole, by what became of them")
                .labelNames("reason")
                .register(registry);
        nodeProblems = Gauge.builder()
                .name("kuport_node_problems")
                .help("What is wrong with this node, by the reason in its PortMapNode")
                .labelNames("reason")
                .register(registry);
        mistakes = Gauge.builder()
                .name("kuport_input_problems")
                .help("Objects and fields that could not be read")
                .register(registry);
        peers = Gauge.builder()
                .name("kuport_link_peers")
                .help("Nodes that this node reaches over the link")
                .register(registry);
        passes = Counter.builder()
                .name("kuport_passes_total")
                .help("Passes of the loop, by whether all was applied")
                .labelNames("result")
                .register(registry);
        refusals = Counter.builder()
                .name("kuport_kernel_refusals_total")
                .help("Changes that the kernel refused, by the reason of the node's problem")
                .labelNames("reason")
                .register(registry);
        for (NodeReason reason : NodeReason.values()) {
            refusals.initLabelValues(reason.name());
        }
        passSeconds = Histogram.builder()
                .name("kuport_pass_duration_seconds")
                .help(
                        "How long a pass took, from reading to the last applied change; what is told afterwards not counted")
                .unit(Unit.SECONDS)
                .classicUpperBounds(0.001, 0.005, 0.02, 0.1, 0.5, 2, 10)
                .classicOnly()
                .register(registry);
        conntrack("kuport_conntrack_entries", "Connections that the kernel tracks", conntrack, "nf_conntrack_count");
        conntrack("kuport_conntrack_limit", "Connections that the kernel can track", conntrack, "nf_conntrack_max");
        set(Map.of(), Map.of());
    }

    private void conntrack(String name, String help, Path folder, String file) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> number(folder.resolve(file)).ifPresent(callback::call))
                .register(registry);
    }

    /** Empty where the kernel has no connection tracking yet. One read takes all: a setting's second read is empty. */
    private static OptionalLong number(Path file) {
        if (!Files.exists(file)) {
            return OptionalLong.empty();
        }
        byte[] digits = new byte[LONGEST_NUMBER];
        try (InputStream stream = Files.newInputStream(file)) {
            int length = Math.max(0, stream.read(digits));
            return OptionalLong.of(Long.parseLong(new String(digits, 0, length, StandardCharsets.US_ASCII).strip()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    PrometheusRegistry registry() {
        return registry;
    }

    /** Every series is there from the start, so that an alert on it can be told from one on nothing. */
    private void set(Map<NodeReason, Integer> problems, Map<PodReason, Integer> entries) {
        for (PodReason reason : PodReason.values()) {
            podEntries.labelValues(reason.name()).set(entries.getOrDefault(reason, 0));
        }
        for (State state : State.values()) {
            mappings.labelValues(state.name()).set(states.getOrDefault(state, 0));
        }
        Stream.concat(
                        Stream.of(AcceptedReason.values()).filter(r -> r != AcceptedReason.Valid),
                        Stream.of(ProgrammedReason.values()).filter(r -> r != ProgrammedReason.AllNodesReady))
                .map(Enum::name)
                .forEach(reason -> mappingReasons.labelValues(reason).set(reasons.getOrDefault(reason, 0)));
        for (NodeReason reason : NodeReason.values()) {
            nodeProblems.labelValues(reason.name()).set(problems.getOrDefault(reason, 0));
        }
    }

    /** A pass begins. */
    public void passBegins() {
        begun = clock.getAsLong();
    }

    /** A pass ended, of whatever outcome. */
    public void passed(boolean inForce) {
        passes.labelValues(inForce ? "applied" : "failed").inc();
    }

    /** Counts an outcome. To be the first of the reporters that are told: a pass ends with the last change, and here its time does. */
    @Override
    public void report(Outcome outcome) {
        passSeconds.observe((clock.getAsLong() - begun) / 1e9);
        // Each refusal is among the node's problems, where it has its reason.
        outcome.decision().report().problems().stream()
                .filter(problem -> outcome.failures().contains(problem.message()))
                .forEach(
                        problem -> refusals.labelValues(problem.reason().name()).inc());
        mistakes.set(outcome.problems().size());
        peers.set(outcome.decision().node().peers().size());
        SortedDifference<Map.Entry<ObjectKey, PortMapReport>> difference =
                SortedDifference.of(outcome.decision().portMaps(), counted);
        difference.surplus().forEach(entry -> count(entry.getValue(), -1));
        difference.missing().forEach(entry -> count(entry.getValue(), 1));
        counted = outcome.decision().portMaps();
        Map<NodeReason, Integer> problems = new TreeMap<>();
        for (NodeProblem problem : outcome.decision().report().problems()) {
            problems.merge(problem.reason(), 1, Integer::sum);
        }
        Map<PodReason, Integer> entries = new TreeMap<>();
        outcome.decision().pods().values().stream()
                .flatMap(report -> report.lines().stream())
                .forEach(line -> entries.merge(line.reason(), 1, Integer::sum));
        set(problems, entries);
    }

    private void count(PortMapReport report, int more) {
        states.merge(state(report), more, Integer::sum);
        report.conditions().stream()
                .filter(condition -> !condition.status())
                .findFirst()
                .ifPresent(condition -> reasons.merge(condition.reason(), more, Integer::sum));
    }

    private static State state(PortMapReport report) {
        if (isTrue(report.condition(Condition.PROGRAMMED))) {
            return State.programmed;
        }
        return isTrue(report.condition(Condition.ACCEPTED)) ? State.waiting : State.refused;
    }

    private static boolean isTrue(@Nullable Condition condition) {
        return condition != null && condition.status();
    }
}
