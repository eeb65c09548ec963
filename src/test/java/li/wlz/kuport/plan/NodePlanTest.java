package li.wlz.kuport.plan;

import static li.wlz.kuport.model.Protocol.TCP;
import static li.wlz.kuport.model.Protocol.UDP;
import static li.wlz.kuport.plan.WorldBuilder.map;
import static li.wlz.kuport.plan.WorldBuilder.pod;
import static li.wlz.kuport.plan.WorldBuilder.portClass;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.InterfaceAddress;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.ProgrammedReason;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.Target;
import li.wlz.kuport.model.World.ServicePort;
import li.wlz.kuport.plan.WorldBuilder.PodBuilder;
import org.junit.jupiter.api.Test;

/** What one node accepts, delivers and translates for its own clients. */
class NodePlanTest {
    private static final LinkAddresses LINKS =
            new LinkAddresses(Settings.DEFAULT_LINK_RANGE4, Settings.DEFAULT_LINK_RANGE6);

    private static NodePlan plan(WorldBuilder world, String node) {
        return plan(world, node, FactsBuilder.of(node));
    }

    private static NodePlan plan(WorldBuilder world, String node, FactsBuilder facts) {
        return new Planner(Settings.defaults(node))
                .decide(world.build(), facts.build())
                .node();
    }

    private static NodeRow row(WorldBuilder world, String node, FactsBuilder facts) {
        return Objects.requireNonNull(new Planner(Settings.defaults(node))
                .decide(world.build(), facts.build())
                .portMaps()
                .values()
                .iterator()
                .next()
                .ownRow());
    }

    private static void assertRow(
            WorldBuilder world, String node, FactsBuilder facts, ProgrammedReason reason, String... words) {
        NodeRow row = row(world, node, facts);
        assertThat(row.ready()).isFalse();
        assertThat(row.reason()).as(row.message()).isEqualTo(reason);
        assertThat(row.message()).contains(words);
    }

    private static Dialled dialled(IpAddress address, Protocol protocol, String ports) {
        return new Dialled(address, protocol, PortRange.parse(ports));
    }

    private static Dialled udp(IpAddress address) {
        return dialled(address, UDP, "3000");
    }

    private static Target target(IpAddress address, String ports) {
        return new Target(address, PortRange.parse(ports));
    }

    private static Delivery to(IpAddress address) {
        return Delivery.to(target(address, "3000"));
    }

    private static PodBuilder game(String name, String node) {
        return pod(name, node).port("game", UDP, 3000);
    }

    private static IpAddress link(String from, String to, String entryPoint) {
        return LINKS.towards(IpFamily.IPV4, from, to, entryPoint);
    }

    private static IpAddress link6(String from, String to, String entryPoint) {
        return LINKS.towards(IpFamily.IPV6, from, to, entryPoint);
    }

    /** edge-a accepts on enp1s0; the game runs on home1, IPv4 only. */
    private static WorldBuilder world() {
        return WorldBuilder.cluster()
                .portClass(portClass().node("edge-a", "enp1s0"))
                .game("game", 3000, "home1");
    }

    @Test
    void S1_the_accepting_node_sends_to_the_link_address_of_entry_point_and_pod_s_node_with_the_port_as_dialled() {
        WorldBuilder world =
                world().endpoints("games/game", pod("game-0", "home1").port("game", UDP, 9999));
        NodePlan plan = plan(world, "edge-a");
        assertThat(plan.accept())
                .isEqualTo(Map.of(
                        udp(AddressPlan.EDGE_A), to(link("edge-a", "home1", "enp1s0")),
                        udp(AddressPlan.EDGE_A6), Delivery.refuse()));
        assertThat(plan.deliver()).isEmpty();
        assertThat(plan.own()).isEmpty();
        assertThat(plan.pods()).isEmpty();
    }

    @Test
    void S1_the_pod_s_node_takes_what_comes_to_that_link_address_and_writes_the_pod_s_port() {
        WorldBuilder world =
                world().endpoints("games/game", pod("game-0", "home1").port("game", UDP, 9999));
        NodePlan plan = plan(world, "home1");
        IpAddress pod = AddressPlan.pod("home1", 10);
        assertThat(plan.accept()).isEmpty();
        assertThat(plan.deliver())
                .isEqualTo(Map.of(udp(link("edge-a", "home1", "enp1s0")), Delivery.to(target(pod, "9999"))));
        assertThat(plan.pods()).containsExactly(pod);
    }

