package li.wlz.kuport.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import li.wlz.kuport.model.Blockade;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.InterfaceRoute;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MarkIndices;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.Sysctls;
import li.wlz.kuport.netlink.PolicyRule;
import li.wlz.kuport.netlink.PolicyRule.Action;
import li.wlz.kuport.netlink.PrecedingRules;
import li.wlz.kuport.netlink.Route;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whose rule takes mapped packets another way, on a node with one uplink and one peer. */
class PrecedenceTest {
    private static final int VPN = 51820;
    private static final Route EVERYTHING = route("0.0.0.0/0", Route.Type.UNICAST, "wg0");

    private final List<PolicyRule> first = new ArrayList<>();
    private final List<PolicyRule> then = new ArrayList<>();
    private final List<Route> routes = new ArrayList<>(List.of(EVERYTHING));
    private NodePlan plan = Plans.full();

    private static Route route(String destination, Route.Type type, @Nullable String device) {
        return new Route(VPN, type, Cidr.parse(destination), device, null, false, 0, 3, 0, null);
    }

    private static PolicyRule rule(boolean inverted, int mark, int mask, int suppressed) {
        return rule(inverted, null, null, mark, mask, false, suppressed);
    }

    private static PolicyRule rule(
            boolean inverted,
            @Nullable String source,
            @Nullable String in,
            int mark,
            int mask,
            boolean asksMore,
            int suppressed) {
        return new PolicyRule(
                IpFamily.IPV4,
                7,
                inverted,
                source == null ? null : Cidr.parse(source),
                null,
                in,
                null,
                mark,
                mask,
                asksMore,
                Action.LOOKUP,
                VPN,
                suppressed);
    }

    private static PolicyRule deciding(Action action, int priority, int target) {
        return new PolicyRule(IpFamily.IPV4, priority, false, null, null, null, null, 0, 0, false, action, target, -1);
    }

    private SortedSet<NodeProblem> found() {
        NodeFacts facts = new NodeFacts(
                List.of(),
                List.of(new InterfaceRoute("cni0", Cidr.parse("10.244.0.0/24"), null, false, 0, null)),
                List.of(),
                MarkIndices.NONE,
                Sorted.set(),
                new Sysctls(true, true, true, 0, new PortRange(32768, 60999)),
                List.of());
        return Precedence.of(MarkSpace.DEFAULT, plan, facts, new PrecedingRules(first, then, routes));
    }

    private void assertTaken() {
        assertThat(found()).isNotEmpty().allSatisfy(problem -> {
            assertThat(problem.reason()).isEqualTo(NodeReason.RulePrecedence);
            assertThat(problem.message()).contains("IPV4", "7: ");
            assertThat(problem.blockades()).isNotEmpty().allMatch(blockade -> blockade.family() == IpFamily.IPV4);
        });
    }

    @Test
    void a_catch_all_takes_replies_on_every_passage() {
        first.add(rule(false, 0, 0, -1));
        assertTaken();
        assertThat(found().stream().flatMap(problem -> problem.blockades().stream()))
                .extracting(Blockade::stretch)
                .containsExactlyInAnyOrder(Blockade.Stretch.values());
    }

    @Test
    void a_rule_for_all_marks_but_its_own_takes_ours() {
        first.add(rule(true, 0xca6c, -1, -1));
        assertTaken();
    }

    @Test
    void a_mark_that_cannot_be_ours_or_of_which_others_bits_decide_is_left_alone() {
        first.add(rule(false, 0x1, -1, -1));
        first.add(rule(false, 0x4000, 0x4000, -1));
        first.add(rule(false, 0x6b700081, -1, -1));
        first.add(rule(true, 0x4000, 0x4000, -1));
        assertThat(found()).isEmpty();
    }

    @Test
    void a_rule_that_asks_for_more_than_is_known_is_left_alone() {
        first.add(rule(false, null, null, 0, 0, true, -1));
        assertThat(found()).isEmpty();
    }

    @Test
    void a_rule_about_other_interfaces_or_senders_is_left_alone() {
        first.add(rule(false, null, "eth7", 0, 0, false, -1));
        first.add(rule(false, "10.9.0.0/16", null, 0, 0, false, -1));
        assertThat(found()).isEmpty();
    }

    @Test
    void a_rule_about_the_pods_takes_what_they_send() {
        first.add(rule(false, "10.244.0.0/24", null, 0, 0, false, -1));
        assertTaken();
    }

    @Test
    void a_default_route_that_does_not_count_takes_nobody_but_halves_of_the_space_do() {
        first.add(rule(false, 0, 0, 0));
        assertThat(found()).isEmpty();
        routes.add(route("128.0.0.0/1", Route.Type.UNICAST, "wg0"));
        assertTaken();
    }

    @Test
    void a_table_without_a_way_or_with_one_to_some_destinations_takes_nobody() {
        first.add(rule(false, 0, 0, -1));
        routes.set(0, route("198.51.100.0/24", Route.Type.UNICAST, "wg0"));
        assertThat(found()).isEmpty();
        routes.set(0, route("0.0.0.0/0", Route.Type.THROW, null));
        assertThat(found()).isEmpty();
    }

    @Test
    void a_table_that_leads_where_ours_does_takes_nobody() {
        plan = new NodePlan(
                null,
                Sorted.map(),
                Sorted.copyOf(Map.of("eth0", Plans.UPLINK)),
                plan.accept(),
                Sorted.map(),
                Sorted.map(),
                plan.pods(),
                plan.egress());
        first.add(rule(false, null, "cni0", 0, 0, false, -1));
        assertTaken();
        routes.set(0, route("0.0.0.0/0", Route.Type.UNICAST, "eth0"));
        assertThat(found()).isEmpty();
    }

    @Test
    void what_refuses_takes_everybody_and_what_is_jumped_over_nobody() {
        first.add(deciding(Action.BLACKHOLE, 7, 0));
        assertTaken();
        first.addFirst(deciding(Action.GOTO, 6, 90));
        assertThat(found()).isEmpty();
    }

    @Test
    void behind_ours_a_rule_can_only_take_requests() {
        then.add(rule(false, "10.244.0.0/24", null, 0, 0, false, -1));
        assertThat(found()).isEmpty();
        then.set(0, rule(false, null, "eth0", 0, 0, false, -1));
        assertTaken();
        assertThat(found())
                .allSatisfy(problem -> assertThat(problem.message())
                        .contains("requests", "ip rule add lookup main suppress_prefixlength 0 preference 6"));
    }

    @Test
    void an_uplink_without_a_default_route_has_clients_of_its_own() {
        plan = new NodePlan(
                null,
                Sorted.map(),
                Sorted.copyOf(Map.of(
                        "eth0", new NodePlan.Uplink(0x81, Sorted.copyOf(List.of(Plans.route("100.64.0.0/10", null)))))),
                plan.accept(),
                Sorted.map(),
                Sorted.map(),
                plan.pods(),
                plan.egress());
        routes.set(0, route("0.0.0.0/1", Route.Type.UNICAST, "wg0"));
        first.add(rule(false, 0, 0, -1));
        assertTaken();
    }
}
