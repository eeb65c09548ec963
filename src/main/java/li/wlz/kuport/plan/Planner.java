package li.wlz.kuport.plan;

import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodePlan.Egress;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.PodAnnotations;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.Target;
import li.wlz.kuport.model.World;
import org.jspecify.annotations.Nullable;

/**
 * Decides what one node should do and say.
 *
 * <p>The same world and facts give the same decision, whatever was decided before. What every node must see alike is settled in
 * {@link Agreement}; the rest looks at this node alone. Used by one thread.
 */
public final class Planner {
    private static final NodeProblem WITHOUT_NFTABLES = new NodeProblem(
            NodeReason.NftablesUnavailable,
            "the agent's --firewall-flavor is iptables, by which annotations of pods alone are served; PortMaps need nftables");

    private final Settings settings;
    private final LinkAddresses linkAddresses;

    /** A planner for the node that the settings name. */
    public Planner(Settings settings) {
        this.settings = settings;
        this.linkAddresses = new LinkAddresses(settings.linkRange4(), settings.linkRange6());
    }

    /** As {@link #decide(World, NodeFacts, SortedMap)}, for a node that delivers nothing yet. */
    public Decision decide(World world, NodeFacts facts) {
        return decide(world, facts, Sorted.map());
    }

    /**
     * Decides, from what users and the cluster say and what this node's kernel has.
     *
     * @param inForce where the kernel sends what is dialled at the moment
     */
    public Decision decide(World world, NodeFacts facts, SortedMap<Dialled, Target> inForce) {
        PodAnnotations rules = settings.podAnnotations();
        NodeFacts known = settings.usesIptables() && !world.portMaps().isEmpty() ? facts.with(WITHOUT_NFTABLES) : facts;
        String self = settings.nodeName();
        Agreement agreement = Agreement.of(world, settings);
        OwnAddresses addresses = new OwnAddresses(known);
        List<Offer> offers = agreement.classes().values().stream()
                .map(classNodes -> classNodes.offers().get(self))
                .filter(Objects::nonNull)
                .toList();
        LinkPlan link = rules != null && (rules.alone() || settings.usesIptables())
                ? LinkPlan.none("annotations of pods alone are served here")
                : new LinkPlanner(settings, linkAddresses, agreement, known).plan();
        Deliveries deliveries = new Deliveries(self, agreement, known, link, linkAddresses, addresses);
        DeliveryTable accept = settings.usesIptables() ? new DeliveryTable() : deliveries.accept();
        PodDeliveries pods =
                rules == null ? null : new PodDeliveries(settings, rules, agreement, facts, addresses, inForce, accept);
        SortedSet<NodeProblem> problems = new TreeSet<>();
        SortedMap<String, NodePlan.Uplink> uplinks = new UplinkPlanner(
                        known, addresses, offers, pods == null ? Sorted.set() : pods.devices())
                .plan(problems);
        NodeReport report = new OwnReport(settings, known, addresses, offers, link)
                .report(
                        union(deliveries.forwarded(), pods == null ? Set.of() : pods.forwarded()),
                        deliveries.linked(),
                        problems);
        return new Decision(
                settings.usesIptables()
                        ? withIptables(accept, pods)
                        : new NodePlan(
                                link.link(),
                                link.peers(),
                                uplinks,
                                accept.entries(),
                                deliveries.deliver().entries(),
                                deliveries.own().entries(),
                                pods == null ? deliveries.pods() : sorted(deliveries.pods(), pods.pods()),
                                pods == null ? Egress.NONE : pods.egress(uplinks)),
                report,
                new PortMapReports(self, agreement, deliveries, report).all(),
                new ClassReports(settings, agreement).all(),
                pods == null ? Sorted.map() : pods.reports());
    }

    /** In the tables of iptables there are same-node deliveries alone. */
    private static NodePlan withIptables(DeliveryTable accept, @Nullable PodDeliveries pods) {
        return new NodePlan(
                null,
                Sorted.map(),
                Sorted.map(),
                accept.entries(),
                Sorted.map(),
                Sorted.map(),
                pods == null ? Sorted.set() : pods.pods(),
                pods == null ? Egress.NONE : pods.egress(Sorted.map()));
    }

    private static Set<IpFamily> union(Set<IpFamily> some, Set<IpFamily> more) {
        Set<IpFamily> union = EnumSet.noneOf(IpFamily.class);
        union.addAll(some);
        union.addAll(more);
        return union;
    }

    private static SortedSet<IpAddress> sorted(SortedSet<IpAddress> some, SortedSet<IpAddress> more) {
        SortedSet<IpAddress> all = new TreeSet<>(some);
        all.addAll(more);
        return all;
    }
}
