package li.wlz.kuport.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.reconcile.spi.Reporter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the node's problems to the log, a line for each that comes, changes or goes. Without a PortMapNode nobody else does. */
public final class ProblemLog implements Reporter {
    private static final Logger LOG = LoggerFactory.getLogger(ProblemLog.class);

    private SortedMap<NodeReason, String> told = Sorted.map();

    @Override
    public void report(Outcome outcome) {
        lines(outcome.decision().report().problems()).forEach(line -> LOG.info("{}", line));
    }

    /** The lines that these problems add. */
    List<String> lines(List<NodeProblem> problems) {
        SortedMap<NodeReason, String> now = new TreeMap<>();
        problems.forEach(problem -> now.merge(problem.reason(), problem.message(), (one, other) -> one + "; " + other));
        List<String> lines = new ArrayList<>();
        now.forEach((reason, message) -> {
            if (!message.equals(told.get(reason))) {
                lines.add(reason + ": " + message);
            }
        });
        told.keySet().stream()
                .filter(reason -> !now.containsKey(reason))
                .forEach(reason -> lines.add(reason + " is gone"));
        told = now;
        return lines;
    }
}