    @Test
    void S1_a_pod_on_the_accepting_node_is_the_target_itself() {
        WorldBuilder world = world().endpoints(
                        "games/game", pod("game-0", "edge-a").dualStack().port("game", UDP, 9999));
        NodePlan plan = plan(world, "edge-a");
        assertThat(plan.accept())
                .isEqualTo(Map.of(
                        udp(AddressPlan.EDGE_A), Delivery.to(target(AddressPlan.pod("edge-a", 10), "9999")),
                        udp(AddressPlan.EDGE_A6), Delivery.to(target(AddressPlan.pod6("edge-a", 10), "9999"))));
        assertThat(plan.pods()).containsExactly(AddressPlan.pod("edge-a", 10), AddressPlan.pod6("edge-a", 10));
    }

    @Test
    void both_families_cross_the_link_each_by_its_own_link_address() {
        WorldBuilder world =
                world().endpoints("games/game", game("game-0", "home1").dualStack());
        assertThat(plan(world, "edge-a").accept())
                .containsEntry(udp(AddressPlan.EDGE_A6), to(link6("edge-a", "home1", "enp1s0")));
        assertThat(plan(world, "home1").deliver())
                .containsEntry(udp(link6("edge-a", "home1", "enp1s0")), to(AddressPlan.pod6("home1", 10)));
    }

    @Test
    void a_node_without_a_part_does_nothing() {
        NodePlan plan = plan(world(), "home2");
        assertThat(plan.accept()).isEmpty();
        assertThat(plan.deliver()).isEmpty();
        assertThat(plan.own()).isEmpty();
        assertThat(plan.pods()).isEmpty();
    }

    @Test
    void S4_tcp_and_udp_of_one_number_are_delivered_side_by_side() {
        WorldBuilder world = world().service(
                        "games/game", new ServicePort("game", UDP, 3000), new ServicePort("web", TCP, 3000))
                .endpoints("games/game", game("game-0", "home1").port("web", TCP, 3000))
                .portMap(map("games/game-web").tcp(3000).service("game", "web"));
        assertThat(plan(world, "edge-a").accept())
                .containsEntry(udp(AddressPlan.EDGE_A), to(link("edge-a", "home1", "enp1s0")))
                .containsEntry(dialled(AddressPlan.EDGE_A, TCP, "3000"), to(link("edge-a", "home1", "enp1s0")));
    }

    @Test
    void P4_one_port_on_two_addresses_of_a_node_goes_to_two_pods_of_one_other_node() {
        WorldBuilder world = WorldBuilder.cluster()
                .portClass(portClass().name("one").listed("edge-a", AddressPlan.EDGE_A))
                .portClass(portClass().name("two").listed("edge-a", AddressPlan.EDGE_A_SECOND))
                .game("a", 3000, "home1")
                .game("b", 3000, "home1")
                .endpoints("games/b", game("b-1", "home1"))
                .portMap(map("games/a").className("one"))
                .portMap(map("games/b").className("two"));
        FactsBuilder edge = FactsBuilder.of("edge-a").iface("enp1s0", 1500, "203.0.113.9/24", "203.0.113.10/24");
        assertThat(plan(world, "edge-a", edge).accept())
                .isEqualTo(Map.of(
                        udp(AddressPlan.EDGE_A), to(link("edge-a", "home1", "203.0.113.9")),
                        udp(AddressPlan.EDGE_A_SECOND), to(link("edge-a", "home1", "203.0.113.10"))));
        assertThat(plan(world, "home1").deliver())
                .isEqualTo(Map.of(
                        udp(link("edge-a", "home1", "203.0.113.9")), to(AddressPlan.pod("home1", 10)),
                        udp(link("edge-a", "home1", "203.0.113.10")), to(AddressPlan.pod("home1", 11))));
    }

