package li.wlz.kuport.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import li.wlz.kuport.inspect.AssumedFacts;
import li.wlz.kuport.intake.Intake;
import li.wlz.kuport.manifest.ManifestSource;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.netlink.Flow;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.netlink.RoutingState;
import li.wlz.kuport.nft.ForeignRuleset;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.reconcile.spi.NodeException;
import li.wlz.kuport.reconcile.spi.Reporter.Outcome;
import li.wlz.kuport.reconcile.spi.Source;
import li.wlz.kuport.xtables.State;
import org.junit.jupiter.api.Test;

/** The order of a pass, with a kernel that only takes notes. */
class PassTest {
    private static final Path STORY = Path.of("src/test/resources/stories/game-server/manifests");

    /** A client's flow to the mapping's port that nothing has translated. */
    private static final Flow EARLY = flow(1, 3000);

    private static final Flow BYSTANDER = flow(2, 9999);

    private final Notes node = new Notes();
    private final List<Outcome> outcomes = new ArrayList<>();
    private Optional<Source.Snapshot> snapshot = Optional.of(ManifestSource.read(STORY));
    private final Pass pass = new Pass(Settings.defaults("edge"), new Fixed(), node, List.of(outcomes::add));

    @Test
    void B5_nothing_is_read_or_changed_before_everything_wanted_is_known() {
        snapshot = Optional.empty();
        assertThat(pass.pass(true)).isTrue();
        assertThat(node.calls).isEmpty();
        assertThat(outcomes).isEmpty();
    }

    @Test
    void U3_flows_are_touched_only_once_the_rules_are_in_force_and_then_looked_at_again() {
        node.flows = new ArrayList<>(List.of(EARLY, BYSTANDER));
        assertThat(pass.pass(true)).isTrue();
        assertThat(node.calls).containsExactly("distrust", "observe", "send", "run", "flows", "forget [1]", "flows");
    }

    @Test
    void U4_a_plan_that_is_in_force_touches_no_flow() {
        node.linkless = true;
        pass.pass(true);
        node.calls.clear();
        node.flows = new ArrayList<>(List.of(EARLY));
        assertThat(pass.pass(false)).isTrue();
        assertThat(node.calls).containsExactly("observe");
    }

    @Test
    void a_refused_request_keeps_neither_the_ruleset_nor_the_report_back() {
        node.refuseRequests = true;
        assertThat(pass.pass(true)).isFalse();
        assertThat(node.calls).contains("send", "run");
        Outcome outcome = outcomes.getLast();
        assertThat(outcome.failures()).containsExactly("no such luck");
        assertThat(outcome.decision().report().problems())
                .anySatisfy(problem -> assertThat(problem.reason()).isEqualTo(NodeReason.VxlanUnavailable));
    }

    @Test
    void a_refused_ruleset_is_told_and_tried_again() {
        node.refuseScripts = true;
        assertThat(pass.pass(true)).isFalse();
        assertThat(outcomes.getLast().decision().report().problems())
                .anySatisfy(problem -> assertThat(problem.reason()).isEqualTo(NodeReason.NftablesUnavailable));
        node.refuseScripts = false;
        assertThat(pass.pass(true)).isTrue();
        assertThat(outcomes.getLast().failures()).isEmpty();
    }

    @Test
    void a_node_that_cannot_be_read_is_tried_again_and_nothing_is_changed_meanwhile() {
        node.unreadable = true;
        assertThat(pass.pass(true)).isFalse();
        assertThat(node.calls).containsExactly("distrust", "observe");
    }

    @Test
    void passes_are_counted() {
        pass.pass(true);
        pass.pass(true);
        assertThat(outcomes).extracting(Outcome::pass).containsExactly(1L, 2L);
    }

    private static Flow flow(int id, int port) {
        IpAddress client = IpAddress.parse("198.51.100.7");
        IpAddress dialled = IpAddress.parse("203.0.113.9");
        return new Flow(
                17,
                new Flow.Tuple(client, dialled, 40000, port),
                new Flow.Tuple(dialled, client, port, 40000),
                0,
                0,
                id);
    }

    private final class Fixed implements Source {
        @Override
        public void start(Runnable dirty) {
            throw new AssertionError("a pass starts nothing");
        }

        @Override
        public Optional<Snapshot> latest() {
            return snapshot;
        }

        @Override
        public void close() {
            throw new AssertionError("a pass closes nothing");
        }
    }

    /** Has what the story's objects say, keeps the ruleset that it was given, and writes down what was asked of it. */
    private static final class Notes implements Node {
        private final List<String> calls = new ArrayList<>();
        private final NodeFacts facts = AssumedFacts.of(
                new Intake(null)
                        .read(ManifestSource.read(STORY).resources(), false)
                        .world(),
                "edge");
        private List<Flow> flows = new ArrayList<>();
        private Listing table = Listing.NOTHING;
        private boolean refuseRequests;
        private boolean refuseScripts;
        private boolean unreadable;
        private boolean linkless;

        @Override
        public void start(Runnable dirty) {
            throw new AssertionError("a pass starts nothing");
        }

        @Override
        public Observation observe() {
            calls.add("observe");
            if (unreadable) {
                throw new NodeException("no reading today");
            }
            return new Observation(
                    linkless ? withoutMesh() : facts,
                    table,
                    ForeignRuleset.NONE,
                    RoutingState.NOTHING,
                    State.NOTHING,
                    Sorted.set());
        }

        /** Without a mesh there is no link, so that rtnetlink is asked for nothing. */
        private NodeFacts withoutMesh() {
            return new NodeFacts(
                    facts.interfaces().stream()
                            .filter(device -> device.name().equals("eth0"))
                            .toList(),
                    facts.routes(),
                    facts.listeners(),
                    facts.indices(),
                    facts.opened(),
                    facts.sysctls(),
                    facts.problems());
        }

        @Override
        public void distrust() {
            calls.add("distrust");
        }

        @Override
        public void send(List<Request> requests) {
            calls.add("send");
            if (refuseRequests) {
                throw new NodeException("no such luck");
            }
        }

        @Override
        public void run(String script, Listing after) {
            calls.add("run");
            if (refuseScripts) {
                throw new NodeException("no such luck");
            }
            table = after;
        }

        @Override
        public List<Flow> flows() {
            calls.add("flows");
            return List.copyOf(flows);
        }

        @Override
        public void forget(List<Flow> some) {
            calls.add("forget " + some.stream().map(Flow::id).toList());
            flows.removeAll(some);
        }

        @Override
        public void close() {
            throw new AssertionError("a pass closes nothing");
        }
    }
}
