package li.wlz.kuport.observe;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.TreeMap;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.reconcile.spi.Reporter.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class NodeLogTest {
    private static final NodeProblem FOREIGN =
            new NodeProblem(NodeReason.ForeignController, "the pod NAT controller left PODNAT_PRE");
    private static final NodeProblem NO_FORWARDING4 =
            new NodeProblem(NodeReason.ForwardingDisabled, "set net.ipv4.ip_forward to 1");
    private static final NodeProblem NO_FORWARDING6 =
            new NodeProblem(NodeReason.ForwardingDisabled, "set net.ipv6.conf.all.forwarding to 1");

    private final Logger logger = (Logger) LoggerFactory.getLogger(NodeLog.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final NodeLog log = new NodeLog();

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(lines);
        logger.setLevel(null);
    }

    private List<String> told(NodeProblem... problems) {
        lines.list.clear();
        NodeReport node = new NodeReport("edge", true, List.of(), 0, 0, 4790, 4242, new TreeMap<>(), List.of(problems));
        log.report(new Outcome(
                1, new Decision(NodePlan.EMPTY, node, new TreeMap<>(), new TreeMap<>()), List.of(), List.of()));
        return lines.list.stream()
                .map(line -> line.getLevel() + " " + line.getFormattedMessage())
                .toList();
    }

    @Test
    void a_problem_is_told_when_it_appears_and_when_it_is_gone_and_not_at_each_pass() {
        assertThat(told()).isEmpty();
        assertThat(told(FOREIGN))
                .containsExactly("WARN Node edge ForeignController: the pod NAT controller left PODNAT_PRE");
        assertThat(told(FOREIGN)).isEmpty();
        assertThat(told())
                .containsExactly("INFO mended: Node edge ForeignController: the pod NAT controller left PODNAT_PRE");
        assertThat(told()).isEmpty();
    }

    @Test
    void two_problems_of_one_reason_are_two() {
        assertThat(told(NO_FORWARDING4, NO_FORWARDING6))
                .containsExactly(
                        "WARN Node edge ForwardingDisabled: set net.ipv4.ip_forward to 1",
                        "WARN Node edge ForwardingDisabled: set net.ipv6.conf.all.forwarding to 1");
        assertThat(told(NO_FORWARDING6))
                .containsExactly("INFO mended: Node edge ForwardingDisabled: set net.ipv4.ip_forward to 1");
    }
}
