package li.wlz.kuport.model;

import java.util.Comparator;
import java.util.List;

/**
 * Something wrong with a node as such, shown in its PortMapNode.
 *
 * @param message what is wrong and what to do about it, for a person
 * @param blockades what it keeps from passing; empty for most
 */
public record NodeProblem(NodeReason reason, String message, List<Blockade> blockades)
        implements Comparable<NodeProblem> {
    private static final Comparator<NodeProblem> ORDER =
            Comparator.comparing(NodeProblem::reason).thenComparing(NodeProblem::message);

    public NodeProblem {
        blockades = List.copyOf(blockades);
    }

    public NodeProblem(NodeReason reason, String message) {
        this(reason, message, List.of());
    }

    @Override
    public int compareTo(NodeProblem other) {
        return ORDER.compare(this, other);
    }
}
