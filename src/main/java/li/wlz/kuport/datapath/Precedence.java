package li.wlz.kuport.datapath;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import li.wlz.kuport.model.Blockade;
import li.wlz.kuport.model.Blockade.Stretch;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.InterfaceRoute;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.netlink.PolicyRule;
import li.wlz.kuport.netlink.PrecedingRules;
import li.wlz.kuport.netlink.Route;
import org.jspecify.annotations.Nullable;

/**
 * Rules of others that take replies another way than back, or requests another way than to the pod, as far as it is certain.
 *
 * <p>What concerns some clients only is taken to be meant for them.
 */
final class Precedence {
    /** Addresses that no network of a node's own has routes of their own for, in each half of the space that VPNs split. */
    private static final List<IpAddress> STRANGERS =
            Stream.of("12.0.0.1", "193.0.0.1", "2a00::1").map(IpAddress::parse).toList();

    private final MarkSpace marks;
    private final NodePlan plan;
    private final PrecedingRules preceding;

    private Precedence(MarkSpace marks, NodePlan plan, PrecedingRules preceding) {
        this.marks = marks;
        this.plan = plan;
        this.preceding = preceding;
    }

    /** One problem for each rule and way, whichever passages it is about. */
    static SortedSet<NodeProblem> of(MarkSpace marks, NodePlan plan, NodeFacts facts, PrecedingRules preceding) {
        if (preceding.isEmpty()) {
            return Sorted.set();
        }
        Precedence precedence = new Precedence(marks, plan, preceding);
        SortedMap<String, SortedSet<Blockade>> blockades = new TreeMap<>();
        for (IpFamily family : IpFamily.values()) {
            for (Passage passage : Passage.all(plan, facts, family)) {
                precedence
                        .trouble(passage)
                        .ifPresent(message -> blockades
                                .computeIfAbsent(message, m -> new TreeSet<>())
                                .add(new Blockade(passage.stretch(), family)));
            }
        }
        SortedSet<NodeProblem> problems = new TreeSet<>();
        blockades.forEach((message, blocked) ->
                problems.add(new NodeProblem(NodeReason.RulePrecedence, message, List.copyOf(blocked))));
        return problems;
    }

    /**
     * A packet as rules see it.
     *
     * @param in null where it is not known
     * @param mark our bits of it
     */
    private record Packet(
            IpAddress source,
            IpAddress destination,
            @Nullable String in,
            int mark) {}

    /**
     * What a rule does to a packet.
     *
     * @param device the interface that it leaves by; null for none
     */
    private record Way(PolicyRule rule, @Nullable String device) {
        String text() {
            return device == null ? "nowhere" : "by " + device;
        }
    }

    /** What to say of a passage; empty where nothing is wrong with it. */
    private Optional<String> trouble(Passage passage) {
        return clients(passage).stream()
                .flatMap(client -> reply(passage, client).or(() -> request(passage, client)).stream())
                .findFirst();
    }

    private Optional<String> reply(Passage passage, IpAddress client) {
        Packet packet = new Packet(passage.destination(), client, passage.out(), marks.mark(passage.index()));
        return way(packet, preceding.beforeOurs(passage.family()))
                .filter(way -> !passage.in().equals(way.device))
                .map(way -> {
                    String ip = command(passage.family());
                    String rule = way.rule.text();
                    String priority = Integer.toUnsignedString(way.rule.priority());
                    return "the rule \"%s: %s\" of %s is asked before kuport's of preference %d, and sends replies %s that must leave by %s; give it a greater preference: %s rule add %s preference %d; %s rule delete %s preference %s"
                            .formatted(
                                    priority,
                                    rule,
                                    passage.family(),
                                    Ours.RULE_PRIORITY,
                                    way.text(),
                                    passage.in(),
                                    ip,
                                    rule,
                                    Ours.RULE_PRIORITY + 10,
                                    ip,
                                    rule,
                                    priority);
                });
    }

