package li.wlz.kuport.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import li.wlz.kuport.lab.Tally.Hook;
import li.wlz.kuport.lab.Tally.Watch;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each feature that a layout can ask for is there, and does what its description says. */
class LayoutNetnsIT {
    private static final int PORT = 3000;
    private static final Duration SHORT = Duration.ofMillis(300);

    private static EchoServer onNode(MeshNode node) {
        return EchoServer.start(node.namespace(), node.name(), PORT, node.addresses());
    }

    private static void assertReply(Answer answer, IpAddress sourceSeen) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        Answer.Reply.class,
                        reply -> assertThat(reply.sourceSeen().address()).isEqualTo(sourceSeen));
    }

    @ParameterizedTest
    @EnumSource(
            value = Feature.class,
            names = {"SECOND_UPLINK", "POINT_TO_POINT_UPLINK"})
    void a_second_uplink_works_only_if_replies_leave_by_it(Feature uplink) {
        try (World world = World.build(Layout.plain().with(uplink));
                EchoServer server = onNode(world.edge())) {
            for (IpFamily family : IpFamily.values()) {
                Dial dial = Dial.udp(AddressPlan.A3.of(family), PORT).within(SHORT);
                long spoofed = world.spoofed();
                assertThat(world.cli().dial(dial)).isEqualTo(new Answer.TimedOut());
                assertThat(world.spoofed()).isEqualTo(spoofed + 1);

                replyByEth1(world.edge().namespace(), uplink, family);
                for (Host client : List.of(world.cli(), world.cli2())) {
                    for (Protocol protocol : Protocol.values()) {
                        assertReply(
                                client.dial(Dial.to(protocol, AddressPlan.A3.of(family), PORT)),
                                client.address(family));
                    }
                }
                assertThat(world.spoofed()).isEqualTo(spoofed + 1);
            }
            assertThat(server.sources()).hasSize(4);
        }
    }

    private static void replyByEth1(Namespace edge, Feature uplink, IpFamily family) {
        String option = family == IpFamily.IPV4 ? "-4" : "-6";
        String source = AddressPlan.A3.of(family).toString();
        String gateway = AddressPlan.EDGE_SECOND.gateway().of(family).toString();
        edge.run("ip", option, "rule", "add", "priority", "77", "from", source, "lookup", "7");
        if (uplink == Feature.POINT_TO_POINT_UPLINK) {
            edge.run("ip", option, "route", "add", "default", "dev", "eth1", "table", "7");
        } else {
            edge.run("ip", option, "route", "add", "default", "via", gateway, "dev", "eth1", "table", "7");
        }
    }

    @Test
    void clients_on_the_networks_of_both_uplinks_reach_them_without_a_router() {
        try (World world = World.build(Layout.plain().with(Feature.SECOND_UPLINK, Feature.ON_LINK_CLIENTS));
                EchoServer server = onNode(world.edge());
                Tally routed =
                        Tally.start(world.inet(), List.of(new Watch("routed", Hook.FORWARD, "udp dport " + PORT)))) {
            for (IpFamily family : IpFamily.values()) {
                assertReply(
                        world.client("near").dial(Dial.udp(AddressPlan.A1.of(family), PORT)),
                        AddressPlan.NEAR.of(family));
                assertReply(
                        world.client("near2").dial(Dial.udp(AddressPlan.A3.of(family), PORT)),
                        AddressPlan.NEAR2.of(family));
                assertThat(routed.packets("routed")).isZero();
            }
            assertThat(server.sightings()).hasSize(4);
        }
    }

    @Test
    void the_provider_translates_public_addresses_one_to_one() {
        try (World world = World.build(Layout.plain().with(Feature.ONE_TO_ONE_NAT));
                EchoServer onEdge = onNode(world.edge());
                EchoServer onClient = EchoServer.start(world.cli().namespace(), "cli", PORT)) {
            assertThat(world.edge().addresses()).doesNotContain(AddressPlan.A1.ipv4(), AddressPlan.A2.ipv4());
            for (DualAddress dialled : List.of(AddressPlan.A1, AddressPlan.A2)) {
                for (IpFamily family : IpFamily.values()) {
                    assertReply(world.cli().dial(Dial.tcp(dialled.of(family), PORT)), AddressPlan.CLIENT.of(family));
                }
            }
            assertReply(world.edge().dial(Dial.udp(AddressPlan.CLIENT.ipv4(), PORT)), AddressPlan.A1.ipv4());
            assertThat(onEdge.sightings()).hasSize(4);
            assertThat(onClient.sightings()).hasSize(1);
        }
    }

    @Test
    void home_nodes_meet_at_the_hub_alone_and_without_it_directly() {
        for (boolean hub : List.of(true, false)) {
            Layout layout = hub ? Layout.plain().with(Feature.HUB) : Layout.plain();
            try (World world = World.build(layout);
                    EchoServer server = onNode(world.home2());
                    Tally forwarded = Tally.start(
                            world.edge().namespace(),
                            List.of(new Watch("in", Hook.FORWARD, "iifname \"wg-edge\" oifname \"wg-edge\"")))) {
                for (IpFamily family : IpFamily.values()) {
                    assertReply(
                            world.home1().dial(Dial.udp(world.home2().mesh(family), PORT)),
                            world.home1().mesh(family));
                }
                assertThat(forwarded.packets("in")).isEqualTo(hub ? 4 : 0);
                assertThat(server.sightings()).hasSize(2);
            }
        }
    }

    @Test
    void a_stateful_internet_drops_what_belongs_to_no_connection() {
        for (boolean stateful : List.of(true, false)) {
            Layout layout = stateful ? Layout.plain().with(Feature.STATEFUL_INTERNET) : Layout.plain();
            try (World world = World.build(layout);
                    EchoServer server = onNode(world.edge());
                    TcpStream stream = TcpStream.open(
                            world.cli().namespace(),
                            Dial.tcp(AddressPlan.A1.ipv4(), PORT).within(Duration.ofSeconds(1)))) {
                assertThat(stream.exchange(64, 64)).isInstanceOf(Answer.Reply.class);
                world.inet().run("conntrack", "-F");
                assertThat(stream.exchange(64, 64)).isInstanceOf(stateful ? Answer.TimedOut.class : Answer.Reply.class);
                assertThat(server.sightings()).hasSize(stateful ? 1 : 2);
            }
        }
    }

    @Test
    void an_ingress_firewall_drops_what_is_addressed_to_the_node_but_not_the_cluster() {
        try (World world = World.build(Layout.plain().with(Feature.INGRESS_FIREWALL));
                EchoServer onEdge = onNode(world.edge());
                EchoServer onHome = onNode(world.home1());
                EchoServer inPod = EchoServer.start(world.home1().pod(1).namespace(), "pod", PORT)) {
            for (IpFamily family : IpFamily.values()) {
                assertThat(world.cli()
                                .dial(Dial.udp(AddressPlan.A1.of(family), PORT).within(SHORT)))
                        .isEqualTo(new Answer.TimedOut());
                assertReply(
                        world.edge().dial(Dial.udp(world.home1().mesh(family), PORT)),
                        world.edge().mesh(family));
                assertReply(
                        world.edge().pod(1).dial(Dial.udp(world.home1().pod(1).address(family), PORT)),
                        world.edge().pod(1).address(family));
            }
            assertThat(Tally.packets(world.edge().namespace(), "ingress-firewall", "refused"))
                    .isEqualTo(2);
            assertThat(onEdge.sightings()).isEmpty();
            assertThat(onHome.sightings()).hasSize(2);
            assertThat(inPod.sightings()).hasSize(2);
        }
    }

    @Test
    void nodes_kernel_parameters_are_as_asked_for() {
        Layout strict = Layout.plain().with(Feature.STRICT_REVERSE_PATH, Feature.SOURCE_VALID_MARK);
        for (Layout layout : List.of(strict, Layout.plain())) {
            try (World world = World.build(layout)) {
                for (MeshNode node : world.nodes()) {
                    String strictness = layout.equals(strict) ? "1" : "2";
                    assertThat(Snapshot.of(node.namespace()).lines())
                            .contains(
                                    "sysctl: /proc/sys/net/ipv4/conf/all/rp_filter:" + strictness,
                                    "sysctl: /proc/sys/net/ipv4/conf/eth0/rp_filter:" + strictness,
                                    "sysctl: /proc/sys/net/ipv4/conf/" + node.meshInterface() + "/rp_filter:"
                                            + strictness,
                                    "sysctl: /proc/sys/net/ipv4/conf/all/src_valid_mark:"
                                            + (layout.equals(strict) ? "1" : "0"));
                }
            }
        }
    }

    @Test
    void routed_pods_reach_each_other_their_node_and_the_outside() {
        try (World world = World.build(Layout.plain().with(Feature.ROUTED_PODS))) {
            Host pod = world.home1().pod(1);
            for (IpFamily family : IpFamily.values()) {
                for (Host other : List.of(world.home1().pod(2), world.edge().pod(1))) {
                    try (EchoServer server = EchoServer.start(other.namespace(), "pod", PORT)) {
                        assertReply(pod.dial(Dial.udp(other.address(family), PORT)), pod.address(family));
                        assertThat(server.sightings()).hasSize(1);
                    }
                }
                try (EchoServer server = onNode(world.home1());
                        EchoServer outside = EchoServer.start(world.cli2().namespace(), "cli2", PORT)) {
                    assertThat(pod.dial(Dial.udp(world.home1().mesh(family), PORT)))
                            .isInstanceOf(Answer.Reply.class);
                    assertThat(pod.dial(Dial.udp(AddressPlan.CLIENT2.of(family), PORT)))
                            .isInstanceOf(Answer.Reply.class);
                    assertThat(server.sightings()).hasSize(1);
                    assertThat(outside.sightings()).hasSize(1);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Feature.class,
            names = {"NO_HAIRPIN", "SECOND_PUBLIC_NODE"})
    void a_bridge_sends_back_to_the_port_a_packet_came_from_unless_told_not_to(Feature feature) {
        try (World world = World.build(Layout.plain().with(feature))) {
            assertThat(world.home1().namespace().run("bridge", "-d", "link", "show", "dev", "veth1"))
                    .contains(feature == Feature.NO_HAIRPIN ? "hairpin off" : "hairpin on");
        }
    }

    @Test
    void a_second_public_node_is_part_of_the_mesh() {
        try (World world = World.build(Layout.plain().with(Feature.SECOND_PUBLIC_NODE));
                EchoServer onEdge2 = onNode(world.edge2());
                EchoServer inPod = EchoServer.start(world.edge2().pod(1).namespace(), "pod", PORT)) {
            for (IpFamily family : IpFamily.values()) {
                assertReply(
                        world.cli().dial(Dial.tcp(AddressPlan.EDGE2_ADDRESS.of(family), PORT)),
                        AddressPlan.CLIENT.of(family));
                for (MeshNode node : List.of(world.edge(), world.home1(), world.home2())) {
                    assertReply(node.dial(Dial.udp(world.edge2().pod(1).address(family), PORT)), node.mesh(family));
                }
            }
            assertThat(onEdge2.sightings()).hasSize(2);
            assertThat(inPod.sightings()).hasSize(6);
        }
    }

    @Test
    void bare_nodes_have_no_rules_and_others_have_those_of_kube_proxy_and_a_cni() {
        try (World world = World.build(Layout.plain().with(Feature.BARE))) {
            for (MeshNode node : world.nodes()) {
                assertThat(node.namespace().run("nft", "list", "ruleset")).isEmpty();
            }
        }
        try (World world = World.build(Layout.plain())) {
            for (MeshNode node : world.nodes()) {
                assertThat(node.namespace().run("nft", "list", "tables").lines())
                        .containsExactly(
                                "table ip kube-proxy",
                                "table ip cni-masquerade",
                                "table ip6 kube-proxy",
                                "table ip6 cni-masquerade");
            }
        }
    }

    @Test
    void nothing_is_left_when_a_world_is_closed() throws IOException {
        Set<ProcessHandle> others = ProcessHandle.current().descendants().collect(Collectors.toSet());
        try (World world = World.build(Layout.plain())) {
            EchoServer.start(world.edge().namespace(), "left open", PORT);
            UdpSender.start(world.cli().namespace(), Dial.udp(AddressPlan.A1.ipv4(), PORT));
            TcpStream.open(world.cli().namespace(), Dial.tcp(AddressPlan.A1.ipv4(), PORT));
            world.edge().namespace().start(Path.of("/dev/null"), "sleep", "1000");
            assertThat(files("/run/netns")).hasSizeGreaterThan(10);
            assertThatThrownBy(() -> World.build(Layout.plain()))
                    .isInstanceOf(LabException.class)
                    .hasMessageContaining("only one world");
            assertThat(world.cli().dial(Dial.tcp(AddressPlan.A1.ipv4(), PORT))).isInstanceOf(Answer.Reply.class);
        }

        assertThat(files("/run/netns")).isEmpty();
        assertThat(files("/run/wireguard")).isEmpty();
        // A process that was killed is gone a moment after close; one that is being reaped has no command any more.
        await().untilAsserted(() -> assertThat(ProcessHandle.current()
                        .descendants()
                        .filter(process -> !others.contains(process))
                        .flatMap(process -> process.info().command().stream()))
                .isEmpty());
    }

    private static List<Path> files(String folder) throws IOException {
        try (Stream<Path> files = Files.list(Path.of(folder))) {
            return files.toList();
        }
    }
}
