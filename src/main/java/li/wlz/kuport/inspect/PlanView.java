package li.wlz.kuport.inspect;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import li.wlz.kuport.crd.Resources;
import li.wlz.kuport.datapath.Changes;
import li.wlz.kuport.datapath.Datapath;
import li.wlz.kuport.intake.Intake;
import li.wlz.kuport.model.Condition;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.model.Problem;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.World;
import li.wlz.kuport.netlink.RoutingState;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.plan.Planner;
import org.jspecify.annotations.Nullable;

/**
 * What a node would do: the answer of {@code kuport plan}.
 *
 * @param node whose plan it is
 * @param factsAssumed whether the node's facts were taken from the objects, for want of the real ones
 * @param portMaps the decision about each PortMap, as {@code namespace/name}
 * @param classes the condition of each class
 * @param pods what became of each entry of a pod's annotation, as {@code namespace/name entries[0]}
 * @param nodeProblems what is wrong with the node
 * @param refused what users wrote wrong
 * @param routing what is programmed by netlink on a node that has nothing of ours, as iproute2 commands
 * @param ruleset what is programmed by nft on such a node
 */
public record PlanView(
        String node,
        boolean factsAssumed,
        SortedMap<String, Mapping> portMaps,
        SortedMap<String, Condition> classes,
        SortedMap<String, String> pods,
        List<NodeProblem> nodeProblems,
        List<Problem> refused,
        List<String> routing,
        String ruleset) {

    /**
     * The decision about one PortMap.
     *
     * @param endpoint the pod it goes to; null without one
     * @param published what to hand to callers
     * @param part what this node does for it; null where it has no part
     */
    public record Mapping(
            PortMapReport.@Nullable ChosenEndpoint endpoint,
            List<PortMapReport.Published> published,
            List<Condition> conditions,
            @Nullable String part) {}

    /**
     * Plans for one node.
     *
     * @param facts the node's facts; null to assume them from the objects
     * @param unreadable what could not even be read
     */
    public static PlanView of(
            Settings settings, Resources resources, List<Problem> unreadable, @Nullable NodeFacts facts) {
        Intake.Result read = new Intake(settings.podAnnotations()).read(resources, false);
        World world = read.world();
        NodeFacts known = facts != null ? facts : AssumedFacts.of(world, settings.nodeName());
        Decision decision = new Planner(settings).decide(world, known);
        Datapath datapath = new Datapath(settings);
        Changes changes = datapath.changes(datapath.wanted(decision.node()), Listing.NOTHING, RoutingState.NOTHING);
        List<Problem> refused = new ArrayList<>(unreadable);
        refused.addAll(read.problems());
        return new PlanView(
                settings.nodeName(),
                facts == null,
                mappings(decision),
                decision.classes().values().stream()
                        .collect(Collectors.toMap(c -> c.name(), c -> c.ready(), (a, b) -> a, TreeMap::new)),
                pods(decision),
                decision.report().problems(),
                refused,
                changes.before().stream().map(RequestText::of).toList(),
                changes.script().orElse(""));
    }

    private static SortedMap<String, Mapping> mappings(Decision decision) {
        SortedMap<String, Mapping> mappings = new TreeMap<>();
        decision.portMaps()
                .forEach((key, report) -> mappings.put(
                        key.toString(),
                        new Mapping(report.endpoint(), report.published(), report.conditions(), part(report))));
        return mappings;
    }

    private static SortedMap<String, String> pods(Decision decision) {
        SortedMap<String, String> pods = new TreeMap<>();
        decision.pods()
                .forEach((key, report) -> report.lines()
                        .forEach(line -> pods.put(key + " " + line.subject(), line.reason() + ": " + line.message())));
        return pods;
    }

    private static @Nullable String part(PortMapReport report) {
        if (report.ownRow() == null) {
            return null;
        }
        return report.ownRow().role()
                + (report.ownRow().ready() ? "" : ": " + report.ownRow().message());
    }

    /** Whether anything is refused: an object that can't be read or accepted, or a class without nodes. */
    public boolean anythingRefused() {
        return !refused.isEmpty()
                || portMaps.values().stream().anyMatch(mapping -> !accepted(mapping))
                || classes.values().stream().anyMatch(condition -> !condition.status());
    }

    private static boolean accepted(Mapping mapping) {
        return mapping.conditions().stream()
                .filter(c -> c.type().equals(Condition.ACCEPTED))
                .allMatch(Condition::status);
    }

    /** The plan as a person likes to read it. */
    public String text() {
        StringBuilder text = new StringBuilder("# plan of node " + node + "\n");
        if (factsAssumed) {
            text.append(
                    "# the node's facts are assumed from the objects; give --facts FILE for the real ones (kuport facts)\n# its routes are not among them, so that the tables and rules of the ways back by its uplinks are not shown\n");
        }
        section(text, "refused", refused.stream().map(Problem::toString).toList());
        section(
                text,
                "mappings",
                portMaps.entrySet().stream().flatMap(e -> lines(e).stream()).toList());
        section(
                text,
                "pods",
                pods.entrySet().stream()
                        .map(e -> e.getKey() + ": " + e.getValue())
                        .toList());
        section(
                text,
                "classes",
                classes.entrySet().stream()
                        .map(e -> e.getKey() + ": " + e.getValue().reason() + ": "
                                + e.getValue().message())
                        .toList());
        section(
                text,
                "node",
                nodeProblems.stream().map(p -> p.reason() + ": " + p.message()).toList());
        section(text, "links, routes and rules", routing);
        section(text, "ruleset", ruleset.lines().toList());
        return text.toString();
    }

    private static List<String> lines(Map.Entry<String, Mapping> entry) {
        Mapping mapping = entry.getValue();
        List<String> lines = new ArrayList<>();
        String part = mapping.part();
        lines.add(entry.getKey() + (part == null ? "" : " (this node: " + part + ")"));
        PortMapReport.ChosenEndpoint endpoint = mapping.endpoint();
        if (endpoint != null) {
            lines.add("  endpoint: pod " + endpoint.pod() + " on " + endpoint.node()
                    + addresses(endpoint.address(), endpoint.address6()));
        }
        mapping.published()
                .forEach(row -> lines.add("  published: " + row.node()
                        + (row.interfaceName().isEmpty() ? "" : " " + row.interfaceName())
                        + addresses(row.address(), row.address6())));
        mapping.conditions()
                .forEach(condition -> lines.add("  " + condition.type() + ": " + (condition.status() ? "yes" : "no")
                        + ", " + condition.reason() + ": " + condition.message()));
        return lines;
    }

    private static String addresses(@Nullable Object address, @Nullable Object address6) {
        return (address == null ? "" : " " + address) + (address6 == null ? "" : " " + address6);
    }

    private static void section(StringBuilder text, String title, List<String> lines) {
        if (lines.isEmpty()) {
            return;
        }
        text.append('\n').append(title).append(":\n");
        lines.forEach(line -> text.append("  ").append(line).append('\n'));
    }
}
