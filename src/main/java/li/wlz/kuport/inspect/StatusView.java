package li.wlz.kuport.inspect;

import io.fabric8.kubernetes.api.model.Condition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapNode;
import li.wlz.kuport.crd.PortMapNodeStatus;
import li.wlz.kuport.crd.PortMapSpec;
import li.wlz.kuport.crd.PortMapStatus;
import org.jspecify.annotations.Nullable;

/**
 * What became of the PortMaps, as their statuses tell: the answer of {@code kuport status}.
 *
 * @param mappings sorted by namespace and name
 * @param nodes those whose agent has something to say, sorted by name
 */
public record StatusView(List<Mapping> mappings, List<NodeTrouble> nodes) {
    private static final String GAP = "   ";

    /**
     * One PortMap.
     *
     * @param mapping {@code namespace/name}
     * @param port {@code 3000/UDP}, or {@code 10000-10009/UDP} for a range
     * @param addresses what to hand to clients, the serving node's first
     * @param pod that it is delivered to; null without one
     * @param node that the pod runs on; null without one
     * @param served whether all nodes that have a part do it for this generation
     * @param reason why not, in one word; null if served
     * @param message why not, in a sentence; null if served
     */
    public record Mapping(
            String mapping,
            String port,
            List<String> addresses,
            @Nullable String pod,
            @Nullable String node,
            boolean served,
            @Nullable String reason,
            @Nullable String message) {}

    /** What is wrong with one node. */
    public record NodeTrouble(String node, String reason, String message) {}

    /** Reads the objects' statuses. */
    public static StatusView of(List<PortMap> portMaps, List<PortMapNode> nodes) {
        return new StatusView(
                portMaps.stream()
                        .map(StatusView::mapping)
                        .sorted(Comparator.comparing(Mapping::mapping))
                        .toList(),
                nodes.stream()
                        .flatMap(StatusView::troubles)
                        .sorted(Comparator.comparing(NodeTrouble::node).thenComparing(NodeTrouble::reason))
                        .toList());
    }

    /** Whether each mapping is served. */
    public boolean allServed() {
        return mappings.stream().allMatch(Mapping::served);
    }

    private static Mapping mapping(PortMap portMap) {
        Optional<PortMapStatus> status = Optional.ofNullable(portMap.getStatus());
        Optional<PortMapStatus.Endpoint> endpoint = status.map(PortMapStatus::endpoint);
        Optional<Condition> why = whyNot(portMap, status);
        return new Mapping(
                portMap.getMetadata().getNamespace() + "/"
                        + portMap.getMetadata().getName(),
                portMap.getSpec() == null ? "" : port(portMap.getSpec()),
                status.map(StatusView::addresses).orElse(List.of()),
                endpoint.map(PortMapStatus.Endpoint::pod).orElse(null),
                endpoint.map(PortMapStatus.Endpoint::node).orElse(null),
                why.isEmpty(),
                why.map(Condition::getReason).orElse(null),
                why.map(Condition::getMessage).orElse(null));
    }

    /** The first condition that is not met; nothing if all are, and speak of what the object asks for now. */
    private static Optional<Condition> whyNot(PortMap portMap, Optional<PortMapStatus> status) {
        List<Condition> conditions = status.map(StatusView::conditions).orElse(List.of());
        Long generation = portMap.getMetadata().getGeneration();
        if (conditions.isEmpty()
                || !Objects.equals(
                        generation,
                        status.map(PortMapStatus::observedGeneration).orElse(null))) {
            Condition pending = new Condition();
            pending.setReason("Pending");
            pending.setMessage("no agent has reported on it yet; is kuport running (kubectl get pmn)?");
            return Optional.of(pending);
        }
        return conditions.stream()
                .filter(condition -> !"True".equals(condition.getStatus()))
                .min(Comparator.comparing(Condition::getType));
    }

    private static List<Condition> conditions(PortMapStatus status) {
        return present(status.conditions());
    }

    private static String port(PortMapSpec spec) {
        return spec.port() + (spec.endPort() == null ? "" : "-" + spec.endPort()) + "/" + spec.protocol();
    }

    private static List<String> addresses(PortMapStatus status) {
        return present(status.published()).stream()
                .flatMap(row -> Stream.of(Optional.ofNullable(row.address()), Optional.ofNullable(row.address6())))
                .flatMap(Optional::stream)
                .toList();
    }

    private static Stream<NodeTrouble> troubles(PortMapNode node) {
        PortMapNodeStatus status = node.getStatus();
        if (status == null) {
            return Stream.empty();
        }
        String name = node.getMetadata().getName();
        return present(status.problems()).stream()
                .map(problem -> new NodeTrouble(
                        name,
                        Objects.requireNonNullElse(problem.reason(), ""),
                        Objects.requireNonNullElse(problem.message(), "")));
    }

    private static <T> List<T> present(@Nullable List<@Nullable T> list) {
        return list == null
                ? List.of()
                : list.stream().flatMap(Stream::ofNullable).toList();
    }

    /** The view as a person likes to read it. */
    public String text() {
        if (mappings.isEmpty() && nodes.isEmpty()) {
            return "There are no PortMaps.\n";
        }
        StringBuilder text = new StringBuilder();
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("MAPPING", "PORT", "ADDRESS", "POD", "NODE", "WHY NOT"));
        mappings.forEach(mapping -> rows.add(List.of(
                mapping.mapping(),
                mapping.port(),
                orDash(String.join(",", mapping.addresses())),
                orDash(mapping.pod()),
                orDash(mapping.node()),
                mapping.served() ? "" : mapping.reason() + ": " + mapping.message())));
        table(text, rows);
        if (!nodes.isEmpty()) {
            text.append('\n');
            List<List<String>> troubles = new ArrayList<>();
            troubles.add(List.of("NODE", "PROBLEM"));
            nodes.forEach(
                    trouble -> troubles.add(List.of(trouble.node(), trouble.reason() + ": " + trouble.message())));
            table(text, troubles);
        }
        return text.toString();
    }

    private static String orDash(@Nullable String text) {
        return text == null || text.isEmpty() ? "-" : text;
    }

    private static void table(StringBuilder text, List<List<String>> rows) {
        int[] widths = IntStream.range(0, rows.getFirst().size())
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < widths.length; column++) {
                line.append(row.get(column))
                        .repeat(' ', widths[column] - row.get(column).length())
                        .append(GAP);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
    }
}
