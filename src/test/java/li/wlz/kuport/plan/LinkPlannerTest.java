package li.wlz.kuport.plan;

import static li.wlz.kuport.model.Protocol.UDP;
import static li.wlz.kuport.plan.WorldBuilder.pod;
import static li.wlz.kuport.plan.WorldBuilder.portClass;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.InterfaceAddress;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MacAddress;
import li.wlz.kuport.model.MarkIndices;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import org.junit.jupiter.api.Test;

/** The link, its peers, the uplinks, and what a node reports of them. */
class LinkPlannerTest {
    private static final LinkAddresses LINKS =
            new LinkAddresses(Settings.DEFAULT_LINK_RANGE4, Settings.DEFAULT_LINK_RANGE6);

    private static Decision decide(WorldBuilder world, String node, FactsBuilder facts) {
        return new Planner(Settings.defaults(node)).decide(world.build(), facts.build());
    }

    private static Decision decide(WorldBuilder world, String node) {
        return decide(world, node, FactsBuilder.of(node));
    }

    private static NodePlan.Link link(Decision decision) {
        return Objects.requireNonNull(decision.node().link());
    }

    private static NodePlan.Peer peer(Decision decision, String node) {
        return Objects.requireNonNull(decision.node().peers().get(node));
    }

    private static List<NodeReason> problems(Decision decision) {
        return decision.report().problems().stream().map(NodeProblem::reason).toList();
    }

    private static String problem(Decision decision, NodeReason reason) {
        return decision.report().problems().stream()
                .filter(p -> p.reason() == reason)
                .map(NodeProblem::message)
                .findFirst()
                .orElse("no " + reason + " among " + decision.report().problems());
    }

    /** edge-a accepts; there is no mapping. */
    private static WorldBuilder world() {
        return WorldBuilder.cluster().portClass(portClass().node("edge-a", "enp1s0"));
    }

    @Test
    void an_accepting_node_has_a_link_to_every_node_before_any_mapping_exists() {
        Decision decision = decide(world(), "edge-a");
        assertThat(link(decision))
                .isEqualTo(new NodePlan.Link(
                        LINKS.mac("edge-a"),
                        AddressPlan.MESH_EDGE_A,
                        1370,
                        4242,
                        4790,
                        LINKS.own(IpFamily.IPV4, "edge-a"),
                        LINKS.own(IpFamily.IPV6, "edge-a")));
        assertThat(decision.node().peers()).containsOnlyKeys("edge-b", "home1", "home2");
        assertThat(peer(decision, "home1"))
                .isEqualTo(new NodePlan.Peer(
                        LINKS.mac("home1"),
                        AddressPlan.MESH_HOME1,
                        1370,
                        null,
                        LINKS.gateway(IpFamily.IPV4, "edge-a", "home1"),
                        LINKS.gateway(IpFamily.IPV6, "edge-a", "home1"),
                        Sorted.copyOf(List.of(
                                LINKS.towards(IpFamily.IPV4, "edge-a", "home1", "enp1s0"),
                                LINKS.towards(IpFamily.IPV6, "edge-a", "home1", "enp1s0")))));
    }

    @Test
    void a_node_that_does_not_accept_has_the_accepting_ones_as_peers_each_with_an_index() {
        Decision decision = decide(world().portClass(portClass().name("two").node("edge-b", "enp1s0")), "home1");
        assertThat(decision.node().peers()).containsOnlyKeys("edge-a", "edge-b");
        assertThat(peer(decision, "edge-a").index()).isEqualTo(MarkSpace.FIRST_PEER);
        assertThat(peer(decision, "edge-b").index()).isEqualTo(MarkSpace.FIRST_PEER + 1);
        assertThat(peer(decision, "edge-a").linkAddresses()).isEmpty();
        assertThat(decision.node().uplinks()).isEmpty();
    }

    @Test
    void classes_without_return_path_need_no_link() {
        WorldBuilder world = WorldBuilder.cluster()
                .portClass(portClass().node("edge-a", "enp1s0").withoutReturnPath());
        assertThat(decide(world, "edge-a").node().link()).isNull();
        assertThat(decide(world, "edge-a").node().uplinks()).containsOnlyKeys("enp1s0");
        assertThat(decide(world, "home1").node().peers()).isEmpty();
        assertThat(decide(world, "home1").report().problems()).isEmpty();
    }

