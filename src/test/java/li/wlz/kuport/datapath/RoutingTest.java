package li.wlz.kuport.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MacAddress;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodePlan.Peer;
import li.wlz.kuport.model.NodePlan.Uplink;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.netlink.ForwardingEntry;
import li.wlz.kuport.netlink.Link;
import li.wlz.kuport.netlink.Neighbour;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.netlink.Route;
import li.wlz.kuport.netlink.RoutingState;
import li.wlz.kuport.netlink.Rule;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RoutingTest {
    private static final int PEER_TABLE = 0x6b700001;
    private static final int UPLINK_TABLE = 0x6b700081;

    private static final Link DEVICE =
            device("kuport", 1370, Link.IFF_UP, 2, Plans.LINK.underlay().toString(), 4790);

    private static Link device(String alias, int mtu, int flags, int rpFilter, String local, int port) {
        return new Link(
                "kup0",
                7,
                "vxlan",
                alias,
                Ours.LINK_GROUP,
                mtu,
                flags,
                Plans.MAC,
                rpFilter,
                new Link.Vxlan(4242, port, Plans.ip(local), false));
    }

    private static Routing wanted(NodePlan plan) {
        return new Datapath(Plans.SETTINGS).wanted(plan).routing();
    }

    private static Changes changes(NodePlan plan, RoutingState present) {
        Datapath datapath = new Datapath(Plans.SETTINGS);
        Wanted wanted = datapath.wanted(plan);
        return datapath.changes(wanted, wanted.table().listing(), present);
    }

    /** The state that a plan leads to, on the device given. */
    private static RoutingState reached(NodePlan plan, Link... links) {
        Routing routing = wanted(plan);
        return new RoutingState(
                List.of(links),
                routing.addresses(),
                routing.neighbours(),
                routing.forwarding(),
                routing.routes(),
                routing.rules());
    }

    private static NodePlan withPeer(Peer peer) {
        return new NodePlan(
                Plans.LINK,
                Sorted.copyOf(Map.of("home", peer)),
                Sorted.map(),
                Sorted.map(),
                Sorted.map(),
                Sorted.map(),
                Sorted.set(),
                NodePlan.Egress.NONE);
    }

    private static Stream<Route> table(Routing routing, int table, IpFamily family) {
        return routing.routes().stream()
                .filter(r -> r.table() == table && r.destination().family() == family);
    }

    private static Route unicast(
            int table, String destination, String device, @Nullable String gateway, boolean onlink, int mtu) {
        Cidr cidr = Cidr.parse(destination);
        return new Route(
                table,
                Route.Type.UNICAST,
                cidr,
                device,
                gateway == null ? null : Plans.ip(gateway),
                onlink,
                cidr.family() == IpFamily.IPV4 ? 0 : 1024,
                109,
                mtu,
                null);
    }

    private static Route decision(int table, Route.Type type, String destination, int metric) {
        return new Route(table, type, Cidr.parse(destination), null, null, false, metric, 109, 0, null);
    }

    @Test
    void a_peer_is_known_by_forwarding_entry_neighbours_and_host_routes() {
        Routing routing = wanted(withPeer(Plans.PEER));
        assertThat(routing.forwarding())
                .containsExactly(new ForwardingEntry("kup0", Plans.PEER_MAC, Plans.ip("100.64.0.2")));
        assertThat(routing.neighbours())
                .extracting(n -> n.address().toString())
                .containsExactly("240.0.0.1", "240.0.0.2", "fd6b:7570:77::1", "fd6b:7570:77::2");
        assertThat(routing.routes())
                .contains(
                        unicast(254, "240.0.0.2/32", "kup0", null, false, 0),
                        unicast(254, "fd6b:7570:77::2/128", "kup0", null, false, 0));
    }

    @Test
    void a_peer_s_return_table_leads_to_it_past_our_pods_or_nowhere() {
        Routing routing = wanted(Plans.full());
        assertThat(table(routing, PEER_TABLE, IpFamily.IPV4))
                .containsExactlyInAnyOrder(
                        unicast(PEER_TABLE, "0.0.0.0/0", "kup0", "240.0.0.1", true, 0),
                        decision(PEER_TABLE, Route.Type.UNREACHABLE, "0.0.0.0/0", 0xff002000),
                        decision(PEER_TABLE, Route.Type.THROW, "10.244.0.7/32", 0));
        assertThat(table(routing, PEER_TABLE, IpFamily.IPV6))
                .containsExactlyInAnyOrder(
                        unicast(PEER_TABLE, "::/0", "kup0", "fd6b:7570:77::1", true, 0),
                        decision(PEER_TABLE, Route.Type.UNREACHABLE, "::/0", 0xff002000),
                        decision(PEER_TABLE, Route.Type.THROW, "fd00:10:244::7/128", 1024));
    }

    @Test
    void A1_an_uplink_s_return_table_has_its_own_routes() {
        assertThat(table(wanted(Plans.full()), UPLINK_TABLE, IpFamily.IPV4))
                .containsExactlyInAnyOrder(
                        unicast(UPLINK_TABLE, "0.0.0.0/0", "eth0", "203.0.113.1", false, 0),
                        unicast(UPLINK_TABLE, "203.0.113.0/24", "eth0", null, false, 0),
                        decision(UPLINK_TABLE, Route.Type.UNREACHABLE, "0.0.0.0/0", 0xff002000),
                        decision(UPLINK_TABLE, Route.Type.THROW, "10.244.0.7/32", 0),
                        decision(UPLINK_TABLE, Route.Type.THROW, "240.0.0.0/4", 0));
    }

    @Test
    void of_two_next_hops_of_one_route_the_first_is_taken() {
        Uplink uplink = new Uplink(
                0x81,
                Sorted.copyOf(
                        List.of(Plans.route("0.0.0.0/0", "203.0.113.1"), Plans.route("0.0.0.0/0", "203.0.113.2"))));
        NodePlan plan = new NodePlan(
                null,
                Sorted.map(),
                Sorted.copyOf(Map.of("eth0", uplink)),
                Sorted.map(),
                Sorted.map(),
                Sorted.map(),
                Sorted.set(),
                NodePlan.Egress.NONE);
        assertThat(table(wanted(plan), UPLINK_TABLE, IpFamily.IPV4).filter(r -> r.type() == Route.Type.UNICAST))
                .hasSize(1);
    }

    @Test
    void rules_lead_to_return_tables_of_the_families_that_there_are() {
        assertThat(wanted(Plans.full()).rules())
                .containsExactly(
                        new Rule(IpFamily.IPV4, 90, PEER_TABLE, 0xfff000ff, PEER_TABLE, 109),
                        new Rule(IpFamily.IPV4, 90, UPLINK_TABLE, 0xfff000ff, UPLINK_TABLE, 109),
                        new Rule(IpFamily.IPV6, 90, PEER_TABLE, 0xfff000ff, PEER_TABLE, 109));
    }

    @Test
    void M1_a_thinner_peer_gets_a_locked_mtu() {
        assertThat(wanted(withPeer(Plans.peer(1280))).routes())
                .filteredOn(r -> "kup0".equals(r.device()))
                .hasSize(4)
                .allMatch(r -> r.lockedMtu() == 1280);
    }

    @Test
    void a_link_without_ipv6_asks_for_none() {
        NodePlan.Link thin =
                new NodePlan.Link(Plans.MAC, Plans.ip("100.64.0.1"), 1270, 4242, 4790, Plans.ip("240.0.0.10"), null);
        NodePlan plan = new NodePlan(
                thin,
                Sorted.copyOf(Map.of("home", Plans.PEER)),
                Sorted.map(),
                Sorted.map(),
                Sorted.map(),
                Sorted.map(),
                Sorted.copyOf(List.of(Plans.ip("fd00:10:244::7"))),
                NodePlan.Egress.NONE);
        Routing routing = wanted(plan);
        assertThat(routing.routes()).isNotEmpty().allMatch(r -> r.destination().family() == IpFamily.IPV4);
        assertThat(routing.rules()).isNotEmpty().allMatch(r -> r.family() == IpFamily.IPV4);
        assertThat(routing.neighbours()).isNotEmpty().allMatch(n -> n.address().family() == IpFamily.IPV4);
        assertThat(routing.addresses()).hasSize(1);
    }

    @Test
    void U4_what_is_as_wanted_is_asked_for_no_change() {
        assertThat(changes(Plans.full(), reached(Plans.full(), DEVICE)).isEmpty())
                .isTrue();
    }

    @Test
    void the_kernel_s_lo_on_routes_that_lead_nowhere_is_no_difference() {
        RoutingState reached = reached(Plans.full(), DEVICE);
        SortedSet<Route> routes = new TreeSet<>();
        reached.routes()
                .forEach(r -> routes.add(
                        r.device() != null || r.destination().family() == IpFamily.IPV4
                                ? r
                                : new Route(
                                        r.table(),
                                        r.type(),
                                        r.destination(),
                                        "lo",
                                        null,
                                        false,
                                        r.metric(),
                                        109,
                                        0,
                                        null)));
        RoutingState listed = new RoutingState(
                reached.links(),
                reached.addresses(),
                reached.neighbours(),
                reached.forwarding(),
                routes,
                reached.rules());
        assertThat(changes(Plans.full(), listed).isEmpty()).isTrue();
    }

    @Test
    void the_device_comes_first_and_rules_last() {
        List<Request> before = changes(Plans.full(), RoutingState.NOTHING).before();
        assertThat(before.getFirst())
                .isEqualTo(new Request.CreateVxlan(
                        "kup0", "kuport", 1803, Plans.MAC, 1370, 4242, 4790, Plans.LINK.underlay()));
        assertThat(before.subList(1, 3)).containsExactly(new Request.SetRpFilter("kup0", 2), new Request.SetUp("kup0"));
        assertThat(before.subList(before.size() - 3, before.size())).allMatch(r -> r instanceof Request.AddRule);
    }

    @Test
    void A2_what_can_be_changed_in_place_is() {
        Link off = device("kuport", 1400, 0, 0, "100.64.0.99", 4790);
        assertThat(changes(Plans.full(), reached(Plans.full(), off)).before())
                .containsExactly(
                        new Request.SetVxlanLocal("kup0", Plans.LINK.underlay()),
                        new Request.SetMtu("kup0", 1370),
                        new Request.SetRpFilter("kup0", 2),
                        new Request.SetUp("kup0"));
    }

    @Test
    void a_device_that_was_too_short_for_ipv6_or_had_the_other_underlay_family_is_made_anew() {
        for (Link other : List.of(
                device("kuport", 1270, Link.IFF_UP, 2, "100.64.0.1", 4790),
                device("kuport", 1370, Link.IFF_UP, 2, "fd00::1", 4790))) {
            assertThat(changes(Plans.full(), reached(Plans.full(), other))
                            .before()
                            .getFirst())
                    .isEqualTo(new Request.DeleteLink("kup0"));
        }
    }

    @Test
    void a_device_that_differs_in_what_cannot_be_changed_is_made_anew_with_all_that_lay_on_it() {
        Link other = device("kuport", 1370, Link.IFF_UP, 2, "100.64.0.1", 4791);
        Changes changes = changes(Plans.full(), reached(Plans.full(), other));
        assertThat(changes.before().getFirst()).isEqualTo(new Request.DeleteLink("kup0"));
        assertThat(changes.before().get(1)).isInstanceOf(Request.CreateVxlan.class);
        assertThat(changes.before())
                .filteredOn(r -> r instanceof Request.AddAddress)
                .hasSize(2);
        assertThat(changes.before())
                .filteredOn(r -> r instanceof Request.AddNeighbour)
                .hasSize(4);
        assertThat(changes.before())
                .filteredOn(r -> r instanceof Request.AddRoute)
                .hasSize(4);
        assertThat(changes.before()).noneMatch(r -> r instanceof Request.AddRule);
        assertThat(changes.after()).isEmpty();
    }

    @Test
    void X3_a_foreign_device_of_our_name_is_named_and_never_touched() {
        RoutingState present = reached(NodePlan.EMPTY, device("", 1370, 0, 0, "100.64.0.1", 4790));
        assertThat(obstacle(present)).contains("kup0").contains("alias");
        List<Request> before = changes(Plans.full(), present).before();
        assertThat(before).isNotEmpty().noneMatch(r -> r.toString().contains("kup0"));
    }

    @Test
    void X3_a_foreign_vxlan_on_our_port_is_named_and_ours_not_made() {
        Link foreign = new Link(
                "vxlan.calico", 9, "vxlan", "", 0, 1400, 1, Plans.PEER_MAC, 0, new Link.Vxlan(1, 4790, null, true));
        RoutingState present = reached(NodePlan.EMPTY, foreign);
        assertThat(obstacle(present)).contains("vxlan.calico").contains("4790");
        assertThat(changes(Plans.full(), present).before()).noneMatch(r -> r instanceof Request.CreateVxlan);
    }

    @Test
    void a_foreign_vxlan_on_another_port_is_no_obstacle() {
        Link foreign = new Link(
                "flannel.1", 9, "vxlan", "", 0, 1400, 1, Plans.PEER_MAC, 0, new Link.Vxlan(4242, 8472, null, true));
        assertThat(LinkObstacle.find(reached(NodePlan.EMPTY, foreign), 4790)).isEmpty();
        assertThat(LinkObstacle.find(reached(NodePlan.EMPTY, DEVICE), 4790)).isEmpty();
    }

    private static String obstacle(RoutingState present) {
        NodeProblem problem = LinkObstacle.find(present, 4790).orElseThrow();
        assertThat(problem.reason()).isEqualTo(NodeReason.VxlanUnavailable);
        return problem.message();
    }

    @Test
    void a_plan_without_a_link_removes_ours_in_the_end() {
        Changes changes = changes(NodePlan.EMPTY, reached(Plans.full(), DEVICE));
        assertThat(changes.before()).isEmpty();
        assertThat(changes.after().getFirst()).isInstanceOf(Request.DeleteRule.class);
        assertThat(changes.after().getLast()).isEqualTo(new Request.DeleteLink("kup0"));
    }

    @Test
    void a_peer_that_moves_is_replaced_not_deleted() {
        MacAddress mac = MacAddress.parse("0a:00:00:00:00:0c");
        Peer moved = new Peer(
                mac,
                Plans.ip("100.64.0.3"),
                1280,
                1,
                Plans.PEER.gateway4(),
                Plans.PEER.gateway6(),
                Plans.PEER.linkAddresses());
        Changes changes = changes(withPeer(moved), reached(withPeer(Plans.PEER), DEVICE));
        assertThat(changes.before())
                .contains(
                        new Request.AddNeighbour(new Neighbour("kup0", Plans.PEER.gateway4(), mac)),
                        new Request.AddRoute(unicast(PEER_TABLE, "0.0.0.0/0", "kup0", "240.0.0.1", true, 1280)));
        assertThat(changes.after())
                .containsExactly(new Request.DeleteForwardingEntry(
                        new ForwardingEntry("kup0", Plans.PEER_MAC, Plans.ip("100.64.0.2"))));
    }

    @Test
    void F8_what_is_too_much_goes_after_the_rules_changed() {
        Changes changes = changes(withPeer(Plans.PEER), reached(Plans.full(), DEVICE));
        assertThat(changes.before()).isEmpty();
        assertThat(changes.after().getFirst())
                .isEqualTo(new Request.DeleteRule(
                        new Rule(IpFamily.IPV4, 90, UPLINK_TABLE, 0xfff000ff, UPLINK_TABLE, 109)));
        assertThat(changes.after())
                .filteredOn(r -> r instanceof Request.DeleteRoute)
                .hasSize(7);
    }
}
