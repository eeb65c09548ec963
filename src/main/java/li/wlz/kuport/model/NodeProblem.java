package li.wlz.kuport.model;

import java.util.Comparator;

/**
 * Something wrong with a node as such, shown in its PortMapNode.
 *
 * @param message what is wrong and what to do about it, for a person
 */
public record NodeProblem(NodeReason reason, String message) implements Comparable<NodeProblem> {
    private static final Comparator<NodeProblem> ORDER =
            Comparator.comparing(NodeProblem::reason).thenComparing(NodeProblem::message);

    @Override
    public int compareTo(NodeProblem other) {
        return ORDER.compare(this, other);
    }
}
