package li.wlz.kuport.cli;

import java.util.List;
import li.wlz.kuport.datapath.Datapath;
import li.wlz.kuport.kernel.KernelNode;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.netlink.RoutingState;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.reconcile.spi.NodeException;

/**
 * What a command sees of the node that it runs on.
 *
 * @param facts completed as in the agent's passes
 * @param unread rules of others that could not be looked at, and why
 */
record Observed(NodeFacts facts, RoutingState routing, List<String> unread) {
    /**
     * Reads the kernel once.
     *
     * @throws NodeException if it cannot be read
     */
    static Observed node(Settings settings) {
        try (Node node = KernelNode.open(settings)) {
            Node.Observation seen = node.observe();
            return new Observed(
                    new Datapath(settings).complete(seen.facts(), seen.table(), seen.routing(), seen.markedFlows()),
                    seen.routing(),
                    seen.foreign().unread());
        }
    }
}
