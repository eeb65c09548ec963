package li.wlz.kuport.status;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import li.wlz.kuport.crd.PortMapClassStatus;
import li.wlz.kuport.crd.PortMapNodeStatus;
import li.wlz.kuport.crd.PortMapStatus;
import li.wlz.kuport.model.ClassReport;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.PodReport;
import li.wlz.kuport.model.PortMapReport;
import org.jspecify.annotations.Nullable;

/** Turns reports into statuses. */
public final class Statuses {
    private Statuses() {}

    /**
     * A PortMap's status, as far as one node knows it: of {@code nodes} only its own row.
     *
     * @param before the conditions that the status has; one whose status stays the same keeps its transition time
     */
    public static PortMapStatus of(
            PortMapReport report, @Nullable List<? extends @Nullable Condition> before, Instant now) {
        return new PortMapStatus(
                endpoint(report.endpoint()),
                each(report.published(), Statuses::published),
                report.ownRow() == null ? null : List.of(row(report.ownRow())),
                report.generation(),
                conditions(report.conditions(), report.generation(), before, now));
    }

    /** A class's status. */
    public static PortMapClassStatus of(
            ClassReport report, @Nullable List<? extends @Nullable Condition> before, Instant now) {
        return new PortMapClassStatus(
                report.generation(), conditions(List.of(report.ready()), report.generation(), before, now));
    }

    /**
     * The status of a node's own PortMapNode.
     *
     * @param version of the agent
     */
    public static PortMapNodeStatus of(
            NodeReport report, String version, @Nullable List<? extends @Nullable Condition> before, Instant now) {
        return new PortMapNodeStatus(
                version,
                link(report),
                each(report.interfaces().entrySet(), Statuses::networkInterface),
                conditions(List.of(ready(report)), 0, before, now),
                each(
                        report.problems(),
                        p -> new PortMapNodeStatus.Problem(p.reason().name(), p.message())));
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
     * What is said of a pod's annotation, as conditions of type {@code entries[0]} or {@code annotation}.
     *
     * @param before the conditions that there are; one whose status stays the same keeps its transition time
     */
    public static List<PodCondition> of(PodReport report, List<PodCondition> before, Instant now) {
        List<PodCondition> conditions = new ArrayList<>();
        for (PodReport.Line line : report.lines()) {
            String status = line.isDelivered() ? "True" : "False";
            String since = before.stream()
                    .filter(c -> line.subject().equals(c.getType()) && status.equals(c.getStatus()))
                    .map(PodCondition::getLastTransitionTime)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(now.truncatedTo(ChronoUnit.SECONDS).toString());
            conditions.add(new PodConditionBuilder()
                    .withType(line.subject())
                    .withStatus(status)
                    .withReason(line.reason().name())
                    .withMessage(line.message())
                    .withLastTransitionTime(since)
                    .build());
        }
        return conditions;
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

    private static PortMapNodeStatus.Link link(NodeReport report) {
        return new PortMapNodeStatus.Link(
                report.linkUp(),
                report.underlay().isEmpty()
                        ? null
                        : report.underlay().getFirst().toString(),
                known(report.underlayMtu()),
                known(report.mtu()),
                known(report.port()),
                known(report.vni()));
    }

    private static PortMapNodeStatus.Interface networkInterface(Map.Entry<String, List<IpAddress>> entry) {
        return new PortMapNodeStatus.Interface(
                entry.getKey(), texts(entry.getValue(), IpFamily.IPV4), texts(entry.getValue(), IpFamily.IPV6));
    }

    /** The items, each turned into another; null where there are none, so that nothing is written. */
    private static <A, B> @Nullable List<@Nullable B> each(Collection<A> items, Function<A, B> turn) {
        List<@Nullable B> turned = new ArrayList<>();
        items.forEach(item -> turned.add(turn.apply(item)));
        return turned.isEmpty() ? null : turned;
    }

    private static @Nullable Integer known(int value) {
        return value == 0 ? null : value;
    }

    private static @Nullable List<@Nullable String> texts(List<IpAddress> addresses, IpFamily family) {
        return each(addresses.stream().filter(a -> a.family() == family).toList(), IpAddress::toString);
    }

    private static @Nullable String text(@Nullable IpAddress address) {
        return address == null ? null : address.toString();
    }

    /** Ready, or the first of the problems. */
    private static li.wlz.kuport.model.Condition ready(NodeReport report) {
        String type = li.wlz.kuport.model.Condition.READY;
        return report.problems().isEmpty()
                ? new li.wlz.kuport.model.Condition(type, true, "Ready", "the node does its part")
                : new li.wlz.kuport.model.Condition(
                        type,
                        false,
                        report.problems().getFirst().reason().name(),
                        report.problems().getFirst().message());
    }

    private static List<@Nullable Condition> conditions(
            List<li.wlz.kuport.model.Condition> conditions,
            long generation,
            @Nullable List<? extends @Nullable Condition> before,
            Instant now) {
        List<@Nullable Condition> written = new ArrayList<>();
        for (li.wlz.kuport.model.Condition condition : conditions) {
            String status = condition.status() ? "True" : "False";
            ConditionBuilder builder = new ConditionBuilder()
                    .withType(condition.type())
                    .withStatus(status)
                    .withReason(condition.reason())
                    .withMessage(condition.message())
                    .withLastTransitionTime(since(condition.type(), status, before, now));
            written.add(
                    generation == 0
                            ? builder.build()
                            : builder.withObservedGeneration(generation).build());
        }
        return written;
    }

    private static String since(
            String type, String status, @Nullable List<? extends @Nullable Condition> before, Instant now) {
        for (Condition condition : Objects.requireNonNullElse(before, List.<@Nullable Condition>of())) {
            if (condition != null
                    && type.equals(condition.getType())
                    && status.equals(condition.getStatus())
                    && condition.getLastTransitionTime() != null) {
                return condition.getLastTransitionTime();
            }
        }
        return now.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
