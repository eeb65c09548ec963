package li.wlz.kuport.plan;

import java.util.SortedMap;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.Target;
import li.wlz.kuport.model.World;
import org.jspecify.annotations.Nullable;

/**
 * Decides what one node should do and say.
 *
 * <p>The same world and facts give the same decision, whatever was decided before. It remembers what it decided last, so that a
 * change costs what it touches; docs/architecture.md tells how. Used by one thread.
 */
public final class Planner {
    private static final NodeProblem WITHOUT_NFTABLES = new NodeProblem(
            NodeReason.NftablesUnavailable,
            "the agent's --firewall-flavor is iptables, by which annotations of pods alone are served; PortMaps need nftables");

    private final Settings settings;
    private final LinkAddresses linkAddresses;
    private @Nullable Remembered remembered;

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
        boolean withoutNftables = settings.usesIptables() && !world.portMaps().isEmpty();
        NodeFacts forPortMaps = withoutNftables ? facts.with(WITHOUT_NFTABLES) : facts;
        Ground ground = Ground.of(world, forPortMaps);
        Remembered known = remembered;
        // Should a decision fail, nothing half done is remembered.
        remembered = null;
        if (known == null || !known.isOf(ground)) {
            known = new Remembered(settings, linkAddresses, ground, world, forPortMaps);
        }
        Decision decision = known.decide(world, forPortMaps, facts, inForce);
        remembered = known;
        return decision;
    }
}
