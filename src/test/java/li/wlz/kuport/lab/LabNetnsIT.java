package li.wlz.kuport.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import li.wlz.kuport.lab.Tally.Hook;
import li.wlz.kuport.lab.Tally.Watch;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The plain world, and the lab's own tools in it, without kuport. */
class LabNetnsIT {
    private static final int PORT = 3000;
    private static final Duration SHORT = Duration.ofMillis(300);

    @RegisterExtension
    static final LabExtension LAB = new LabExtension(Layout.plain());

    private final World world = LAB.world();

    static Stream<Arguments> ways() {
        return Stream.of(Protocol.values())
                .flatMap(protocol -> Stream.of(IpFamily.values()).map(family -> Arguments.of(protocol, family)));
    }

    /** A server that answers from the address that was dialled, though the node has many. */
    private EchoServer onEdge(String label) {
        return EchoServer.start(
                world.edge().namespace(), label, PORT, world.edge().addresses());
    }

    @ParameterizedTest
    @MethodSource("ways")
    void a_client_reaches_a_public_node_and_both_see_each_others_addresses(Protocol protocol, IpFamily family) {
        try (EchoServer server = onEdge("edge")) {
            Answer answer = world.cli()
                    .dial(Dial.to(protocol, AddressPlan.A1.of(family), PORT).fromPort(40_000));

            Peer client = new Peer(AddressPlan.CLIENT.of(family), 40_000);
            assertThat(answer)
                    .isEqualTo(new Answer.Reply("edge", client, new Peer(AddressPlan.A1.of(family), PORT), client));
            assertThat(server.sightings()).containsExactly(new EchoServer.Sighting(protocol, client, 64));
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void nodes_reach_each_other_and_each_others_pods_through_the_mesh(Protocol protocol, IpFamily family) {
        for (MeshNode from : world.nodes()) {
            for (MeshNode to : world.nodes()) {
                try (EchoServer onNode = EchoServer.start(
                                to.namespace(), to.name(), PORT, to.mesh().both());
                        EchoServer inPod = EchoServer.start(to.pod(1).namespace(), "pod", PORT)) {
                    assertThat(from.dial(Dial.to(protocol, to.mesh(family), PORT)))
                            .as("%s to %s", from.name(), to.name())
                            .isInstanceOf(Answer.Reply.class);
                    assertThat(from.dial(Dial.to(protocol, to.pod(1).address(family), PORT)))
                            .isInstanceOf(Answer.Reply.class);
                    assertThat(onNode.sources()).containsExactly(from.mesh(family));
                    assertThat(inPod.sources())
                            .containsExactly(
                                    from.equals(to) ? to.podBlock().gateway().of(family) : from.mesh(family));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void pods_reach_the_outside_as_their_node_and_each_other_as_themselves(Protocol protocol, IpFamily family) {
        Host pod = world.home1().pod(2);
        try (EchoServer outside = EchoServer.start(world.cli().namespace(), "cli", PORT);
                EchoServer far = EchoServer.start(world.edge().pod(1).namespace(), "pod", PORT)) {
            assertThat(pod.dial(Dial.to(protocol, world.cli().address(family), PORT)))
                    .isInstanceOf(Answer.Reply.class);
            assertThat(pod.dial(Dial.to(protocol, world.edge().pod(1).address(family), PORT)))
                    .isInstanceOf(Answer.Reply.class);

            // The home router translates IPv4 once more.
            assertThat(outside.sources())
                    .containsExactly(
                            switch (family) {
                                case IPV4 -> AddressPlan.HOME_ROUTER.ipv4();
                                case IPV6 ->
                                    world.home1()
                                            .uplinks()
                                            .getFirst()
                                            .addresses()
                                            .getFirst()
                                            .ipv6();
                            });
            assertThat(far.sources()).containsExactly(pod.address(family));
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void nobody_outside_reaches_a_home_node(Protocol protocol, IpFamily family) {
        try (EchoServer server = EchoServer.start(world.home1().namespace(), "home1", PORT)) {
            var address =
                    world.home1().uplinks().getFirst().addresses().getFirst().of(family);

            assertThat(world.cli().dial(Dial.to(protocol, address, PORT).within(SHORT)))
                    .isNotInstanceOf(Answer.Reply.class);
            assertThat(server.sightings()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void A3_the_mesh_drops_packets_from_sources_that_are_no_nodes(IpFamily family) {
        Namespace edge = world.edge().namespace();
        var stranger = family == IpFamily.IPV4 ? "198.18.0.1" : "2001:db8:bad::1";
        String prefix = family == IpFamily.IPV4 ? "32" : "128";
        edge.ip("address add " + stranger + "/" + prefix + " dev lo");
        try (EchoServer server = EchoServer.start(world.home1().namespace(), "home1", PORT);
                Tally sent = Tally.start(
                        edge,
                        List.of(new Watch("strange", Hook.POSTROUTING, "oifname \"wg-edge\" udp dport " + PORT)))) {
            Dial dial = Dial.udp(world.home1().mesh(family), PORT);

            assertThat(world.edge().dial(dial.from(IpAddress.parse(stranger)).within(SHORT)))
                    .isEqualTo(new Answer.TimedOut());
            assertThat(sent.packets("strange")).isEqualTo(1);
            assertThat(server.sightings()).isEmpty();
            assertThat(world.edge().dial(dial)).isInstanceOf(Answer.Reply.class);
        } finally {
            edge.ip("address delete " + stranger + "/" + prefix + " dev lo");
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void providers_drop_and_count_sources_that_are_not_the_senders(IpFamily family) {
        Namespace cli = world.cli().namespace();
        String borrowed = AddressPlan.CLIENT2.of(family) + (family == IpFamily.IPV4 ? "/32" : "/128");
        // Without nodad an IPv6 address can be bound to only a moment later.
        cli.ip("address add " + borrowed + " dev lo" + (family == IpFamily.IPV6 ? " nodad" : ""));
        long before = world.spoofed();
        try {
            assertThat(world.cli()
                            .dial(Dial.udp(AddressPlan.A1.of(family), PORT)
                                    .from(AddressPlan.CLIENT2.of(family))
                                    .within(SHORT)))
                    .isEqualTo(new Answer.TimedOut());
            assertThat(world.spoofed()).isEqualTo(before + 1);
        } finally {
            cli.ip("address delete " + borrowed + " dev lo");
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void a_port_without_a_listener_is_refused(Protocol protocol, IpFamily family) {
        assertThat(world.cli().dial(Dial.to(protocol, AddressPlan.A1.of(family), 9)))
                .isEqualTo(new Answer.Refused());
    }

    @ParameterizedTest
    @MethodSource("ways")
    void nobody_answering_is_a_time_out(Protocol protocol, IpFamily family) {
        Namespace edge = world.edge().namespace();
        edge.nft("table inet lab-drop { chain input { type filter hook input priority 0\n meta l4proto { tcp, udp } th"
                + " dport 3000 drop\n}\n}");
        try {
            assertThat(world.cli()
                            .dial(Dial.to(protocol, AddressPlan.A1.of(family), PORT)
                                    .within(SHORT)))
                    .isEqualTo(new Answer.TimedOut());
        } finally {
            edge.nft("delete table inet lab-drop");
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void an_answer_from_another_address_than_the_dialled_one_is_seen_as_one(IpFamily family) {
        Namespace edge = world.edge().namespace();
        String word = family == IpFamily.IPV4 ? "ip" : "ip6";
        // Stateless, so that nobody translates back.
        edge.nft("table " + word + " lab-alter { chain out { type filter hook output priority -400\n udp sport 3000 "
                + word + " saddr set " + AddressPlan.A2.of(family) + "\n}\n}");
        try (EchoServer server = onEdge("edge")) {
            Answer answer = world.cli().dial(Dial.udp(AddressPlan.A1.of(family), PORT));

            assertThat(server.sightings()).hasSize(1);
            assertThat(answer)
                    .isInstanceOfSatisfying(
                            Answer.Reply.class,
                            reply -> assertThat(reply.repliedFrom())
                                    .isEqualTo(new Peer(AddressPlan.A2.of(family), PORT)));
        } finally {
            edge.nft("delete table " + word + " lab-alter");
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void long_datagrams_go_in_fragments_both_ways_and_are_counted(IpFamily family) {
        try (EchoServer server = onEdge("edge");
                Tally tally = Tally.start(world.inet(), Watch.fragments("edge"))) {
            Answer answer = world.cli()
                    .dial(Dial.udp(AddressPlan.A1.of(family), PORT)
                            .bytes(20_000)
                            .answered(20_000));

            assertThat(answer).isInstanceOf(Answer.Reply.class);
            assertThat(server.sightings().getFirst().length()).isEqualTo(20_000);
            assertThat(tally.packets("fragments" + family.digit())).isGreaterThanOrEqualTo(14);
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void a_datagram_too_long_for_the_way_is_refused_with_the_mtu_when_it_may_not_be_cut(IpFamily family) {
        try (EchoServer server = EchoServer.start(world.edge().pod(1).namespace(), "pod", PORT)) {
            int mtu = AddressPlan.MESH_MTU;
            int headers = family == IpFamily.IPV4 ? 28 : 48;
            Dial dial = Dial.udp(world.edge().pod(1).address(family), PORT).withDontFragment();

            assertThat(world.home1().dial(dial.bytes(mtu - headers))).isInstanceOf(Answer.Reply.class);
            assertThat(world.home1().dial(dial.bytes(mtu - headers + 1)))
                    .isEqualTo(new Answer.TooBig(OptionalInt.of(mtu)));
            assertThat(server.sightings()).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void a_client_learns_a_smaller_mtu_on_the_way(IpFamily family) {
        Namespace router = world.router();
        router.ip("link set wan0 mtu 1400");
        try (EchoServer server = EchoServer.start(world.cli().namespace(), "cli", PORT)) {
            Dial dial = Dial.udp(world.cli().address(family), PORT).withDontFragment();

            assertThat(world.home2().dial(dial.bytes(1400))).isEqualTo(new Answer.TooBig(OptionalInt.of(1400)));
            assertThat(server.sightings()).isEmpty();
        } finally {
            router.ip("link set wan0 mtu 1500");
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void a_stream_carries_megabytes_each_way_on_one_connection(IpFamily family) {
        try (EchoServer server = onEdge("edge");
                TcpStream stream = TcpStream.open(world.cli().namespace(), Dial.tcp(AddressPlan.A2.of(family), PORT))) {
            for (int i = 0; i < 3; i++) {
                assertThat(stream.exchange(1 << 20, 1 << 20)).isInstanceOf(Answer.Reply.class);
            }
            assertThat(server.sightings()).hasSize(3);
            assertThat(server.sightings().stream()
                            .map(EchoServer.Sighting::sender)
                            .distinct())
                    .hasSize(1);
        }
    }

    @Test
    void a_stream_that_the_server_ends_is_reset() {
        EchoServer server = onEdge("edge");
        try (TcpStream stream = TcpStream.open(world.cli().namespace(), Dial.tcp(AddressPlan.A1.ipv4(), PORT))) {
            assertThat(stream.exchange(64, 64)).isInstanceOf(Answer.Reply.class);
            server.close();
            assertThat(stream.exchange(64, 64)).isInstanceOf(Answer.Reset.class);
        }
        assertThatThrownBy(() -> TcpStream.open(world.cli().namespace(), Dial.tcp(AddressPlan.A1.ipv4(), PORT)))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("cli cannot dial tcp 203.0.113.9:3000")
                .hasMessageContaining("refused");
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void a_sender_keeps_its_port_and_sees_who_answers_and_who_not(IpFamily family) {
        EchoServer first = onEdge("first");
        try (UdpSender sender = UdpSender.start(
                world.cli().namespace(),
                Dial.udp(AddressPlan.A1.of(family), PORT).fromPort(40_001))) {
            sender.awaitAnswerOf("first", Duration.ofSeconds(3));
            first.close();
            Waiting.until("a refusal", Duration.ofSeconds(3), () -> sender.refused() > 0);
            try (EchoServer second = onEdge("second")) {
                sender.awaitAnswerOf("second", Duration.ofSeconds(3));
                sender.stop();
                assertThat(second.sightings()).isNotEmpty();
            }
            assertThat(sender.servers()).containsExactly("first", "second");
            assertThat(sender.received())
                    .allMatch(answer -> answer.sourceSeen().equals(new Peer(AddressPlan.CLIENT.of(family), 40_001)));
            assertThat(sender.lost()).isPositive().isLessThan(sender.sent());
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void nodes_have_a_service_of_kube_proxys_kind(IpFamily family) {
        try (EchoServer server = EchoServer.start(world.home1().pod(1).namespace(), "web", 8080)) {
            for (Host pod : List.of(
                    world.edge().pod(1), world.home1().pod(2), world.home2().pod(1))) {
                assertThat(pod.dial(Dial.tcp(AddressPlan.CLUSTER_SERVICE.of(family), 80)))
                        .as(pod.name())
                        .isInstanceOf(Answer.Reply.class);
            }
            assertThat(server.sources())
                    .containsExactly(
                            world.edge().pod(1).address(family),
                            world.home1().pod(2).address(family),
                            world.home2().pod(1).address(family));
        }
    }

    @Test
    void a_snapshot_stays_the_same_while_packets_flow_and_shows_what_is_changed() {
        Namespace edge = world.edge().namespace();
        Snapshot before = Snapshot.of(edge);
        try (EchoServer server = onEdge("edge")) {
            for (IpFamily family : IpFamily.values()) {
                world.cli().dial(Dial.udp(AddressPlan.A1.of(family), PORT));
                world.edge().pod(1).dial(Dial.udp(world.home2().mesh(family), 9));
            }
            assertThat(server.sightings()).hasSize(2);
        }
        assertThat(before.difference(Snapshot.of(edge))).isEmpty();
        assertThat(Snapshot.of(edge)).isEqualTo(before);

        edge.ip("rule add priority 77 fwmark 7 lookup 7\nroute add unreachable 198.18.0.0/15 table 7");
        assertThat(before.difference(Snapshot.of(edge)))
                .containsExactly(
                        "+ route4: unreachable 198.18.0.0/15 table 7", "+ rule4: 77:\tfrom all fwmark 0x7 lookup 7");
        edge.ip("rule delete priority 77\nroute delete unreachable 198.18.0.0/15 table 7");
        assertThat(Snapshot.of(edge)).isEqualTo(before);
    }

    @Test
    void a_snapshot_can_leave_out_all_that_is_kuports() {
        Namespace node = world.home2().namespace();
        Snapshot before = Snapshot.of(node);
        node.ip("""
                link add kup0 alias kuport type vxlan id 4242 local 100.64.0.3 dstport 4790 nolearning
                address add 240.0.0.1/32 dev kup0
                link set kup0 up
                route add 240.0.0.2/32 dev kup0 proto 109
                neigh add 240.0.0.2 lladdr 02:00:00:00:00:02 dev kup0 nud permanent
                rule add priority 90 fwmark 0x6b700001/0xfff000ff lookup 1802502145 protocol 109
                route add unreachable default table 1802502145 proto 109
                """);
        node.run("bridge", "fdb", "append", "02:00:00:00:00:02", "dev", "kup0", "dst", "100.64.0.1");
        node.nft("table inet kuport { chain forward { type filter hook forward priority 0; }; }");
        Snapshot with = Snapshot.of(node);
        node.ip("""
                link delete kup0
                rule delete priority 90
                route flush table 1802502145
                """);
        node.nft("delete table inet kuport");

        assertThat(with.hasKuport()).isTrue();
        assertThat(before.difference(with)).hasSizeGreaterThan(10);
        assertThat(before.difference(with.withoutKuport())).isEmpty();
        assertThat(Snapshot.of(node)).isEqualTo(before);
    }

    @Test
    void commands_that_fail_say_what_was_tried_and_why() {
        Namespace cli = world.cli().namespace();

        assertThatThrownBy(() -> cli.run("ip", "link", "delete", "nosuch"))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("ip link delete nosuch")
                .hasMessageContaining("Cannot find device");
        assertThatThrownBy(() -> cli.nft("tabel nonsense"))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("its input was:")
                .hasMessageContaining("tabel nonsense");
        assertThatThrownBy(() -> cli.call(() -> Files.readString(Path.of("/nosuch"))))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("in namespace cli")
                .hasRootCauseInstanceOf(NoSuchFileException.class);
    }

    @Test
    void a_dump_has_a_file_for_each_namespace(@TempDir Path folder) throws Exception {
        world.dump(folder);

        assertThat(folder.resolve("home1-pod2.txt")).exists();
        assertThat(Files.readString(folder.resolve("edge.txt")))
                .contains("table ip kube-proxy", "100.64.0.1", "# conntrack -L", "# ip -6 rule");
    }
}