    @Test
    void P4_nothing_answers_on_addresses_that_are_not_listed() {
        WorldBuilder world = world().portClass(portClass().listed("edge-a", AddressPlan.EDGE_A));
        FactsBuilder edge = FactsBuilder.of("edge-a").iface("enp1s0", 1500, "203.0.113.9/24", "203.0.113.10/24");
        assertThat(plan(world, "edge-a", edge).accept()).containsOnlyKeys(udp(AddressPlan.EDGE_A));
    }

    @Test
    void P4_where_a_report_lags_behind_the_older_mapping_has_the_address() {
        WorldBuilder world = world().portClass(portClass().name("listed").listed("edge-a", AddressPlan.EDGE_A))
                .report("edge-a", Map.of("enp7s0", List.of(AddressPlan.EDGE_A)))
                .game("other", 3000, "home1")
                .portMap(map("games/other").className("listed").created(2000));
        var decision = new Planner(Settings.defaults("edge-a"))
                .decide(world.build(), FactsBuilder.of("edge-a").build());
        assertThat(decision.node().accept())
                .containsEntry(udp(AddressPlan.EDGE_A), to(link("edge-a", "home1", "enp1s0")));
        assertThat(Objects.requireNonNull(decision.portMaps().get(WorldBuilder.key("games/other")))
                        .ownRow())
                .extracting(NodeRow::reason)
                .isEqualTo(ProgrammedReason.PortInUse);
    }

    @Test
    void P7_a_range_is_one_entry_and_keeps_its_numbers() {
        WorldBuilder world = world().portMap(map("games/game").udp("3000-3999"));
        assertThat(plan(world, "edge-a").accept())
                .containsEntry(
                        dialled(AddressPlan.EDGE_A, UDP, "3000-3999"),
                        Delivery.to(target(link("edge-a", "home1", "enp1s0"), "3000-3999")));
        assertThat(plan(world, "home1").deliver())
                .containsEntry(
                        dialled(link("edge-a", "home1", "enp1s0"), UDP, "3000-3999"),
                        Delivery.to(target(AddressPlan.pod("home1", 10), "3000-3999")));
    }

    @Test
    void D1_the_addresses_are_those_that_the_interface_holds_now() {
        FactsBuilder moved = FactsBuilder.of("edge-a").iface("enp1s0", 1500, "203.0.113.55/24");
        assertThat(plan(world(), "edge-a", moved).accept()).containsOnlyKeys(udp(IpAddress.parse("203.0.113.55")));
    }

    @Test
    void D2_deprecated_addresses_still_answer_and_tentative_ones_do_not() {
        IpAddress old = IpAddress.parse("2001:db8:a:1::9");
        FactsBuilder edge = FactsBuilder.of("edge-a")
                .iface(
                        "enp1s0",
                        1500,
                        List.of(
                                new InterfaceAddress(old, 64, false, true, false, true),
                                new InterfaceAddress(IpAddress.parse("2001:db8:a:2::9"), 64, false, false, true, true),
                                InterfaceAddress.of("fe80::1", 64)));
        WorldBuilder world =
                world().endpoints("games/game", game("game-0", "home1").dualStack());
        assertThat(plan(world, "edge-a", edge).accept()).containsOnlyKeys(udp(old));
    }

    @Test
    void a_listed_address_may_be_on_the_loopback_device_or_come_by_a_local_route() {
        WorldBuilder world = world().portClass(
                        portClass().listed("edge-a", AddressPlan.EDGE_A_SECOND, AddressPlan.EDGE_A_OTHER_UPLINK));
        FactsBuilder edge = FactsBuilder.of("edge-a")
                .iface("lo", 65536, "127.0.0.1/8", "203.0.113.10/32")
                .localRoute("198.51.100.0/28");
        assertThat(plan(world, "edge-a", edge).accept())
                .containsOnlyKeys(udp(AddressPlan.EDGE_A_SECOND), udp(AddressPlan.EDGE_A_OTHER_UPLINK));
    }

    @Test
    void interfaces_narrow_listed_addresses_by_what_this_node_s_kernel_says() {
        WorldBuilder world = world().portClass(portClass()
                        .node(
                                "edge-a",
                                new PortClass.NodeOffer(
                                        List.of("enp2s0"),
                                        List.of(AddressPlan.EDGE_A, AddressPlan.EDGE_A_OTHER_UPLINK),
                                        Sorted.map())))
                .portMap(map("games/game").interfaces("enp2s0"));
        FactsBuilder edge = FactsBuilder.of("edge-a").iface("enp2s0", 1500, "198.51.100.9/24");
        assertThat(plan(world, "edge-a", edge).accept()).containsOnlyKeys(udp(AddressPlan.EDGE_A_OTHER_UPLINK));
    }