    @Test
    void links_do_not_depend_on_mappings() {
        NodePlan before = decide(world(), "edge-a").node();
        NodePlan after = decide(world().game("game", 3000, "home1"), "edge-a").node();
        assertThat(after.link()).isEqualTo(before.link());
        assertThat(after.peers()).isEqualTo(before.peers());
        assertThat(after.uplinks()).isEqualTo(before.uplinks());
    }

    // Underlay.

    @Test
    void D4_the_annotation_says_which_address_the_link_uses() {
        IpAddress annotated = IpAddress.parse("100.64.9.9");
        WorldBuilder world = world().node("edge-a", true, Map.of(), List.of(annotated));
        FactsBuilder facts = FactsBuilder.of("edge-a").iface("wg1", 1400, "100.64.9.9/24");
        Decision decision = decide(world, "edge-a", facts);
        assertThat(link(decision).underlay()).isEqualTo(annotated);
        assertThat(link(decision).mtu()).isEqualTo(1350);
        assertThat(decision.report().underlay()).containsExactly(annotated);
        assertThat(decision.report().underlayMtu()).isEqualTo(1400);
    }

    @Test
    void D4_an_annotated_address_that_the_node_lacks_is_a_problem_and_no_other_is_guessed() {
        WorldBuilder world = world().node("edge-a", true, Map.of(), List.of(IpAddress.parse("100.64.9.9")));
        Decision decision = decide(world, "edge-a");
        assertThat(decision.node().link()).isNull();
        assertThat(problem(decision, NodeReason.UnderlayUnknown)).contains("100.64.9.9", "edge-a");
    }

    @Test
    void D4_without_annotation_the_agent_s_blocks_go_before_the_internal_ip() {
        Settings defaults = Settings.defaults("edge-a");
        Settings settings = new Settings(
                "edge-a",
                defaults.marks(),
                defaults.vni(),
                defaults.linkPort(),
                IpFamily.IPV4,
                defaults.linkRange4(),
                defaults.linkRange6(),
                List.of(Cidr.parse("100.64.9.0/24")),
                defaults.nodePorts(),
                null);
        FactsBuilder facts = FactsBuilder.of("edge-a").iface("wg1", 1400, "100.64.9.9/24");
        assertThat(link(new Planner(settings).decide(world().build(), facts.build()))
                        .underlay())
                .hasToString("100.64.9.9");
    }

    @Test
    void D4_an_internal_ip_that_no_interface_holds_is_not_used() {
        Decision decision = decide(world(), "edge-a", FactsBuilder.of("edge-a").without("wg0"));
        assertThat(decision.node().link()).isNull();
        assertThat(decision.node().peers()).isEmpty();
        assertThat(decision.report().linkUp()).isFalse();
        assertThat(problem(decision, NodeReason.UnderlayUnknown)).contains("100.64.0.1", "--underlay-cidr");
    }

    @Test
    void a_peer_whose_agent_has_no_underlay_address_is_a_problem() {
        WorldBuilder world =
                world().report(new NodeReport("home1", false, List.of(), 0, 0, 4790, 4242, Sorted.map(), List.of()));
        Decision decision = decide(world, "edge-a");
        assertThat(decision.node().peers()).containsOnlyKeys("edge-b", "home2");
        assertThat(problem(decision, NodeReason.UnderlayUnknown)).contains("home1");
    }

    @Test
    void a_thinner_peer_limits_the_link_to_it() {
        WorldBuilder world = world().report(new NodeReport(
                "home1", true, List.of(AddressPlan.MESH_HOME1), 1300, 1250, 4790, 4242, Sorted.map(), List.of()));
        assertThat(peer(decide(world, "edge-a"), "home1").mtu()).isEqualTo(1250);
        assertThat(peer(decide(world, "edge-a"), "home2").mtu()).isEqualTo(1370);
    }

