package li.wlz.kuport.plan;

import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.World;
import org.jspecify.annotations.Nullable;

/**
 * Decides what one node should do and say.
 *
 * <p>The same world and facts give the same decision, whatever was decided before. It remembers what it decided last, so that a
 * change costs what it touches; docs/architecture.md tells how. Used by one thread.
 */
public final class Planner {
    private final Settings settings;
    private final LinkAddresses linkAddresses;
    private @Nullable Remembered remembered;

    /** A planner for the node that the settings name. */
    public Planner(Settings settings) {
        this.settings = settings;
        this.linkAddresses = new LinkAddresses(settings.linkRange4(), settings.linkRange6());
    }

    /** Decides, from what users and the cluster say and what this node's kernel has. */
    public Decision decide(World world, NodeFacts facts) {
        Ground ground = Ground.of(world, facts);
        Remembered known = remembered;
        // Should a decision fail, nothing half done is remembered.
        remembered = null;
        if (known == null || !known.isOf(ground)) {
            known = new Remembered(settings, linkAddresses, ground, world, facts);
        }
        Decision decision = known.decide(world, facts);
        remembered = known;
        return decision;
    }
}
