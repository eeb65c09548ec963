package li.wlz.kuport.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import org.junit.jupiter.api.Test;

class ProblemLogTest {
    private final ProblemLog log = new ProblemLog();

    private static NodeProblem problem(NodeReason reason, String message) {
        return new NodeProblem(reason, message);
    }

    @Test
    void a_problem_is_told_when_it_comes_when_it_changes_and_when_it_goes_and_never_again_in_between() {
        NodeProblem left = problem(NodeReason.RulesLeft, "in iptables-legacy");
        NodeProblem foreign = problem(NodeReason.ForeignController, "rules");
        assertThat(log.lines(List.of())).isEmpty();
        assertThat(log.lines(List.of(left))).containsExactly("RulesLeft: in iptables-legacy");
        assertThat(log.lines(List.of(left))).isEmpty();
        assertThat(log.lines(List.of(foreign, left))).containsExactly("ForeignController: rules");
        assertThat(log.lines(List.of(problem(NodeReason.ForeignController, "it runs"), left)))
                .containsExactly("ForeignController: it runs");
        assertThat(log.lines(List.of(left))).containsExactly("ForeignController is gone");
        assertThat(log.lines(List.of())).containsExactly("RulesLeft is gone");
    }

    @Test
    void several_problems_of_one_reason_are_told_in_one_line() {
        assertThat(log.lines(List.of(problem(NodeReason.RulesLeft, "here"), problem(NodeReason.RulesLeft, "there"))))
                .containsExactly("RulesLeft: here; there");
    }
}