    @Test
    void a_peer_with_other_link_settings_is_told_of() {
        WorldBuilder world = world().report(new NodeReport(
                "home1", true, List.of(AddressPlan.MESH_HOME1), 1420, 1370, 4791, 4242, Sorted.map(), List.of()));
        assertThat(problem(decide(world, "edge-a"), NodeReason.LinkSettingsDiffer))
                .contains("home1", "4791");
    }

    @Test
    void a_thin_link_has_no_ipv6_which_is_a_problem_once_a_pod_would_need_it() {
        FactsBuilder thin = FactsBuilder.of("edge-a").iface("wg0", 1300, "100.64.0.1/24");
        Decision idle = decide(world(), "edge-a", thin);
        assertThat(link(idle).address6()).isNull();
        assertThat(problems(idle)).isEmpty();
        WorldBuilder world = world().game("game", 3000, "home1")
                .endpoints("games/game", pod("game-0", "home1").dualStack().port("game", UDP, 3000));
        assertThat(problem(decide(world, "edge-a", thin), NodeReason.LinkMtuTooSmall))
                .contains("1250", "1330");
    }

    @Test
    void a_kernel_without_ipv6_has_a_link_of_ipv4_alone() {
        FactsBuilder four = FactsBuilder.of("edge-a").sysctls(true, false, false);
        Decision idle = decide(world(), "edge-a", four);
        assertThat(link(idle).address6()).isNull();
        assertThat(peer(idle, "home1").linkAddresses()).allMatch(a -> a.family() == IpFamily.IPV4);
        assertThat(problems(idle)).isEmpty();
        WorldBuilder world = world().game("game", 3000, "home1")
                .endpoints("games/game", pod("game-0", "home1").dualStack().port("game", UDP, 3000));
        assertThat(problems(decide(world, "edge-a", four))).containsExactly(NodeReason.Ipv6Unavailable);
    }

    // Indices.

    private static MarkIndices taken(Map<String, Integer> peers, Map<String, Integer> uplinks, Integer... resting) {
        SortedMap<MacAddress, Integer> byMac = new TreeMap<>();
        peers.forEach((node, index) -> byMac.put(LINKS.mac(node), index));
        return new MarkIndices(byMac, Sorted.copyOf(uplinks), Sorted.copyOf(List.of(resting)));
    }

    private static WorldBuilder twoEdges() {
        return WorldBuilder.cluster()
                .portClass(portClass().node("edge-a", "enp1s0").node("edge-b", "enp1s0"));
    }

    @Test
    void U4_an_index_that_the_kernel_shows_is_kept() {
        FactsBuilder facts = FactsBuilder.of("home1").indices(taken(Map.of("edge-b", 1), Map.of()));
        Decision decision = decide(twoEdges(), "home1", facts);
        assertThat(peer(decision, "edge-b").index()).isEqualTo(1);
        assertThat(peer(decision, "edge-a").index()).isEqualTo(2);
    }

    @Test
    void an_index_that_is_given_up_or_rests_is_not_handed_on() {
        FactsBuilder facts = FactsBuilder.of("home1").indices(taken(Map.of("gone-7", 1), Map.of(), 2));
        Decision decision = decide(twoEdges(), "home1", facts);
        assertThat(peer(decision, "edge-a").index()).isEqualTo(3);
        assertThat(peer(decision, "edge-b").index()).isEqualTo(4);
    }

    @Test
    void where_indices_run_out_the_peer_is_not_delivered_for_and_it_is_said() {
        Integer[] resting = new Integer[126];
        for (int i = 0; i < resting.length; i++) {
            resting[i] = i + 1;
        }
        FactsBuilder facts = FactsBuilder.of("home1").indices(taken(Map.of(), Map.of(), resting));
        Decision decision = decide(twoEdges().game("game", 3000, "home1"), "home1", facts);
        assertThat(peer(decision, "edge-a").index()).isEqualTo(127);
        assertThat(peer(decision, "edge-b").index()).isNull();
        assertThat(problem(decision, NodeReason.IndicesExhausted)).contains("edge-b");
        assertThat(decision.node().deliver())
                .containsOnlyKeys(new Dialled(
                        LINKS.towards(IpFamily.IPV4, "edge-a", "home1", "enp1s0"), UDP, PortRange.of(3000)));
    }