    // Refusals.

    @Test
    void E2_without_an_endpoint_the_port_is_accepted_and_refused_at_once() {
        WorldBuilder world = world().endpoints("games/game");
        assertThat(plan(world, "edge-a").accept())
                .isEqualTo(Map.of(
                        udp(AddressPlan.EDGE_A), Delivery.refuse(), udp(AddressPlan.EDGE_A6), Delivery.refuse()));
        assertRow(world, "edge-a", FactsBuilder.of("edge-a"), ProgrammedReason.NoReadyEndpoint, "games/game");
        assertThat(plan(world, "home1").deliver()).isEmpty();
    }

    @Test
    void N7_a_pod_s_node_without_a_known_link_is_refused_at_once() {
        WorldBuilder world = world().withoutReport("home1");
        assertThat(plan(world, "edge-a").accept()).containsEntry(udp(AddressPlan.EDGE_A), Delivery.refuse());
        assertRow(
                world,
                "edge-a",
                FactsBuilder.of("edge-a"),
                ProgrammedReason.ReturnPathUnavailable,
                "home1",
                "PortMapNode");
    }

    @Test
    void N7_in_a_folder_a_node_s_internal_ip_will_do() {
        assertThat(plan(world().folder(), "edge-a").accept())
                .containsEntry(udp(AddressPlan.EDGE_A), to(link("edge-a", "home1", "enp1s0")));
    }

    @Test
    void without_a_return_path_a_pod_elsewhere_is_refused_on_both_nodes() {
        WorldBuilder world =
                world().portClass(portClass().node("edge-a", "enp1s0").withoutReturnPath());
        assertThat(plan(world, "edge-a").accept()).containsEntry(udp(AddressPlan.EDGE_A), Delivery.refuse());
        assertThat(plan(world, "home1").deliver()).isEmpty();
        assertThat(plan(world, "home1").own()).isEmpty();
        assertRow(world, "edge-a", FactsBuilder.of("edge-a"), ProgrammedReason.ReturnPathUnavailable, "mode None");
    }

    @Test
    void without_a_return_path_a_pod_on_the_accepting_node_is_served() {
        WorldBuilder world = world().portClass(
                        portClass().node("edge-a", "enp1s0").withoutReturnPath())
                .endpoints("games/game", game("game-0", "edge-a"));
        assertThat(plan(world, "edge-a").accept())
                .containsEntry(udp(AddressPlan.EDGE_A), to(AddressPlan.pod("edge-a", 10)));
    }

    @Test
    void P2_a_mapping_that_is_not_accepted_opens_nothing() {
        WorldBuilder world = world().portMap(map("games/game").tcp(22));
        assertThat(plan(world, "edge-a").accept()).isEmpty();
        assertThat(plan(world, "home1").deliver()).isEmpty();
    }

    @Test
    void a_node_that_does_not_forward_refuses_and_says_so() {
        FactsBuilder still = FactsBuilder.of("edge-a").sysctls(false, false, true);
        assertThat(plan(world(), "edge-a", still).accept()).containsEntry(udp(AddressPlan.EDGE_A), Delivery.refuse());
        assertRow(world(), "edge-a", still, ProgrammedReason.NodeNotReady, "net.ipv4.ip_forward=1");
    }

    @Test
    void without_ipv6_forwarding_only_ipv4_is_delivered_and_the_row_stays_ready() {
        WorldBuilder world =
                world().endpoints("games/game", game("game-0", "home1").dualStack());
        FactsBuilder edge = FactsBuilder.of("edge-a").sysctls(true, false, true);
        assertThat(plan(world, "edge-a", edge).accept())
                .containsEntry(udp(AddressPlan.EDGE_A), to(link("edge-a", "home1", "enp1s0")))
                .containsEntry(udp(AddressPlan.EDGE_A6), Delivery.refuse());
        NodeRow row = row(world, "edge-a", edge);
        assertThat(row.ready()).isTrue();
        assertThat(row.message()).contains("IPv6");
    }

