package li.wlz.kuport.plan;

import static li.wlz.kuport.model.Protocol.UDP;
import static li.wlz.kuport.plan.WorldBuilder.key;
import static li.wlz.kuport.plan.WorldBuilder.map;
import static li.wlz.kuport.plan.WorldBuilder.pod;
import static li.wlz.kuport.plan.WorldBuilder.portClass;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.ClassReport;
import li.wlz.kuport.model.Condition;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.LabelSelector;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.model.PortMapReport.ChosenEndpoint;
import li.wlz.kuport.model.PortMapReport.Published;
import li.wlz.kuport.model.ProgrammedReason;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import org.junit.jupiter.api.Test;

/** Conditions, rows, published addresses and who writes them. */
class ReportsTest {
    private static final IpAddress POD = AddressPlan.pod("home1", 10);

    private static PortMapReport report(WorldBuilder world, String node, FactsBuilder facts) {
        return Objects.requireNonNull(new Planner(Settings.defaults(node))
                .decide(world.build(), facts.build())
                .portMaps()
                .get(key("games/game")));
    }

    private static PortMapReport report(WorldBuilder world, String node) {
        return report(world, node, FactsBuilder.of(node));
    }

    private static Condition programmed(PortMapReport report) {
        return Objects.requireNonNull(report.condition(Condition.PROGRAMMED));
    }

    private static void assertProgrammed(PortMapReport report, ProgrammedReason reason, String... words) {
        Condition condition = programmed(report);
        assertThat(condition.reason()).as(condition.message()).isEqualTo(reason.name());
        assertThat(condition.status()).isEqualTo(reason == ProgrammedReason.AllNodesReady);
        for (String word : words) {
            assertThat(condition.message()).contains(word);
        }
    }

    private static WorldBuilder world() {
        return WorldBuilder.cluster()
                .portClass(portClass().node("edge-a", "enp1s0"))
                .game("game", 3000, "home1");
    }

    private static WorldBuilder.MapBuilder game() {
        return map("games/game").udp(3000).service("game", "game");
    }

    private static WorldBuilder withPodRow() {
        return world().portMap(game().readyRow("home1", NodeRow.Role.Endpoint, POD));
    }

    @Test
    void programmed_is_true_once_both_ends_say_so() {
        PortMapReport report = report(withPodRow(), "edge-a");
        assertProgrammed(report, ProgrammedReason.AllNodesReady, "edge-a", "pod game-0 on node home1");
        assertThat(report.ownRow()).isEqualTo(new NodeRow("edge-a", NodeRow.Role.Accepting, true, POD, 1, null, ""));
        assertThat(report.endpoint()).isEqualTo(new ChosenEndpoint("home1", "game-0", POD, null));
        assertThat(report.condition(Condition.ACCEPTED))
                .isEqualTo(new Condition("Accepted", true, "Valid", "PortMapClass public permits it"));
    }

    @Test
    void N7_the_pod_s_node_has_its_own_row() {
        assertThat(report(world(), "home1").ownRow())
                .isEqualTo(new NodeRow("home1", NodeRow.Role.Endpoint, true, POD, 1, null, ""));
        assertThat(report(world(), "home2").ownRow()).isNull();
    }

    @Test
    void N7_programmed_waits_for_the_pod_s_node() {
        assertProgrammed(report(world(), "edge-a"), ProgrammedReason.NodeNotReady, "home1");
    }

    @Test
    void N7_a_row_of_an_older_generation_or_endpoint_does_not_count() {
        WorldBuilder old = world().portMap(
                        game().readyRow("home1", NodeRow.Role.Endpoint, POD).generation(2));
        assertProgrammed(report(old, "edge-a"), ProgrammedReason.NodeNotReady, "home1");
        WorldBuilder moved =
                world().portMap(game().readyRow("home1", NodeRow.Role.Endpoint, AddressPlan.pod("home1", 99)));
        assertProgrammed(report(moved, "edge-a"), ProgrammedReason.NodeNotReady, "10.244.11.99");
    }

    @Test
    void the_reason_of_a_node_s_row_becomes_the_mapping_s() {
        WorldBuilder world = world().portMap(game().row(new NodeRow(
                "home1",
                NodeRow.Role.Endpoint,
                false,
                POD,
                1,
                ProgrammedReason.ForwardingBlocked,
                "chain FORWARD drops")));
        assertProgrammed(report(world, "edge-a"), ProgrammedReason.ForwardingBlocked, "home1", "chain FORWARD drops");
    }

    @Test
    void N7_a_dead_link_of_the_pod_s_node_is_said_though_packets_are_sent() {
        WorldBuilder world = withPodRow()
                .report(new NodeReport(
                        "home1",
                        false,
                        List.of(AddressPlan.MESH_HOME1),
                        1420,
                        1370,
                        4790,
                        4242,
                        Sorted.map(),
                        List.of()));
        assertProgrammed(report(world, "edge-a"), ProgrammedReason.ReturnPathUnavailable, "home1");
    }

