package li.wlz.kuport.datapath;

import java.util.List;
import java.util.SortedSet;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.MarkIndices;
import li.wlz.kuport.model.NodeProblem;

/**
 * What the kernel tells of earlier passes, for {@link li.wlz.kuport.model.NodeFacts}.
 *
 * @param indices the indices of marks that are taken or rest
 * @param opened what the table decides about, be it to refuse it
 * @param problems devices of others that are in the way of our link device
 */
public record Present(MarkIndices indices, SortedSet<Dialled> opened, List<NodeProblem> problems) {
    public Present {
        problems = List.copyOf(problems);
    }
}