    // Interfaces and sockets of the host.

    @Test
    void a_missing_interface_is_named() {
        assertRow(
                world(),
                "edge-a",
                FactsBuilder.of("edge-a").without("enp1s0"),
                ProgrammedReason.NoInterfaceOnNode,
                "edge-a",
                "enp1s0");
    }

    @Test
    void the_interfaces_that_are_there_are_served_while_another_is_missing() {
        WorldBuilder world = world().portClass(portClass().node("edge-a", "enp1s0", "wt0"));
        FactsBuilder edge = FactsBuilder.of("edge-a");
        assertThat(plan(world, "edge-a", edge).accept()).containsKey(udp(AddressPlan.EDGE_A));
        assertRow(world, "edge-a", edge, ProgrammedReason.NoInterfaceOnNode, "wt0");
    }

    @Test
    void P1_the_port_of_a_host_s_socket_stays_the_host_s() {
        FactsBuilder edge = FactsBuilder.of("edge-a").listener(UDP, "0.0.0.0", 3000);
        assertThat(plan(world(), "edge-a", edge).accept()).containsOnlyKeys(udp(AddressPlan.EDGE_A6));
        assertRow(
                world(),
                "edge-a",
                edge,
                ProgrammedReason.PortInUse,
                "0.0.0.0:3000",
                "203.0.113.9:3000/udp",
                "allowProtected");
    }

    @Test
    void P1_sockets_of_other_addresses_protocols_and_ports_are_in_nobody_s_way() {
        FactsBuilder edge = FactsBuilder.of("edge-a")
                .listener(UDP, "127.0.0.1", 3000)
                .listener(TCP, "0.0.0.0", 3000)
                .listener(UDP, "0.0.0.0", 3001);
        assertThat(plan(world(), "edge-a", edge).accept()).containsKey(udp(AddressPlan.EDGE_A));
        assertThat(row(world(), "edge-a", edge).ready()).isTrue();
    }

    @Test
    void P1_a_class_may_let_a_mapping_take_a_host_s_port() {
        WorldBuilder world =
                world().portClass(portClass().node("edge-a", "enp1s0").allow("3000"));
        FactsBuilder edge = FactsBuilder.of("edge-a").listener(UDP, "0.0.0.0", 3000);
        assertThat(plan(world, "edge-a", edge).accept()).containsKey(udp(AddressPlan.EDGE_A));
        assertThat(row(world, "edge-a", edge).ready()).isTrue();
    }

    @Test
    void P1_a_socket_that_comes_later_does_not_close_what_is_open_and_is_named() {
        FactsBuilder edge =
                FactsBuilder.of("edge-a").listener(UDP, "0.0.0.0", 3000).opened(udp(AddressPlan.EDGE_A));
        assertThat(plan(world(), "edge-a", edge).accept()).containsKey(udp(AddressPlan.EDGE_A));
        assertThat(row(world(), "edge-a", edge).ready()).isTrue();
        assertThat(row(world(), "edge-a", edge).message())
                .contains("takes packets from the host's sockets 0.0.0.0:3000");
    }

    @Test
    void P7_momentary_udp_sockets_in_a_range_are_named_and_others_refuse_it() {
        WorldBuilder world = world().portClass(
                        portClass().node("edge-a", "enp1s0").allow("4790", "30000-32767", "51820"))
                .portMap(map("games/game").udp("3000-60000"));
        FactsBuilder momentary = FactsBuilder.of("edge-a").listener(UDP, "0.0.0.0", 40123);
        assertThat(plan(world, "edge-a", momentary).accept()).isNotEmpty();
        assertThat(row(world, "edge-a", momentary).ready()).isTrue();
        assertThat(row(world, "edge-a", momentary).message()).contains("40123");
        FactsBuilder lasting = FactsBuilder.of("edge-a").listener(UDP, "203.0.113.9", 5353);
        assertRow(world, "edge-a", lasting, ProgrammedReason.PortInUse, "5353");
    }