    @Test
    void in_a_folder_the_own_row_decides() {
        assertProgrammed(report(world().folder(), "edge-a"), ProgrammedReason.AllNodesReady);
        assertProgrammed(
                report(world().folder(), "edge-a", FactsBuilder.of("edge-a").without("enp1s0")),
                ProgrammedReason.NoInterfaceOnNode,
                "enp1s0");
    }

    @Test
    void E3_without_an_endpoint_published_stays_and_programmed_says_why() {
        PortMapReport report = report(world().endpoints("games/game"), "edge-a");
        assertProgrammed(report, ProgrammedReason.NoReadyEndpoint, "games/game");
        assertThat(report.endpoint()).isNull();
        assertThat(report.published()).extracting(Published::node).containsExactly("edge-a");
    }

    @Test
    void E6_an_unsupported_endpoint_is_said() {
        WorldBuilder world =
                world().endpoints("games/game", pod("game-0", "home1").noPod().port("game", UDP, 3000));
        assertProgrammed(report(world, "edge-a"), ProgrammedReason.EndpointUnsupported, "no pod");
    }

    @Test
    void a_class_without_an_existing_node_is_said_by_the_first_healthy_node() {
        WorldBuilder world = world().portClass(portClass().node("elsewhere", "eth0"));
        PortMapReport report = report(world, "edge-a");
        assertProgrammed(report, ProgrammedReason.NoAcceptingNode, "public");
        assertThat(report.writer()).isTrue();
        assertThat(report(world, "home1").writer()).isFalse();
    }

    @Test
    void where_no_accepting_node_is_healthy_that_is_said_by_another() {
        WorldBuilder world = world().notReady("edge-a")
                .portMap(game().readyRow("edge-a", NodeRow.Role.Accepting, POD)
                        .readyRow("home1", NodeRow.Role.Endpoint, POD));
        PortMapReport report = report(world, "edge-b");
        assertProgrammed(report, ProgrammedReason.NodeNotReady, "edge-a is not Ready");
        assertThat(report.writer()).isTrue();
        assertThat(report(world, "edge-a").writer()).isFalse();
    }

    @Test
    void a_node_that_cannot_use_nftables_says_so_in_its_row() {
        FactsBuilder denied = FactsBuilder.of("edge-a")
                .problem(new NodeProblem(NodeReason.PermissionMissing, "NET_ADMIN is missing"));
        NodeRow row =
                Objects.requireNonNull(report(withPodRow(), "edge-a", denied).ownRow());
        assertThat(row.ready()).isFalse();
        assertThat(row.message()).isEqualTo("NET_ADMIN is missing");
    }

    // Who writes, and what goes away.

    @Test
    void one_node_alone_writes_each_status() {
        for (String node : List.of("edge-a", "edge-b", "home1", "home2")) {
            assertThat(report(world(), node).writer()).isEqualTo(node.equals("edge-a"));
        }
        WorldBuilder multi =
                world().portClass(portClass().multi().node("edge-b", "enp1s0").node("home1", "enp0s3"));
        assertThat(report(multi, "edge-b").writer()).isTrue();
        assertThat(report(multi, "home1").writer()).isFalse();
    }

    @Test
    void rows_of_nodes_without_a_part_are_to_be_removed() {
        WorldBuilder world = world().portMap(game().readyRow("home1", NodeRow.Role.Endpoint, POD)
                .readyRow("home2", NodeRow.Role.Endpoint, POD)
                .readyRow("edge-a", NodeRow.Role.Accepting, POD));
        assertThat(report(world, "edge-a").obsoleteRows()).containsExactly("home2");
        world.endpoints("games/game", pod("game-0", "edge-a").port("game", UDP, 3000));
        assertThat(report(world, "edge-a").obsoleteRows()).containsExactly("home1", "home2");
    }

    @Test
    void P2_a_mapping_that_is_not_accepted_keeps_no_programmed_no_endpoint_and_no_rows() {
        WorldBuilder world = world().portMap(map("games/game")
                .tcp(22)
                .currently("home1", "game-0")
                .servedBy("edge-a")
                .readyRow("home1", NodeRow.Role.Endpoint, POD));
        PortMapReport report = report(world, "edge-a");
        assertThat(report.conditions()).extracting(Condition::type).containsExactly(Condition.ACCEPTED);
        assertThat(report.condition(Condition.ACCEPTED))
                .extracting(Condition::status, Condition::reason)
                .containsExactly(false, "PortReserved");
        assertThat(report.endpoint()).isNull();
        assertThat(report.published()).isEmpty();
        assertThat(report.ownRow()).isNull();
        assertThat(report.obsoleteRows()).containsExactly("home1");
        assertThat(report.writer()).isTrue();
    }

