package li.wlz.kuport.status;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import li.wlz.kuport.crd.PortMapClassStatus;
import li.wlz.kuport.crd.PortMapNodeStatus;
import li.wlz.kuport.crd.PortMapStatus;
import li.wlz.kuport.model.ClassReport;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.PortMapReport;
import org.jspecify.annotations.Nullable;

/**
 * Makes statuses of reports.
 *
 * <p>A condition's {@code lastTransitionTime} is that of the status before unless the condition's status changes, so the same
 * report on top of its own result gives an equal status.
 */
public final class Statuses {
    private static final String READY_REASON = "Ready";
    private static final String READY_MESSAGE = "the node does its part";

    private Statuses() {}

    /**
     * The part of a PortMap's status that one agent writes for all: everything but the rows of the nodes.
     *
     * @param before the status there is now; null for none
     */
    public static PortMapStatus portMap(PortMapReport report, @Nullable PortMapStatus before, Instant now) {
        List<? extends @Nullable Condition> old = before == null ? null : before.conditions();
        return new PortMapStatus(
                endpoint(report.endpoint()),
                report.published().isEmpty()
                        ? null
                        : list(report.published().stream().map(Statuses::published)),
                null,
                report.generation(),
                list(report.conditions().stream()
                        .map(condition -> condition(condition, report.generation(), old, now))));
    }

    private static PortMapStatus.@Nullable Endpoint endpoint(PortMapReport.@Nullable ChosenEndpoint endpoint) {
        return endpoint == null
                ? null
                : new PortMapStatus.Endpoint(
                        endpoint.node(), endpoint.pod(), text(endpoint.address()), text(endpoint.address6()));
    }

    private static PortMapStatus.Published published(PortMapReport.Published published) {
        return new PortMapStatus.Published(
                published.node(),
                published.interfaceName().isEmpty() ? null : published.interfaceName(),
                text(published.address()),
                text(published.address6()));
    }

    /** A node's row of a PortMap's status. */
    public static PortMapStatus.Node row(NodeRow row) {
        return new PortMapStatus.Node(
                row.node(),
                row.role().name(),
                row.ready(),
                text(row.endpoint()),
                row.observedGeneration(),
                row.reason() == null ? null : row.reason().name(),
                row.message().isEmpty() ? null : row.message());
    }

    /**
     * A PortMapClass's status.
     *
     * @param before the status there is now; null for none
     */
    public static PortMapClassStatus portMapClass(
            ClassReport report, @Nullable PortMapClassStatus before, Instant now) {
        return new PortMapClassStatus(
                report.generation(),
                list(Stream.of(condition(
                        report.ready(), report.generation(), before == null ? null : before.conditions(), now))));
    }

    /**
     * A PortMapNode's status. Its condition Ready is the first of its problems.
     *
     * @param version the agent's
     * @param before the status there is now; null for none
     */
    public static PortMapNodeStatus portMapNode(
            NodeReport report, String version, @Nullable PortMapNodeStatus before, Instant now) {
        return new PortMapNodeStatus(
                version,
                new PortMapNodeStatus.Link(
                        report.linkUp(),
                        report.underlay().isEmpty()
                                ? null
                                : text(report.underlay().getFirst()),
                        known(report.underlayMtu()),
                        known(report.mtu()),
                        report.port(),
                        report.vni()),
                list(report.interfaces().entrySet().stream()
                        .map(entry -> new PortMapNodeStatus.Interface(
                                entry.getKey(),
                                addresses(entry.getValue(), IpFamily.IPV4),
                                addresses(entry.getValue(), IpFamily.IPV6)))),
                list(Stream.of(ready(report.problems(), before, now))),
                problems(report.problems()));
    }

    /**
     * The same status with one more problem, in front of the others.
     *
     * @param before a status of this node
     */
    public static PortMapNodeStatus withProblem(PortMapNodeStatus before, NodeProblem problem, Instant now) {
        List<PortMapNodeStatus.@Nullable Problem> problems = new ArrayList<>(problems(List.of(problem)));
        if (before.problems() != null) {
            before.problems().stream()
                    .filter(p -> p != null && !problem.reason().name().equals(p.reason()))
                    .forEach(problems::add);
        }
        return new PortMapNodeStatus(
                before.version(),
                before.link(),
                before.interfaces(),
                list(Stream.of(ready(List.of(problem), before, now))),
                problems);
    }

    private static Condition ready(List<NodeProblem> problems, @Nullable PortMapNodeStatus before, Instant now) {
        li.wlz.kuport.model.Condition ready = problems.isEmpty()
                ? new li.wlz.kuport.model.Condition(
                        li.wlz.kuport.model.Condition.READY, true, READY_REASON, READY_MESSAGE)
                : new li.wlz.kuport.model.Condition(
                        li.wlz.kuport.model.Condition.READY,
                        false,
                        problems.getFirst().reason().name(),
                        problems.getFirst().message());
        return condition(ready, null, before == null ? null : before.conditions(), now);
    }

    private static List<PortMapNodeStatus.@Nullable Problem> problems(List<NodeProblem> problems) {
        return list(problems.stream()
                .map(problem -> new PortMapNodeStatus.Problem(problem.reason().name(), problem.message())));
    }

    private static @Nullable List<@Nullable String> addresses(List<IpAddress> addresses, IpFamily family) {
        List<@Nullable String> texts = list(
                addresses.stream().filter(address -> address.family() == family).map(IpAddress::toString));
        return texts.isEmpty() ? null : texts;
    }

    /** A list of the kind that is read, in which anything may be missing. */
    private static <T> List<@Nullable T> list(Stream<T> elements) {
        List<@Nullable T> list = new ArrayList<>();
        elements.forEach(list::add);
        return Collections.unmodifiableList(list);
    }

    private static Condition condition(
            li.wlz.kuport.model.Condition condition,
            @Nullable Long generation,
            @Nullable List<? extends @Nullable Condition> before,
            Instant now) {
        String status = condition.status() ? "True" : "False";
        Condition old = before == null
                ? null
                : before.stream()
                        .filter(c -> c != null && condition.type().equals(c.getType()))
                        .findFirst()
                        .orElse(null);
        boolean same = old != null && status.equals(old.getStatus()) && old.getLastTransitionTime() != null;
        return new ConditionBuilder()
                .withType(condition.type())
                .withStatus(status)
                .withReason(condition.reason())
                .withMessage(condition.message())
                .withObservedGeneration(generation)
                .withLastTransitionTime(
                        same
                                ? Objects.requireNonNull(old).getLastTransitionTime()
                                : now.truncatedTo(ChronoUnit.SECONDS).toString())
                .build();
    }

    private static @Nullable Integer known(int bytes) {
        return bytes == 0 ? null : bytes;
    }

    private static @Nullable String text(@Nullable IpAddress address) {
        return address == null ? null : address.toString();
    }
}