    // Uplinks.

    @Test
    void A1_class_interfaces_are_uplinks_with_their_own_routes() {
        WorldBuilder world = world().portClass(portClass().node("edge-a", "enp1s0", "enp2s0", "absent"));
        FactsBuilder facts = FactsBuilder.of("edge-a")
                .iface("enp2s0", 1500, "198.51.100.9/24")
                .route("enp2s0", "0.0.0.0/0", "198.51.100.1", 200)
                .route("wg0", "100.64.0.0/10", "100.64.0.3", 0)
                .indices(taken(Map.of(), Map.of("enp2s0", 0x80)));
        NodePlan plan = decide(world, "edge-a", facts).node();
        assertThat(plan.uplinks()).containsOnlyKeys("enp1s0", "enp2s0");
        NodePlan.Uplink second = Objects.requireNonNull(plan.uplinks().get("enp2s0"));
        assertThat(second.index()).isEqualTo(0x80);
        assertThat(second.routes()).hasSize(1).allMatch(r -> r.device().equals("enp2s0"));
        assertThat(Objects.requireNonNull(plan.uplinks().get("enp1s0")).index()).isEqualTo(0x81);
    }

    @Test
    void the_interface_that_holds_a_listed_address_is_an_uplink_but_not_the_loopback() {
        WorldBuilder world = WorldBuilder.cluster()
                .portClass(portClass().listed("edge-a", AddressPlan.EDGE_A, AddressPlan.EDGE_A_SECOND));
        FactsBuilder facts = FactsBuilder.of("edge-a").iface("lo", 65536, "203.0.113.10/32");
        Decision decision = decide(world, "edge-a", facts);
        assertThat(decision.node().uplinks()).containsOnlyKeys("enp1s0");
        assertThat(decision.report().interfaces())
                .containsEntry("enp1s0", List.of(AddressPlan.EDGE_A, AddressPlan.EDGE_A6))
                .containsEntry("lo", List.of(AddressPlan.EDGE_A_SECOND));
    }

    @Test
    void A2_strict_filtering_on_an_uplink_beside_the_default_route_is_told_with_its_cure() {
        WorldBuilder world = world().portClass(portClass().node("edge-a", "enp1s0", "enp2s0", "wg0"));
        FactsBuilder facts = FactsBuilder.of("edge-a")
                .iface("enp2s0", 1500, "198.51.100.9/24")
                .rpFilter("enp1s0", 1)
                .rpFilter("enp2s0", 1)
                .rpFilter("wg0", 1);
        Decision decision = decide(world, "edge-a", facts);
        assertThat(problems(decision)).containsExactly(NodeReason.ReversePathFilter);
        assertThat(problem(decision, NodeReason.ReversePathFilter))
                .contains("enp2s0", "net.ipv4.conf.enp2s0.rp_filter=2");
        assertThat(problems(decide(world, "edge-a", facts.rpFilter("enp2s0", 2))))
                .isEmpty();
    }

    // What else a node reports.

    @Test
    void D2_a_report_shows_what_may_be_handed_out_first() {
        FactsBuilder facts = FactsBuilder.of("edge-a")
                .iface(
                        "enp1s0",
                        1500,
                        List.of(
                                address("2001:db8:a:1::9", false, true),
                                address("2001:db8:a:2::abcd", true, false),
                                address("2001:db8:a:2::9", false, false),
                                address("203.0.113.9", false, false)));
        assertThat(decide(world(), "edge-a", facts).report().interfaces().get("enp1s0"))
                .extracting(IpAddress::toString)
                .containsExactly("203.0.113.9", "2001:db8:a:2::9", "2001:db8:a:1::9", "2001:db8:a:2::abcd");
    }

    private static InterfaceAddress address(String text, boolean temporary, boolean deprecated) {
        return new InterfaceAddress(IpAddress.parse(text), 64, temporary, deprecated, false, true);
    }