    @Test
    void what_intake_refuses_gets_its_status_too() {
        WorldBuilder world = WorldBuilder.cluster()
                .refusal("games/game", AcceptedReason.InvalidPortRange, "endPort 2 is below port 3");
        PortMapReport report = report(world, "edge-a");
        assertThat(report.condition(Condition.ACCEPTED))
                .isEqualTo(new Condition("Accepted", false, "InvalidPortRange", "endPort 2 is below port 3"));
        assertThat(report.writer()).isTrue();
    }

    // Published addresses.

    @Test
    void published_are_the_first_addresses_of_each_interface_in_the_families_of_the_pod() {
        assertThat(report(world(), "edge-a").published())
                .containsExactly(new Published("edge-a", "enp1s0", AddressPlan.EDGE_A, null));
        WorldBuilder dual = world().endpoints(
                        "games/game", pod("game-0", "home1").dualStack().port("game", UDP, 3000));
        assertThat(report(dual, "edge-a").published())
                .containsExactly(new Published("edge-a", "enp1s0", AddressPlan.EDGE_A, AddressPlan.EDGE_A6));
    }

    @Test
    void D1_the_own_addresses_are_published_as_they_are_now_and_others_as_reported() {
        WorldBuilder multi =
                world().portClass(portClass().multi().node("edge-a", "enp1s0").node("edge-b", "enp1s0"));
        FactsBuilder moved = FactsBuilder.of("edge-a").iface("enp1s0", 1500, "203.0.113.55/24");
        assertThat(report(multi, "edge-a", moved).published())
                .containsExactly(
                        new Published("edge-a", "enp1s0", IpAddress.parse("203.0.113.55"), null),
                        new Published("edge-b", "enp1s0", AddressPlan.EDGE_B, null));
    }

    @Test
    void D3_the_external_address_is_published_instead_of_the_local_one() {
        IpAddress local = IpAddress.parse("192.168.7.2");
        WorldBuilder world = world().portClass(portClass()
                .node(
                        "edge-a",
                        new PortClass.NodeOffer(
                                List.of("enp1s0"), List.of(), Sorted.copyOf(Map.of(local, AddressPlan.EDGE_A)))));
        FactsBuilder edge = FactsBuilder.of("edge-a").iface("enp1s0", 1500, "192.168.7.2/24");
        assertThat(report(world, "edge-a", edge).published())
                .containsExactly(new Published("edge-a", "enp1s0", AddressPlan.EDGE_A, null));
    }

    @Test
    void listed_addresses_are_published_by_the_interface_that_holds_them() {
        WorldBuilder world =
                world().portClass(portClass().listed("edge-a", AddressPlan.EDGE_A, AddressPlan.EDGE_A_OTHER_UPLINK));
        assertThat(report(world, "edge-a").published())
                .containsExactly(
                        new Published("edge-a", "", AddressPlan.EDGE_A_OTHER_UPLINK, null),
                        new Published("edge-a", "enp1s0", AddressPlan.EDGE_A, null));
    }

    // Classes.

    private static ClassReport classReport(WorldBuilder world, String node) {
        return Objects.requireNonNull(new Planner(Settings.defaults(node))
                .decide(world.build(), FactsBuilder.of(node).build())
                .classes()
                .get("public"));
    }

    @Test
    void a_class_says_what_each_node_offers() {
        WorldBuilder world = WorldBuilder.cluster()
                .portClass(portClass()
                        .node("edge-a", "enp1s0", "wt0")
                        .node("nowhere", "eth0")
                        .vxlan(4243, 0));
        ClassReport report = classReport(world, "edge-a");
        assertThat(report.writer()).isTrue();
        assertThat(classReport(world, "home1").writer()).isFalse();
        assertThat(report.ready().status()).isTrue();
        assertThat(report.ready().reason()).isEqualTo("Valid");
        assertThat(report.ready().message())
                .contains(
                        "edge-a: enp1s0, wt0 (not on the node)",
                        "nowhere: there is no Node of that name",
                        "LinkSettingsDiffer",
                        "4243");
    }

    @Test
    void a_class_without_accepting_node_or_with_a_wrong_selector_is_not_ready() {
        ClassReport none = classReport(WorldBuilder.cluster().portClass(portClass()), "edge-a");
        assertThat(none.ready())
                .extracting(Condition::status, Condition::reason)
                .containsExactly(false, "NoAcceptingNode");
        assertThat(none.writer()).isTrue();
        LabelSelector wrong = new LabelSelector(
                Map.of(), List.of(new LabelSelector.Expression("role", LabelSelector.Operator.Exists, List.of("x"))));
        ClassReport selector =
                classReport(WorldBuilder.cluster().portClass(portClass().selecting(wrong, "enp1s0")), "edge-a");
        assertThat(selector.ready())
                .extracting(Condition::status, Condition::reason)
                .containsExactly(false, "InvalidSelector");
        assertThat(selector.ready().message()).contains("spec.nodeSelector", "Exists on role");
    }
}