    @Test
    void P1_a_range_does_not_take_the_port_of_a_WireGuard_which_has_a_socket_of_each_family() {
        WorldBuilder world = world().portClass(
                        portClass().node("edge-a", "enp1s0").allow("4790", "30000-32767", "51820"))
                .portMap(map("games/game").udp("3000-60000"));
        FactsBuilder mesh = FactsBuilder.of("edge-a")
                .listener(UDP, "0.0.0.0", 40123)
                .listener(UDP, "::", 51999)
                .listener(UDP, "0.0.0.0", 51999);
        assertRow(world, "edge-a", mesh, ProgrammedReason.PortInUse, "51999");
        assertThat(row(world, "edge-a", mesh).message()).doesNotContain("40123");
    }

    @Test
    void P1_a_class_may_give_a_WireGuards_port_away() {
        WorldBuilder world = world().portClass(
                        portClass().node("edge-a", "enp1s0").allow("4790", "30000-32767", "51820", "51999"))
                .portMap(map("games/game").udp("3000-60000"));
        FactsBuilder mesh = FactsBuilder.of("edge-a").listener(UDP, "::", 51999).listener(UDP, "0.0.0.0", 51999);
        assertThat(row(world, "edge-a", mesh).ready()).isTrue();
    }

    // Pods in the host's network.

    @Test
    void E8_a_pod_in_the_host_s_network_elsewhere_is_delivered_at_its_node_s_address() {
        WorldBuilder world =
                world().endpoints("games/game", game("game-0", "home1").hostNetwork());
        NodePlan plan = plan(world, "home1");
        assertThat(plan.deliver()).containsEntry(udp(link("edge-a", "home1", "enp1s0")), to(AddressPlan.MESH_HOME1));
        assertThat(plan.pods()).isEmpty();
    }

    @Test
    void E8_a_pod_in_the_host_s_network_here_needs_no_forwarding_and_its_socket_is_its_own() {
        WorldBuilder world =
                world().endpoints("games/game", game("game-0", "edge-a").hostNetwork());
        FactsBuilder edge =
                FactsBuilder.of("edge-a").sysctls(false, false, true).listener(UDP, "0.0.0.0", 3000);
        assertThat(plan(world, "edge-a", edge).accept())
                .containsEntry(udp(AddressPlan.EDGE_A), to(AddressPlan.MESH_EDGE_A));
        assertThat(row(world, "edge-a", edge).ready()).isTrue();
    }

    // Several accepting nodes.

    private static WorldBuilder twoEdges() {
        return world().portClass(portClass().node("edge-a", "enp1s0").node("edge-b", "enp1s0"));
    }

    @Test
    void single_only_the_serving_node_accepts_and_the_pod_s_node_is_ready_for_either() {
        assertThat(plan(twoEdges(), "edge-a").accept()).isNotEmpty();
        assertThat(plan(twoEdges(), "edge-b").accept()).isEmpty();
        assertThat(plan(twoEdges(), "home1").deliver())
                .isEqualTo(Map.of(
                        udp(link("edge-a", "home1", "enp1s0")), to(AddressPlan.pod("home1", 10)),
                        udp(link("edge-b", "home1", "enp1s0")), to(AddressPlan.pod("home1", 10))));
    }

    @Test
    void multi_every_accepting_node_forwards_and_the_pod_s_node_may_be_one_of_them() {
        WorldBuilder world = world().portClass(
                        portClass().multi().node("edge-a", "enp1s0").node("edge-b", "enp1s0"))
                .endpoints("games/game", game("game-0", "edge-b"));
        assertThat(plan(world, "edge-a").accept())
                .containsEntry(udp(AddressPlan.EDGE_A), to(link("edge-a", "edge-b", "enp1s0")));
        NodePlan podsNode = plan(world, "edge-b");
        assertThat(podsNode.accept()).containsEntry(udp(AddressPlan.EDGE_B), to(AddressPlan.pod("edge-b", 10)));
        assertThat(podsNode.deliver())
                .isEqualTo(Map.of(udp(link("edge-a", "edge-b", "enp1s0")), to(AddressPlan.pod("edge-b", 10))));
    }

    // Replaced pods.

