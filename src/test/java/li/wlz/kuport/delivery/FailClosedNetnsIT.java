package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Feature;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Tally;
import li.wlz.kuport.lab.Tally.Hook;
import li.wlz.kuport.lab.Tally.Watch;
import li.wlz.kuport.lab.UdpSender;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Settings;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Where something is missing or forged, packets go nowhere: never by a wrong way, never to a pod that they are not for. */
class FailClosedNetnsIT {
    private static final int HOME = 3000;
    private static final int EDGE = 3001;
    /** How long to wait for what should not come. */
    private static final Duration BRIEF = Duration.ofSeconds(1);

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain().with(Feature.SECOND_UPLINK));

    private static EchoServer homePod;
    private static EchoServer edgePod;

    private final World world = STAGE.world();
    private final Cluster cluster = STAGE.cluster();

    @BeforeAll
    static void serve() {
        homePod = STAGE.serve(STAGE.world().home1().pod(1));
        edgePod = STAGE.serve(STAGE.world().edge().pod(1));
        STAGE.cluster().write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0, eth1]}}"));
        STAGE.publish("home", "public", HOME, STAGE.endpoint("home1-pod1"));
        STAGE.publish("edge", "public", EDGE, STAGE.endpoint("edge-pod1"));
        STAGE.cluster().settle();
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    private static String ip(IpFamily family) {
        return family == IpFamily.IPV4 ? "ip" : "ip6";
    }

    private void unanswered(Host client, Dial dial) {
        assertThat(client.dial(dial.within(BRIEF)))
                .as(client.name() + " dials " + dial)
                .isEqualTo(new Answer.TimedOut());
    }

    static Stream<Arguments> lostWays() {
        return Stream.of(IpFamily.values())
                .flatMap(family -> Stream.of(
                                "ip -4 rule delete priority 90; ip -6 rule delete priority 90",
                                "ip -4 route flush table $table type unicast; ip -6 route flush table $table type unicast",
                                "ip -4 route flush table $table; ip -6 route flush table $table",
                                "ip link set kup0 down",
                                "ip link set kup0 down; nft flush chain inet kuport leave")
                        .map(damage -> Arguments.of(family, damage)));
    }

    /** Home1's own uplink leads to the client as well, and the home router would even translate what comes out there. */
    @ParameterizedTest
    @MethodSource("lostWays")
    void F9_without_its_way_back_no_reply_leaves_by_the_pods_nodes_own_uplink(IpFamily family, String damage) {
        IpAddress dialled = AddressPlan.A1.of(family);
        try (UdpSender sender = UdpSender.start(world.cli().namespace(), Dial.udp(dialled, HOME));
                Tally router = Tally.start(
                        world.router(),
                        List.of(new Watch(
                                "leak",
                                Hook.PREROUTING,
                                "iifname \"lan0\" " + ip(family) + " daddr "
                                        + world.cli().address(family))))) {
            sender.awaitAnswerOf(homePod.label(), Visits.PATIENCE);
            world.home1()
                    .namespace()
                    .run(
                            "sh",
                            "-c",
                            "table=$(ip rule | sed -n 's/.*lookup \\([0-9]*\\) proto 109.*/\\1/p')\n" + damage);
            unanswered(world.cli(), Dial.tcp(dialled, HOME));
            unanswered(world.cli(), Dial.udp(dialled, HOME));
            assertThat(router.packets("leak")).isZero();

            cluster.agent(world.home1()).pass();
            sender.awaitAnswerOf(homePod.label(), Visits.PATIENCE);
            for (Protocol protocol : Protocol.values()) {
                Visits.seenAsItself(world.cli().namespace(), Dial.to(protocol, dialled, HOME), homePod.label());
            }
            assertThat(router.packets("leak")).isZero();
        }
    }

    /** Edge's default route is eth0's: without the rule, eth1's clients would be answered by it. */
    @ParameterizedTest
    @MethodSource("ways")
    void F9_without_its_way_back_no_reply_leaves_by_another_uplink(Protocol protocol, IpFamily family) {
        Dial dial = Dial.to(protocol, AddressPlan.A3.of(family), EDGE);
        Visits.seenAsItself(world.cli2().namespace(), dial, edgePod.label());
        try (Tally inet = Tally.start(
                world.inet(),
                List.of(new Watch(
                        "leak",
                        Hook.PREROUTING,
                        "iifname \"edge\" " + ip(family) + " saddr " + AddressPlan.A3.of(family))))) {
            world.edge()
                    .namespace()
                    .run(
                            "sh",
                            "-c",
                            "for f in 4 6; do while ip -$f rule delete priority 90 2>/dev/null; do :; done; done");
            unanswered(world.cli2(), dial);
            assertThat(inet.packets("leak")).isZero();
            cluster.agent(world.edge()).pass();
            Visits.seenAsItself(world.cli2().namespace(), dial, edgePod.label());
        }
    }

    static Stream<Arguments> lostLinks() {
        return Stream.of(IpFamily.values())
                .flatMap(family -> Stream.of(
                                "ip link set kup0 down",
                                "ip link delete kup0",
                                "nft delete table inet kuport; ip link delete kup0")
                        .map(damage -> Arguments.of(family, damage)));
    }

    /** Flows go on being translated to link addresses, with rules or without; nobody else is to see such a packet. */
    @ParameterizedTest
    @MethodSource("lostLinks")
    void F9_without_the_link_no_request_leaves_by_the_default_route(IpFamily family, String damage) {
        Dial dial = Dial.udp(AddressPlan.A1.of(family), HOME);
        String toLink = ip(family) + " daddr " + Settings.defaults("edge").linkRange(family);
        try (UdpSender sender = UdpSender.start(world.cli().namespace(), dial);
                Tally inet = Tally.start(
                        world.inet(), List.of(new Watch("leak", Hook.PREROUTING, "iifname \"edge\" " + toLink)))) {
            sender.awaitAnswerOf(homePod.label(), Visits.PATIENCE);
            world.edge().namespace().run("sh", "-c", damage);
            int sent = sender.sent();
            await().atMost(Visits.PATIENCE).until(() -> sender.sent() > sent + 10);
            assertThat(inet.packets("leak")).isZero();

            cluster.agent(world.edge()).pass();
            sender.awaitAnswerOf(homePod.label(), Visits.PATIENCE);
            assertThat(inet.packets("leak")).isZero();
        }
    }

    /** What edge itself would send to home1 for a client: the only thing wrong with it is who sends it. */
    private Forgery forgery(IpFamily family) {
        return new Forgery(
                Forgery.mac(world.edge()),
                Forgery.mac(world.home1()),
                world.cli2().address(family),
                1000,
                Forgery.linkAddress(world.home1(), family, HOME),
                HOME);
    }

    private static boolean saw(EchoServer server, int sourcePort) {
        return server.sightings().stream().anyMatch(s -> s.sender().port() == sourcePort);
    }

    private void onlyTheLastArrives(int first, int last) {
        await().atMost(Visits.PATIENCE).until(() -> saw(homePod, last));
        for (int port = first; port < last; port++) {
            assertThat(saw(homePod, port)).as("the one from port " + port).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void A3_a_datagram_for_the_link_that_a_pod_forges_is_believed_by_nobody(IpFamily family) {
        int base = family == IpFamily.IPV4 ? 1000 : 1100;
        Forgery forgery = forgery(family);
        IpAddress victim = world.home1().mesh().ipv4();
        IpAddress edge = world.edge().mesh().ipv4();
        Host neighbour = world.home1().pod(2);
        forgery.sourcePort(base).send(world.edge().pod(1).namespace(), victim);
        forgery.sourcePort(base + 1).send(world.home2().pod(1).namespace(), victim);
        forgery.sourcePort(base + 2).send(neighbour.namespace(), victim);
        forgery.sourcePort(base + 3).send(world.home2().namespace(), victim);
        neighbour.namespace().ip("address add " + edge + "/32 dev lo\n");
        forgery.sourcePort(base + 4).send(neighbour.namespace(), Optional.of(edge), victim);
        neighbour.namespace().ip("address delete " + edge + "/32 dev lo\n");
        // The peer itself is trusted, so the datagram was well made.
        forgery.sourcePort(base + 5).send(world.edge().namespace(), victim);
        onlyTheLastArrives(base, base + 5);
    }

    /** Our own rules leave the forger's address to what it sends; one of somebody else's that comes before them does not. */
    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void A3_a_datagram_for_the_link_that_a_pod_forges_is_believed_by_nobody_even_if_masqueraded_as_its_nodes(
            IpFamily family) {
        int base = family == IpFamily.IPV4 ? 1500 : 1600;
        Forgery forgery = forgery(family);
        IpAddress victim = world.home1().mesh().ipv4();
        world.edge().namespace().nft("""
                table ip early {
                    chain postrouting {
                        type nat hook postrouting priority 80
                        ip saddr %s masquerade
                    }
                }
                """.formatted(AddressPlan.PODS.ipv4()));
        try {
            forgery.sourcePort(base).send(world.edge().pod(1).namespace(), victim);
            forgery.sourcePort(base + 1).send(world.edge().namespace(), victim);
            onlyTheLastArrives(base, base + 1);
        } finally {
            world.edge().namespace().nft("delete table ip early\n");
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void A3_what_comes_over_the_link_from_no_peer_or_for_the_stand_in_is_dropped(IpFamily family) {
        int base = family == IpFamily.IPV4 ? 1200 : 1300;
        Forgery forgery = forgery(family);
        IpAddress victim = world.home1().mesh().ipv4();
        MeshNode peer = world.edge();
        forgery.sourcePort(base).from("02:00:00:00:00:99").send(peer.namespace(), victim);
        forgery.sourcePort(base + 1).from(Forgery.mac(world.home1())).send(peer.namespace(), victim);
        forgery.sourcePort(base + 2).destination(Ours.standIn(family)).send(peer.namespace(), victim);
        forgery.sourcePort(base + 3)
                .destination(world.home1().pod(1).address(family))
                .send(peer.namespace(), victim);
        forgery.sourcePort(base + 4).send(peer.namespace(), victim);
        onlyTheLastArrives(base, base + 4);
    }

    /** Whoever knows a node's MAC and may speak on the link is no client: what it sends must bear a peer's name. */
    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void A3_what_comes_over_the_link_from_no_peer_does_not_reach_what_the_node_publishes(IpFamily family) {
        MeshNode edge = world.edge();
        int port = family == IpFamily.IPV4 ? 1700 : 1800;
        Forgery forgery = new Forgery(
                "02:00:00:00:00:99",
                Forgery.mac(edge),
                world.cli2().address(family),
                port,
                AddressPlan.A1.of(family),
                EDGE);
        try (Tally arrived = arrivals(edge, port)) {
            forgery.send(world.home1().namespace(), edge.mesh().ipv4());
            await().atMost(Visits.PATIENCE).until(() -> arrived.packets("forged") == 3);
            // What a client sends later is there: so what was sent before it would be.
            Visits.seenAsItself(world.cli2().namespace(), Dial.udp(AddressPlan.A1.of(family), EDGE), edgePod.label());
        }
        assertThat(saw(edgePod, port)).isFalse();
    }

    private static Tally arrivals(MeshNode node, int sourcePort) {
        return Tally.start(
                node.namespace(),
                List.of(new Watch("forged", Hook.PREROUTING, "iifname \"kup0\" udp sport " + sourcePort)));
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void A3_over_the_link_nothing_reaches_what_the_host_itself_serves(IpFamily family) {
        MeshNode home = world.home1();
        int port = family == IpFamily.IPV4 ? 1701 : 1801;
        Forgery forgery = forgery(family).sourcePort(port);
        try (EchoServer host = STAGE.serveOnHost(home, HOME)) {
            forgery.destination(home.mesh(family))
                    .send(world.edge().namespace(), home.mesh().ipv4());
            forgery.sourcePort(port + 1)
                    .send(world.edge().namespace(), home.mesh().ipv4());
            onlyTheLastArrives(port, port + 1);
            Visits.answered(world.edge().namespace(), Dial.udp(home.mesh(family), HOME), "host-home1");
            assertThat(host.sightings()).hasSize(1);
        }
    }

    /** Else it would go from node to node until its hops are used up, or to a pod that its sender has no way to. */
    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void A3_what_comes_over_the_link_never_leaves_by_it(IpFamily family) {
        MeshNode edge = world.edge();
        MeshNode sender = world.home2();
        int port = family == IpFamily.IPV4 ? 1900 : 2000;
        // Edge delivers to a pod for its sender, and so marks what that sends.
        cluster.write("home-class", Manifests.portMapClass("home", "nodes: {home2: {interfaces: [eth0]}}"));
        STAGE.publish("lan", "home", EDGE, STAGE.endpoint("edge-pod1"));
        cluster.settle();
        try {
            new Forgery(
                            Forgery.mac(sender),
                            Forgery.mac(edge),
                            world.cli2().address(family),
                            port,
                            Forgery.linkAddress(world.home1(), family, HOME),
                            HOME)
                    .send(sender.namespace(), edge.mesh().ipv4());
            forgery(family)
                    .sourcePort(port + 1)
                    .send(edge.namespace(), world.home1().mesh().ipv4());
            onlyTheLastArrives(port, port + 1);
        } finally {
            STAGE.withdraw("lan");
            cluster.remove("home-class");
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void A3_a_client_on_the_internet_cannot_speak_on_the_link(IpFamily family) {
        Forgery forgery = new Forgery(
                Forgery.mac(world.home1()),
                Forgery.mac(world.edge()),
                world.home1().pod(1).address(family),
                1400,
                world.edge().pod(1).address(family),
                Stage.POD_PORT);
        try (Tally edge = Tally.start(
                world.edge().namespace(),
                List.of(
                        new Watch("forged", Hook.PREROUTING, "iifname \"kup0\" udp sport 1400"),
                        new Watch("real", Hook.PREROUTING, "iifname \"kup0\" udp sport 1401")))) {
            for (IpAddress outer : AddressPlan.A1.both()) {
                forgery.send(world.cli().namespace(), outer);
            }
            forgery.sourcePort(1401)
                    .send(world.home1().namespace(), world.edge().mesh().ipv4());
            await().atMost(Visits.PATIENCE).until(() -> edge.packets("real") > 0);
            assertThat(edge.packets("forged")).isZero();
        }
        assertThat(saw(edgePod, 1400)).isFalse();
        assertThat(saw(edgePod, 1401))
                .as("even a peer only gets where it may send")
                .isFalse();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void what_bears_the_stand_in_goes_nowhere(Protocol protocol, IpFamily family) {
        IpAddress standIn = Ours.standIn(family);
        for (MeshNode node : List.of(world.edge(), world.home1())) {
            try (Tally tally = Tally.start(
                    node.namespace(),
                    List.of(
                            new Watch("seen", Hook.PREROUTING, ip(family) + " daddr " + standIn),
                            new Watch("left", Hook.POSTROUTING, ip(family) + " daddr " + standIn)))) {
                unanswered(node.pod(1), Dial.to(protocol, standIn, HOME));
                assertThat(tally.packets("seen")).isPositive();
                assertThat(tally.packets("left")).isZero();
            }
        }
    }
}
