package li.wlz.kuport.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import li.wlz.kuport.inspect.AssumedFacts;
import li.wlz.kuport.intake.Intake;
import li.wlz.kuport.manifest.ManifestSource;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.InterfaceRoute;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.NetworkInterface;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.netlink.Flow;
import li.wlz.kuport.netlink.PrecedingRules;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.netlink.Route;
import li.wlz.kuport.netlink.RoutingState;
import li.wlz.kuport.nft.ForeignRuleset;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.reconcile.spi.NodeException;
import li.wlz.kuport.reconcile.spi.NodeException.Refusal;
import li.wlz.kuport.reconcile.spi.Reporter.Outcome;
import li.wlz.kuport.reconcile.spi.Source;
import li.wlz.kuport.xtables.State;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The order of a pass, with a kernel that only takes notes. */
class PassTest {
    private static final Path STORY = Path.of("src/test/resources/stories/game-server/manifests");

    /** A client's flow to the mapping's port that nothing has translated. */
    private static final Flow EARLY = flow(1, 3000);

    private static final Flow BYSTANDER = flow(2, 9999);

    /** A route of ours that nothing leads to any more. */
    private static final Route STALE = new Route(
            0x6b700080,
            Route.Type.UNREACHABLE,
            Cidr.parse("0.0.0.0/0"),
            null,
            null,
            false,
            0,
            Ours.ROUTE_PROTOCOL,
            0,
            null);

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
    void any_number_of_flows_is_put_right_without_holding_them_all_at_once() {
        node.flows = new ArrayList<>(
                IntStream.rangeClosed(1, 25_000).mapToObj(id -> flow(id, 3000)).toList());
        node.flows.add(BYSTANDER);
        assertThat(pass.pass(true)).isTrue();
        assertThat(node.flows).containsExactly(BYSTANDER);
        assertThat(node.mostForgotten).isEqualTo(Node.FORGOTTEN_AT_ONCE);
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

    private static NodeReason reason(Outcome outcome) {
        assertThat(outcome.failures()).hasSize(1);
        return outcome.decision().report().problems().stream()
                .filter(problem -> outcome.failures().contains(problem.message()))
                .map(NodeProblem::reason)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_refused_link_keeps_neither_the_ruleset_nor_the_report_back() {
        node.refused = request -> request instanceof Request.CreateVxlan;
        assertThat(pass.pass(true)).isFalse();
        assertThat(node.calls).contains("send", "run");
        Outcome outcome = outcomes.getLast();
        assertThat(outcome.failures()).containsExactly("the kernel refused: no CreateVxlan");
        assertThat(reason(outcome)).isEqualTo(NodeReason.VxlanUnavailable);
        assertThat(outcome.decision().report().linkUp()).isFalse();
        assertThat(outcome.decision().node().link()).as("what the pass did").isNotNull();
    }

    @Test
    void what_is_refused_of_an_uplink_s_way_back_says_nothing_of_the_link() {
        node.routes = List.of(
                new InterfaceRoute("eth0", Cidr.parse("0.0.0.0/0"), IpAddress.parse("203.0.113.1"), false, 0, null));
        node.refused = request -> request instanceof Request.AddRule
                || (request instanceof Request.AddRoute(Route route) && "eth0".equals(route.device()));
        assertThat(pass.pass(true)).isFalse();
        Outcome outcome = outcomes.getLast();
        assertThat(outcome.failures()).singleElement().asString().contains("no AddRoute", "no AddRule");
        assertThat(reason(outcome)).isEqualTo(NodeReason.RoutingUnavailable);
        assertThat(outcome.decision().report().linkUp()).isTrue();
        assertThat(outcome.decision().portMaps().values())
                .flatExtracting(PortMapReport::conditions)
                .noneMatch(condition -> condition.reason().equals("ReturnPathUnavailable"));
    }

    @Test
    void what_is_refused_for_want_of_a_privilege_is_called_that_whatever_it_is() {
        node.forbids = true;
        node.refused = request -> request instanceof Request.CreateVxlan || request instanceof Request.AddRule;
        assertThat(pass.pass(true)).isFalse();
        assertThat(reason(outcomes.getLast())).isEqualTo(NodeReason.PermissionMissing);
    }

    @ParameterizedTest
    @CsvSource({"false, NftablesUnavailable", "true, PermissionMissing"})
    void what_is_refused_of_connection_tracking_is_a_missing_privilege_only_if_the_kernel_says_so(
            boolean forbidden, NodeReason reason) {
        node.forbids = forbidden;
        node.refuseFlows = true;
        assertThat(pass.pass(true)).isFalse();
        assertThat(reason(outcomes.getLast())).isEqualTo(reason);
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
    void while_a_ruleset_is_refused_nothing_that_the_old_one_uses_is_removed_and_no_flow_touched() {
        pass.pass(true);
        node.calls.clear();
        node.routing = new RoutingState(
                List.of(), Sorted.set(), Sorted.set(), Sorted.set(), new TreeSet<>(List.of(STALE)), Sorted.set());
        node.table = Listing.NOTHING;
        node.flows = new ArrayList<>(List.of(EARLY));
        node.refuseScripts = true;
        assertThat(pass.pass(true)).isFalse();
        assertThat(pass.pass(true)).isFalse();
        assertThat(node.calls)
                .containsExactly("distrust", "observe", "send", "run", "distrust", "observe", "send", "run");
        assertThat(node.sent).doesNotContain(new Request.DeleteRoute(STALE));
        node.refuseScripts = false;
        assertThat(pass.pass(true)).isTrue();
        assertThat(node.sent).contains(new Request.DeleteRoute(STALE));
        assertThat(node.calls).contains("forget [1]");
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
        private List<InterfaceRoute> routes = facts.routes();
        private List<Flow> flows = new ArrayList<>();
        private Listing table = Listing.NOTHING;
        private RoutingState routing = RoutingState.NOTHING;
        private final List<Request> sent = new ArrayList<>();
        private int mostForgotten;
        private Predicate<Request> refused = request -> false;
        private boolean forbids;
        private boolean refuseFlows;
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
                    linkless ? withoutMesh() : withRoutes(facts.interfaces()),
                    table,
                    ForeignRuleset.NONE,
                    PrecedingRules.NONE,
                    routing,
                    State.NOTHING,
                    Sorted.set());
        }

        /** Without a mesh there is no link, so that rtnetlink is asked for nothing. */
        private NodeFacts withoutMesh() {
            return withRoutes(facts.interfaces().stream()
                    .filter(device -> device.name().equals("eth0"))
                    .toList());
        }

        private NodeFacts withRoutes(List<NetworkInterface> interfaces) {
            return new NodeFacts(
                    interfaces,
                    routes,
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
            sent.addAll(requests);
            List<Refusal> refusals = requests.stream()
                    .filter(refused)
                    .map(request -> new Refusal(
                            request, forbids, "no " + request.getClass().getSimpleName()))
                    .toList();
            if (!refusals.isEmpty()) {
                throw new NodeException(refusals);
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
        public FoundFlows flows(Predicate<Flow> wanted, int most) {
            calls.add("flows");
            if (refuseFlows) {
                throw new NodeException("no flows today", forbids, null);
            }
            List<Flow> found = flows.stream().filter(wanted).toList();
            return new FoundFlows(found.stream().limit(most).toList(), found.size());
        }

        @Override
        public void forget(List<Flow> some) {
            calls.add("forget " + some.stream().map(Flow::id).toList());
            mostForgotten = Math.max(mostForgotten, some.size());
            flows.removeAll(Set.copyOf(some));
        }

        @Override
        public void close() {
            throw new AssertionError("a pass closes nothing");
        }
    }
}
