package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.Peer;
import li.wlz.kuport.lab.Tally;
import li.wlz.kuport.lab.Tally.Hook;
import li.wlz.kuport.lab.Tally.Watch;
import li.wlz.kuport.lab.TcpStream;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients outside dial edge, and whatever serves, wherever it is, sees them; and what is not mapped is left alone. */
class SourceNetnsIT {
    private static final int HOST_PORT = 8090;
    /** Where each kind of endpoint is published; all of edge's addresses. */
    private static final int HOME_POD = 3000;

    private static final int EDGE_POD = 3001;
    private static final int HOME_HOST = 3002;
    private static final int EDGE_HOST = 3003;
    /** Published by the number that the host's own server listens on. */
    private static final int SAME_PORT = 3004;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private static EchoServer homePod;

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        World world = STAGE.world();
        homePod = STAGE.serve(world.home1().pod(1));
        STAGE.serve(world.edge().pod(1));
        STAGE.serveOnHost(world.home1(), HOST_PORT);
        STAGE.serveOnHost(world.edge(), HOST_PORT);
        STAGE.serveOnHost(world.edge(), SAME_PORT);
        STAGE.cluster().write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"));
        STAGE.publish(
                "home-pod",
                "public",
                HOME_POD,
                Backend.of(world.home1(), world.home1().pod(1)));
        STAGE.publish(
                "edge-pod",
                "public",
                EDGE_POD,
                Backend.of(world.edge(), world.edge().pod(1)));
        STAGE.publish("home-host", "public", HOME_HOST, HOST_PORT, Backend.inHostNetworkOf(world.home1()));
        STAGE.publish("edge-host", "public", EDGE_HOST, HOST_PORT, Backend.inHostNetworkOf(world.edge()));
        STAGE.publish("same-port", "public", SAME_PORT, SAME_PORT, Backend.inHostNetworkOf(world.edge()));
        STAGE.cluster().settle();
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    private void everyoneReaches(Protocol protocol, IpFamily family, int port, String server) {
        for (Host client : List.of(world.cli(), world.cli2())) {
            for (IpAddress dialled : List.of(AddressPlan.A1.of(family), AddressPlan.A2.of(family))) {
                Visits.seenAsItself(client.namespace(), Dial.to(protocol, dialled, port), server);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void S1_a_pod_on_a_node_behind_nat_sees_the_client(Protocol protocol, IpFamily family) {
        everyoneReaches(protocol, family, HOME_POD, "home1-pod1");
    }

    @ParameterizedTest
    @MethodSource("ways")
    void S1_a_pod_on_the_dialled_node_sees_the_client(Protocol protocol, IpFamily family) {
        everyoneReaches(protocol, family, EDGE_POD, "edge-pod1");
    }

    @ParameterizedTest
    @MethodSource("ways")
    void E8_a_server_in_another_nodes_network_sees_the_client(Protocol protocol, IpFamily family) {
        everyoneReaches(protocol, family, HOME_HOST, "host-home1");
    }

    @ParameterizedTest
    @MethodSource("ways")
    void E8_a_server_in_the_dialled_nodes_network_sees_the_client(Protocol protocol, IpFamily family) {
        everyoneReaches(protocol, family, EDGE_HOST, "host-edge");
        everyoneReaches(protocol, family, SAME_PORT, "host-edge");
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void S4_two_clients_with_one_source_port_stay_apart_over_tcp_and_udp_on_one_port(IpFamily family) {
        Dial tcp = Dial.tcp(AddressPlan.A1.of(family), HOME_POD).fromPort(25_565);
        Dial udp = Dial.udp(AddressPlan.A1.of(family), HOME_POD).fromPort(25_565);
        try (TcpStream one = TcpStream.open(world.cli().namespace(), tcp);
                TcpStream other = TcpStream.open(world.cli2().namespace(), tcp)) {
            for (int round = 0; round < 3; round++) {
                one.exchange(64, 64);
                other.exchange(64, 64);
                Visits.seenAsItself(world.cli().namespace(), udp, "home1-pod1");
                Visits.seenAsItself(world.cli2().namespace(), udp, "home1-pod1");
            }
        }
        for (Protocol protocol : Protocol.values()) {
            for (IpAddress client : List.of(AddressPlan.CLIENT.of(family), AddressPlan.CLIENT2.of(family))) {
                assertThat(homePod.sightings())
                        .filteredOn(s -> s.protocol() == protocol && s.sender().equals(new Peer(client, 25_565)))
                        .as(protocol + " from " + client)
                        .hasSize(3);
            }
        }
    }

    @Test
    void S9_the_pod_has_nothing_but_its_own_default_route() {
        for (String family : List.of("-4", "-6")) {
            assertThat(world.home1()
                            .pod(1)
                            .namespace()
                            .run("ip", family, "route", "show", "default")
                            .lines())
                    .hasSize(1);
        }
        assertThat(world.home1().pod(1).namespace().run("nft", "list", "ruleset"))
                .isBlank();
        assertThat(world.home1().pod(1).namespace().run("ip", "rule")).doesNotContain("fwmark");
    }

    @Test
    void A3_the_mesh_carries_nodes_addresses_alone_and_no_reply_takes_the_pods_nodes_own_uplink() {
        String strangers4 = "ip saddr != " + AddressPlan.MESH.ipv4();
        String strangers6 = "ip6 saddr != " + AddressPlan.MESH.ipv6();
        try (Tally edge = Tally.start(world.edge().namespace(), mesh("wg-edge", strangers4, strangers6));
                Tally home = Tally.start(world.home1().namespace(), mesh("wg-home1", strangers4, strangers6));
                Tally uplink = Tally.start(
                        world.router(),
                        List.of(
                                from("a4", "ip", AddressPlan.A1.ipv4(), AddressPlan.A2.ipv4()),
                                from("a6", "ip6", AddressPlan.A1.ipv6(), AddressPlan.A2.ipv6()),
                                new Watch("any", Hook.PREROUTING, "iifname \"lan0\"")))) {
            Visits.forEachWay((protocol, family) -> {
                everyoneReaches(protocol, family, HOME_POD, "home1-pod1");
                everyoneReaches(protocol, family, HOME_HOST, "host-home1");
            });

            for (Tally node : List.of(edge, home)) {
                assertThat(node.packets("link")).isPositive();
                assertThat(node.packets("out4") + node.packets("out6") + node.packets("in4") + node.packets("in6"))
                        .isZero();
            }
            assertThat(uplink.packets("any")).isPositive();
            assertThat(uplink.packets("a4") + uplink.packets("a6")).isZero();
        }
    }

    private static List<Watch> mesh(String device, String strangers4, String strangers6) {
        return List.of(
                new Watch("link", Hook.POSTROUTING, "oifname \"" + device + "\" udp dport 4790"),
                new Watch("out4", Hook.POSTROUTING, "oifname \"" + device + "\" " + strangers4),
                new Watch("out6", Hook.POSTROUTING, "oifname \"" + device + "\" " + strangers6),
                new Watch("in4", Hook.PREROUTING, "iifname \"" + device + "\" " + strangers4),
                new Watch("in6", Hook.PREROUTING, "iifname \"" + device + "\" " + strangers6));
    }

    private static Watch from(String name, String word, IpAddress one, IpAddress other) {
        return new Watch(name, Hook.PREROUTING, "iifname \"lan0\" %s saddr { %s, %s }".formatted(word, one, other));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void H8_the_same_port_of_another_host_is_not_captured_on_the_way(Protocol protocol, IpFamily family) {
        Namespace cli2 = world.cli2().namespace();
        try (EchoServer elsewhere = EchoServer.start(cli2, "elsewhere", HOME_POD)) {
            IpAddress address = AddressPlan.CLIENT2.of(family);
            for (Namespace from : List.of(
                    world.edge().pod(1).namespace(),
                    world.edge().namespace(),
                    world.home1().pod(1).namespace(),
                    world.home1().pod(2).namespace(),
                    world.home1().namespace())) {
                Visits.answered(from, Dial.to(protocol, address, HOME_POD), "elsewhere");
            }
            assertThat(elsewhere.sightings()).hasSize(5);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void H8_the_same_port_of_a_nodes_other_addresses_stays_the_hosts(Protocol protocol, IpFamily family) {
        try (EchoServer host = EchoServer.start(
                world.edge().namespace(),
                "mesh-server",
                HOME_POD,
                world.edge().mesh().both())) {
            IpAddress mesh = world.edge().mesh(family);
            for (Namespace from : List.of(
                    world.home1().namespace(),
                    world.edge().namespace(),
                    world.edge().pod(1).namespace())) {
                Visits.answered(from, Dial.to(protocol, mesh, HOME_POD), "mesh-server");
            }
            assertThat(host.sightings()).hasSize(3);
        }
    }

    /** The agent has not seen it yet, and the address may be a neighbour's by now. */
    @ParameterizedTest
    @MethodSource("ways")
    void H8_an_address_that_the_node_has_just_lost_is_not_captured_on_the_way(Protocol protocol, IpFamily family) {
        IpAddress lost = AddressPlan.A2.of(family);
        Namespace edge = world.edge().namespace();
        String held = "address %s " + lost + "/" + AddressPlan.EDGE.of(family).prefixLength() + " dev eth0\n";
        String taken = "address %s " + lost + "/" + family.bits() + " dev edge\n";
        edge.ip(held.formatted("delete"));
        world.inet().ip(taken.formatted("add"));
        try (EchoServer neighbour = EchoServer.start(world.inet(), "neighbour", HOME_POD, List.of(lost))) {
            Visits.answered(
                    world.edge().pod(1).namespace(),
                    Dial.to(protocol, lost, HOME_POD).within(Visits.PATIENCE),
                    "neighbour");
            assertThat(neighbour.sightings()).hasSize(1);
        } finally {
            world.inet().ip(taken.formatted("delete"));
            edge.ip(held.formatted("add"));
        }
    }

    /** As in a traceroute: the source of a refusal is set for what is mapped alone. */
    @Test
    void H8_a_node_on_the_way_of_what_is_not_mapped_answers_for_itself() {
        Namespace pod = world.edge().pod(1).namespace();
        IpAddress far = world.cli().address(IpFamily.IPV4);
        String expired = "icmp type time-exceeded ip saddr ";
        pod.nft("""
                table ip short {
                    chain output {
                        type filter hook output priority 0
                        ip daddr %s ip ttl set 1
                    }
                }
                """.formatted(far));
        try (Tally tally = Tally.start(
                pod,
                List.of(
                        new Watch("any", Hook.PREROUTING, expired + "!= 0.0.0.0"),
                        new Watch("forged", Hook.PREROUTING, expired + far)))) {
            world.edge().pod(1).dial(Dial.udp(far, 33_434));
            assertThat(tally.packets("any")).isPositive();
            assertThat(tally.packets("forged")).isZero();
        } finally {
            pod.nft("delete table ip short\n");
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void H4_localhost_is_not_published_and_refuses_at_once(Protocol protocol, IpFamily family) {
        IpAddress localhost = IpAddress.parse(family == IpFamily.IPV4 ? "127.0.0.1" : "::1");
        for (int port : List.of(HOME_POD, EDGE_POD)) {
            Visits.refused(world.edge().namespace(), Dial.to(protocol, localhost, port));
        }
        try (EchoServer host = EchoServer.start(world.edge().namespace(), "local", HOME_POD, List.of(localhost))) {
            Visits.seenAs(localhost, world.edge().namespace(), Dial.to(protocol, localhost, HOME_POD), "local");
            assertThat(host.sightings()).hasSize(1);
        }
    }

    @Test
    void H5_no_interface_routes_loopback_addresses() {
        for (var node : world.nodes()) {
            assertThat(node.namespace()
                            .run("sh", "-c", "grep -L '^0' /proc/sys/net/ipv4/conf/*/route_localnet || true"))
                    .as("files on " + node.name() + " that say other than 0")
                    .isBlank();
        }
    }
}
