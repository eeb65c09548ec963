package li.wlz.kuport.plan;

import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.World;

/**
 * Decides what one node should do and say.
 *
 * <p>The same world and facts give the same decision, whatever was decided before. What every node must see alike is settled in
 * {@link Agreement}; the rest looks at this node alone. Used by one thread.
 */
public final class Planner {
    private final Settings settings;
    private final LinkAddresses linkAddresses;

    /** A planner for the node that the settings name. */
    public Planner(Settings settings) {
        this.settings = settings;
        this.linkAddresses = new LinkAddresses(settings.linkRange4(), settings.linkRange6());
    }

    /** Decides, from what users and the cluster say and what this node's kernel has. */
    public Decision decide(World world, NodeFacts facts) {
        String self = settings.nodeName();
        Agreement agreement = Agreement.of(world, settings);
        OwnAddresses addresses = new OwnAddresses(facts);
        List<Offer> offers = agreement.classes().values().stream()
                .map(classNodes -> classNodes.offers().get(self))
                .filter(Objects::nonNull)
                .toList();
        LinkPlan link = new LinkPlanner(settings, linkAddresses, agreement, facts).plan();
        SortedSet<NodeProblem> problems = new TreeSet<>();
        SortedMap<String, NodePlan.Uplink> uplinks = new UplinkPlanner(facts, addresses, offers).plan(problems);
        Deliveries deliveries = new Deliveries(self, agreement, facts, link, linkAddresses, addresses);
        NodeReport report = new OwnReport(settings, facts, addresses, offers, link)
                .report(deliveries.forwarded(), deliveries.linked(), problems);
        return new Decision(
                new NodePlan(
                        link.link(),
                        link.peers(),
                        uplinks,
                        deliveries.accept().entries(),
                        deliveries.deliver().entries(),
                        deliveries.own().entries(),
                        deliveries.pods()),
                report,
                new PortMapReports(self, agreement, deliveries, report).all(),
                new ClassReports(settings, agreement).all());
    }
}
