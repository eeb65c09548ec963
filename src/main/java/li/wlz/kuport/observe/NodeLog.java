package li.wlz.kuport.observe;

import java.util.LinkedHashSet;
import java.util.Set;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.reconcile.spi.Reporter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the log what is wrong with this node: each problem once when it appears, and once when it is gone.
 *
 * <p>Where there is a PortMapNode it is there, too; {@code kuport podnat} has none.
 */
public final class NodeLog implements Reporter {
    private static final Logger LOG = LoggerFactory.getLogger(NodeLog.class);

    private Set<String> told = Set.of();

    @Override
    public void report(Outcome outcome) {
        String node = outcome.decision().report().node();
        Set<String> now = new LinkedHashSet<>();
        for (NodeProblem problem : outcome.decision().report().problems()) {
            now.add(problem.reason() + ": " + problem.message());
        }
        now.stream().filter(problem -> !told.contains(problem)).forEach(p -> LOG.warn("Node {} {}", node, p));
        told.stream().filter(problem -> !now.contains(problem)).forEach(p -> LOG.info("mended: Node {} {}", node, p));
        told = now;
    }
}