    private Optional<String> request(Passage passage, IpAddress client) {
        Packet packet = new Packet(client, passage.destination(), passage.in(), 0);
        return way(packet, preceding.beforeMain(passage.family()))
                .filter(way -> passage.out() != null && !passage.out().equals(way.device))
                .map(way ->
                        "the rule \"%s: %s\" of %s sends requests to %s %s that must leave by %s, as table main says; have that asked first: %s rule add lookup main suppress_prefixlength 0 preference %d"
                                .formatted(
                                        Integer.toUnsignedString(way.rule.priority()),
                                        way.rule.text(),
                                        passage.family(),
                                        passage.destination(),
                                        way.text(),
                                        passage.out(),
                                        command(passage.family()),
                                        Math.max(0, way.rule.priority() - 1)));
    }

    private static String command(IpFamily family) {
        return family == IpFamily.IPV4 ? "ip" : "ip -6";
    }

    /** Whose packets to look at: anybody's, where the uplink leads to anybody. */
    private List<IpAddress> clients(Passage passage) {
        List<IpAddress> strangers = STRANGERS.stream()
                .filter(address -> address.family() == passage.family())
                .toList();
        if (passage.stretch() == Stretch.LINK_TO_POD) {
            return strangers;
        }
        List<Cidr> ways = Objects.requireNonNull(plan.uplinks().get(passage.in())).routes().stream()
                .map(InterfaceRoute::destination)
                .filter(block -> block.family() == passage.family())
                .toList();
        List<IpAddress> reached = strangers.stream()
                .filter(address -> ways.stream().anyMatch(block -> block.contains(address)))
                .toList();
        return reached.isEmpty() ? ways.stream().map(Cidr::network).toList() : reached;
    }

    /** What the first rule does that decides about a packet; a rule that may apply or not is passed over. */
    private Optional<Way> way(Packet packet, List<PolicyRule> rules) {
        int from = 0;
        for (PolicyRule rule : rules) {
            if (Integer.compareUnsigned(rule.priority(), from) < 0 || !applies(rule, packet)) {
                continue;
            }
            switch (rule.action()) {
                case LOOKUP -> {
                    Optional<Way> way = lookup(rule, packet.destination);
                    if (way.isPresent()) {
                        return way;
                    }
                }
                // Past the last of them nothing more is known.
                case GOTO -> from = rule.target();
                case NOP -> {}
                case BLACKHOLE, UNREACHABLE, PROHIBIT -> {
                    return Optional.of(new Way(rule, null));
                }
            }
        }
        return Optional.empty();
    }

    private boolean applies(PolicyRule rule, Packet packet) {
        boolean unmet = !contains(rule.source(), packet.source)
                || !contains(rule.destination(), packet.destination)
                || (rule.in() != null && packet.in != null && !rule.in().equals(packet.in))
                || rule.out() != null
                || ((rule.mark() ^ packet.mark) & rule.mask() & marks.mask()) != 0;
        // Of the bits of the mark that are others' nothing is known.
        boolean unknown =
                rule.asksMore() || (rule.in() != null && packet.in == null) || (rule.mask() & marks.keepMask()) != 0;
        return rule.inverted() ? unmet : !unmet && !unknown;
    }

    private static boolean contains(@Nullable Cidr block, IpAddress address) {
        return block == null || block.contains(address);
    }

    /** Empty where the next rule is asked. */
    private Optional<Way> lookup(PolicyRule rule, IpAddress destination) {
        return preceding.routes().stream()
                .filter(route ->
                        route.table() == rule.target() && route.destination().contains(destination))
                .min(Comparator.<Route>comparingInt(
                                route -> -route.destination().prefixLength())
                        .thenComparing(Route::metric, Integer::compareUnsigned))
                .filter(route ->
                        route.type() != Route.Type.THROW && route.destination().prefixLength() > rule.suppressed())
                .map(route -> new Way(rule, route.device()));
    }
}