    @Test
    void U10_a_replaced_pod_drains_on_all_three_nodes() {
        WorldBuilder world = world().endpoints(
                        "games/game",
                        game("young-1", "home2"),
                        game("old-0", "home1").ending());
        assertThat(plan(world, "edge-a").accept())
                .containsEntry(
                        udp(AddressPlan.EDGE_A),
                        new Delivery(
                                target(link("edge-a", "home2", "enp1s0"), "3000"),
                                List.of(target(link("edge-a", "home1", "enp1s0"), "3000"))));
        NodePlan left = plan(world, "home1");
        assertThat(left.deliver())
                .isEqualTo(Map.of(
                        udp(link("edge-a", "home1", "enp1s0")),
                        new Delivery(null, List.of(target(AddressPlan.pod("home1", 10), "3000")))));
        assertThat(left.pods()).containsExactly(AddressPlan.pod("home1", 10));
        assertThat(plan(world, "home2").deliver())
                .isEqualTo(Map.of(udp(link("edge-a", "home2", "enp1s0")), to(AddressPlan.pod("home2", 11))));
    }

    @Test
    void U10_a_move_within_a_node_changes_that_node_alone() {
        WorldBuilder before = world();
        NodePlan edge = plan(before, "edge-a");
        WorldBuilder after = before.endpoints(
                "games/game", game("game-1", "home1"), game("game-0", "home1").ending());
        assertThat(plan(after, "edge-a")).isEqualTo(edge);
        assertThat(plan(after, "home1").deliver())
                .isEqualTo(Map.of(
                        udp(link("edge-a", "home1", "enp1s0")),
                        new Delivery(
                                target(AddressPlan.pod("home1", 11), "3000"),
                                List.of(target(AddressPlan.pod("home1", 10), "3000")))));
    }

    // Own clients.

    @Test
    void H3_clients_on_the_pod_s_node_reach_it_at_the_published_addresses_that_mean_the_same_everywhere() {
        WorldBuilder world = world().endpoints(
                        "games/game", game("game-0", "home1").dualStack())
                .portClass(portClass().node("edge-a", "enp1s0", "wg0", "lan0"))
                .report(
                        "edge-a",
                        Map.of(
                                "enp1s0", List.of(AddressPlan.EDGE_A, AddressPlan.EDGE_A6),
                                "lan0", List.of(IpAddress.parse("192.168.1.1"), IpAddress.parse("fd00::1")),
                                "wg0", List.of(AddressPlan.MESH_EDGE_A)));
        assertThat(plan(world, "home1").own())
                .isEqualTo(Map.of(
                        udp(AddressPlan.EDGE_A), to(AddressPlan.pod("home1", 10)),
                        udp(AddressPlan.EDGE_A6), to(AddressPlan.pod6("home1", 10)),
                        udp(AddressPlan.MESH_EDGE_A), to(AddressPlan.pod("home1", 10))));
        assertThat(plan(world, "home2").own()).isEmpty();
    }

    @Test
    void D3_behind_one_to_one_nat_the_local_address_is_dialled_and_both_nodes_know_the_external_one() {
        IpAddress local = IpAddress.parse("192.168.7.2");
        WorldBuilder world = world().portClass(portClass()
                        .node(
                                "edge-a",
                                new PortClass.NodeOffer(
                                        List.of("enp1s0"),
                                        List.of(),
                                        Sorted.copyOf(Map.of(local, AddressPlan.EDGE_A)))))
                .report("edge-a", Map.of("enp1s0", List.of(local)));
        FactsBuilder edge = FactsBuilder.of("edge-a").iface("enp1s0", 1500, "192.168.7.2/24");
        NodePlan plan = plan(world, "edge-a", edge);
        assertThat(plan.accept()).isEqualTo(Map.of(udp(local), to(link("edge-a", "home1", "enp1s0"))));
        assertThat(plan.own()).isEqualTo(Map.of(udp(AddressPlan.EDGE_A), to(link("edge-a", "home1", "enp1s0"))));
        assertThat(plan(world, "home1").own())
                .isEqualTo(Map.of(udp(AddressPlan.EDGE_A), to(AddressPlan.pod("home1", 10))));
    }

    @Test
    void H3_in_a_folder_without_reports_the_addresses_that_classes_list_are_known() {
        WorldBuilder world = world().folder().portClass(portClass().listed("edge-a", AddressPlan.EDGE_A));
        assertThat(plan(world, "home1").own())
                .isEqualTo(Map.of(udp(AddressPlan.EDGE_A), to(AddressPlan.pod("home1", 10))));
    }
}