    @Test
    void D2_a_family_of_which_nothing_may_be_handed_out_is_not_reported() {
        FactsBuilder facts = FactsBuilder.of("edge-a")
                .iface(
                        "enp1s0",
                        1500,
                        List.of(address("203.0.113.9", false, false), address("2001:db8::1", true, false)));
        assertThat(decide(world(), "edge-a", facts).report().interfaces())
                .containsEntry("enp1s0", List.of(AddressPlan.EDGE_A));
    }

    @Test
    void a_listed_or_external_address_that_the_node_lacks_is_a_problem() {
        WorldBuilder world = WorldBuilder.cluster().portClass(portClass().listed("edge-a", AddressPlan.EDGE_A_SECOND));
        assertThat(problem(decide(world, "edge-a"), NodeReason.AddressNotOnNode))
                .contains("203.0.113.10", "edge-a");
    }

    @Test
    void forwarding_that_is_off_is_a_problem_where_something_is_to_be_forwarded() {
        FactsBuilder still = FactsBuilder.of("edge-a").sysctls(false, false, true);
        assertThat(problems(decide(world(), "edge-a", still))).isEmpty();
        assertThat(problem(decide(world().game("game", 3000, "home1"), "edge-a", still), NodeReason.ForwardingDisabled))
                .contains("net.ipv4.ip_forward=1");
    }

    @Test
    void X3_what_the_kernel_denies_is_reported_and_the_link_is_not_up() {
        NodeProblem denied = new NodeProblem(NodeReason.VxlanUnavailable, "kup0 is a device of somebody else's");
        Decision decision = decide(world(), "edge-a", FactsBuilder.of("edge-a").problem(denied));
        assertThat(decision.report().problems()).containsExactly(denied);
        assertThat(decision.report().linkUp()).isFalse();
        assertThat(decision.node().link()).isNull();
        assertThat(decision.node().peers()).isEmpty();
    }

    @Test
    void a_link_device_that_was_set_down_is_reported() {
        Decision decision = decide(world(), "edge-a", FactsBuilder.of("edge-a").down("kup0"));
        assertThat(problems(decision)).containsExactly(NodeReason.LinkDown);
        assertThat(decision.report().linkUp()).isFalse();
    }

    // Collisions.

    /** Many nodes and a range of eight bits: some of the link addresses of a node must collide. */
    private static WorldBuilder crowd(List<String> names) {
        WorldBuilder world = new WorldBuilder().portClass(portClass().node("edge-a", "enp1s0"));
        for (String name : names) {
            IpAddress mesh = AddressPlan.mesh(name);
            int age = name.equals("edge-a") ? 0 : Integer.parseInt(name.substring(4));
            world.node(new ClusterNode(name, 1000 + age, Sorted.map(), true, List.of(mesh), List.of(mesh), List.of()))
                    .report(name, Map.of());
        }
        return world;
    }

    @Test
    void of_nodes_whose_link_addresses_collide_the_younger_is_left_out_and_it_is_said() {
        Settings defaults = Settings.defaults("edge-a");
        Settings narrow = new Settings(
                "edge-a",
                defaults.marks(),
                defaults.vni(),
                defaults.linkPort(),
                IpFamily.IPV4,
                Cidr.parse("198.18.0.0/24"),
                defaults.linkRange6(),
                List.of(),
                defaults.nodePorts(),
                null);
        List<String> names = new ArrayList<>(List.of("edge-a"));
        for (int i = 1; i <= 60; i++) {
            names.add("node" + i);
        }
        Decision decision = new Planner(narrow)
                .decide(crowd(names).build(), FactsBuilder.of("edge-a").build());
        List<IpAddress> used = new ArrayList<>(List.of(link(decision).address4()));
        decision.node().peers().values().forEach(peer -> {
            used.add(peer.gateway4());
            peer.linkAddresses().stream()
                    .filter(a -> a.family() == IpFamily.IPV4)
                    .forEach(used::add);
        });
        assertThat(used).doesNotHaveDuplicates();
        assertThat(decision.node().peers()).containsKey("node1").hasSizeBetween(30, 59);
        long collisions = problems(decision).stream()
                .filter(NodeReason.LinkAddressCollision::equals)
                .count();
        assertThat(collisions).isEqualTo(60 - decision.node().peers().size());
    }
}
