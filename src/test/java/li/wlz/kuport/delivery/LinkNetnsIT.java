package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.Tally;
import li.wlz.kuport.lab.Tally.Hook;
import li.wlz.kuport.lab.Tally.Watch;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The link over meshes of other lengths than usual, and its checksums. */
class LinkNetnsIT {
    /** A server in home1's own network. */
    private static final int FAR_HOST = 3010;

    private static final int HOST_PORT = 8090;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        MeshNode home = STAGE.world().home1();
        STAGE.serveOnHost(home, HOST_PORT);
        STAGE.publish("far-host", "public", FAR_HOST, HOST_PORT, Manifests.Backend.inHostNetworkOf(home));
        Ways.serve(STAGE, "nodes: {edge: {interfaces: [eth0]}}");
    }

    @BeforeEach
    void forgetPaths() {
        world.cli().namespace().run("ip", "route", "flush", "cache");
        world.cli().namespace().run("ip", "-6", "route", "flush", "cache");
    }

    private void everyServerSees(Protocol protocol, IpFamily family) {
        Ways.everyServerSees(List.of(world.cli()), protocol, List.of(AddressPlan.A1.of(family)));
    }

    private static void meshMtu(MeshNode node, int mtu) {
        node.namespace().ip("link set %s mtu %d".formatted(node.meshInterface(), mtu));
    }

    private void assertPathMtu(IpFamily family, int mtu) {
        Dial dial = Dial.udp(AddressPlan.A1.of(family), Ways.FAR)
                .bytes(1371)
                .withDontFragment()
                .attempts(10)
                .within(Visits.PATIENCE);
        assertThat(world.cli().dial(dial)).isEqualTo(new Answer.TooBig(OptionalInt.of(mtu)));
    }

    @Test
    void M1_a_mesh_too_short_for_ipv6_in_the_link_carries_ipv4_alone_and_says_so() {
        MeshNode edge = world.edge();
        try {
            meshMtu(edge, 1320);
            STAGE.cluster().settle();

            assertThat(problems(edge)).singleElement().satisfies(problem -> {
                assertThat(problem.reason()).isEqualTo(NodeReason.LinkMtuTooSmall);
                assertThat(problem.message()).contains("1270", "1330");
            });
            for (Protocol protocol : Protocol.values()) {
                everyServerSees(protocol, IpFamily.IPV4);
                Visits.refused(
                        world.cli().namespace(),
                        Dial.to(protocol, AddressPlan.A1.ipv6(), Ways.FAR).within(Visits.PATIENCE));
                // What does not cross the link does not care.
                Visits.eachSeenAsItself(
                        List.of(world.cli()), List.of(AddressPlan.A1.ipv6()), protocol, Ways.NEAR, "edge-pod1");
            }
            assertPathMtu(IpFamily.IPV4, 1270);
        } finally {
            meshMtu(edge, AddressPlan.MESH_MTU);
        }
        STAGE.cluster().settle();

        assertThat(problems(edge)).isEmpty();
        for (Protocol protocol : Protocol.values()) {
            for (IpFamily family : IpFamily.values()) {
                everyServerSees(protocol, family);
            }
        }
        // The kernel made the device's IPv6 anew: with nothing but what is asked of it.
        assertThat(edge.namespace().run("ip", "-6", "-o", "address", "show", "dev", "kup0"))
                .doesNotContain("fe80");
        assertNothingToDo();
    }

    private List<NodeProblem> problems(MeshNode node) {
        return STAGE.cluster().agent(node).problems();
    }

    private void assertNothingToDo() {
        for (MeshNode node : world.nodes()) {
            String before = kernel(node);
            STAGE.cluster().agent(node).pass();
            assertThat(kernel(node)).isEqualTo(before);
        }
    }

    private static String kernel(MeshNode node) {
        Namespace namespace = node.namespace();
        return namespace.run("nft", "--handle", "--stateless", "list", "table", "inet", "kuport")
                + namespace.run("ip", "-d", "address", "show", "dev", "kup0")
                + namespace.run("ip", "route", "show", "table", "all");
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void M1_a_peer_with_a_thinner_mesh_is_sent_no_longer_packets_than_it_takes(IpFamily family) {
        MeshNode home = world.home1();
        int mesh = 1340;
        int link = mesh - 50;
        int segment = link - (family == IpFamily.IPV4 ? 40 : 60);
        STAGE.cluster().write("home1-node", """
                apiVersion: kuport.wlz.li/v1alpha1
                kind: PortMapNode
                metadata: {name: home1}
                status:
                  link: {up: true, underlay: %s, underlayMTU: %d, mtu: %d, port: 4790, vni: 4242}
                """.formatted(home.mesh().ipv4(), mesh, link));
        try (Tally pod = Tally.start(
                        home.pod(1).namespace(),
                        List.of(
                                new Watch("right", Hook.INPUT, "tcp flags syn tcp option maxseg size " + segment),
                                new Watch("wrong", Hook.INPUT, "tcp flags syn tcp option maxseg size != " + segment)));
                Tally client = Tally.start(
                        world.cli().namespace(),
                        List.of(new Watch(
                                "right",
                                Hook.INPUT,
                                "tcp sport 3000 tcp flags syn tcp option maxseg size " + segment)))) {
            meshMtu(home, mesh);
            STAGE.cluster().settle();

            for (Protocol protocol : Protocol.values()) {
                everyServerSees(protocol, family);
            }
            assertPathMtu(family, link);
            assertThat(pod.packets("right")).isPositive();
            assertThat(pod.packets("wrong")).isZero();
            assertThat(client.packets("right")).isPositive();
            // Another peer is not held to it.
            assertThat(world.edge()
                            .namespace()
                            .run("ip", "route", "show", "table", "main")
                            .lines())
                    .filteredOn(route -> route.contains("mtu lock"))
                    .isNotEmpty()
                    .allMatch(route -> route.contains("mtu lock " + link));
        } finally {
            meshMtu(home, AddressPlan.MESH_MTU);
            STAGE.cluster().remove("home1-node");
        }
    }

    /** The accepting node has not read its peer's report yet. */
    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void M1_a_node_with_a_thinner_mesh_tells_its_own_servers_so_before_others_know(IpFamily family) {
        MeshNode home = world.home1();
        int mesh = 1340;
        String right = " tcp flags syn tcp option maxseg size " + (mesh - 50 - (family == IpFamily.IPV4 ? 40 : 60));
        try (Tally pod = Tally.start(
                        home.pod(1).namespace(), List.of(new Watch("right", Hook.INPUT, "tcp dport 8080" + right)));
                Tally host = Tally.start(
                        home.namespace(), List.of(new Watch("right", Hook.INPUT, "tcp dport " + HOST_PORT + right)))) {
            meshMtu(home, mesh);
            STAGE.cluster().settle();
            IpAddress dialled = AddressPlan.A1.of(family);
            Visits.seenAsItself(world.cli().namespace(), Dial.tcp(dialled, Ways.FAR), "home1-pod1");
            Visits.seenAsItself(world.cli().namespace(), Dial.tcp(dialled, FAR_HOST), "host-home1");
            assertThat(pod.packets("right")).isPositive();
            assertThat(host.packets("right")).isPositive();
        } finally {
            meshMtu(home, AddressPlan.MESH_MTU);
            STAGE.cluster().settle();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nobody", "ends", "nodes", "link", "all"})
    void X1_checksums_are_right_whoever_computes_them(String whoseCardsDoNot) {
        List<Cards> off = cards(whoseCardsDoNot);
        off.forEach(cards -> cards.offload("off"));
        try (Tally outer = Tally.start(
                world.home1().namespace(),
                List.of(
                        new Watch("without", Hook.PREROUTING, "udp dport 4790 udp checksum 0"),
                        new Watch("with", Hook.PREROUTING, "udp dport 4790 udp checksum != 0")))) {
            List<String> before = wrongChecksums();
            for (IpFamily family : IpFamily.values()) {
                for (Protocol protocol : Protocol.values()) {
                    everyServerSees(protocol, family);
                }
                Visits.seenAsItself(
                        world.cli().namespace(),
                        Dial.tcp(AddressPlan.A1.of(family), Ways.FAR)
                                .bytes(100_000)
                                .answered(100_000)
                                .within(Visits.PATIENCE),
                        "home1-pod1");
            }

            assertThat(wrongChecksums()).isEqualTo(before);
            // The inner packets have sums of their own; the mesh's are encrypted with everything.
            assertThat(outer.packets("without")).isPositive();
            assertThat(outer.packets("with")).isZero();
        } finally {
            off.forEach(cards -> cards.offload("on"));
        }
    }

    /** Devices of one namespace. */
    private record Cards(Namespace namespace, List<String> devices) {
        void offload(String onOrOff) {
            devices.forEach(device -> namespace.run("ethtool", "-K", device, "tx", onOrOff));
        }
    }

    private List<Cards> cards(String whose) {
        List<Cards> ends = Stream.of(
                        world.cli(), world.home1().pod(1), world.edge().pod(1))
                .map(host -> new Cards(host.namespace(), List.of("eth0")))
                .toList();
        List<Cards> nodes = Stream.of(world.edge(), world.home1())
                .map(node -> new Cards(node.namespace(), List.of("eth0", "veth1", "cni0")))
                .toList();
        List<Cards> link = Stream.of(world.edge(), world.home1())
                .map(node -> new Cards(node.namespace(), List.of("kup0")))
                .toList();
        return switch (whose) {
            case "nobody" -> List.of();
            case "ends" -> ends;
            case "nodes" -> nodes;
            case "link" -> link;
            case "all" -> Stream.of(ends, nodes, link).flatMap(List::stream).toList();
            default -> throw new IllegalArgumentException(whose);
        };
    }

    /** How many packets each end has dropped for their checksums. */
    private List<String> wrongChecksums() {
        return Stream.of(world.cli(), world.home1().pod(1), world.edge().pod(1))
                .map(Host::namespace)
                .map(namespace -> namespace + wrongChecksums(namespace))
                .toList();
    }

    private static String wrongChecksums(Namespace namespace) {
        List<String> four = namespace
                .run("cat", "/proc/net/snmp")
                .lines()
                .filter(line -> line.startsWith("Tcp:") || line.startsWith("Udp:"))
                .toList();
        StringBuilder counts = new StringBuilder();
        for (int i = 0; i < four.size(); i += 2) {
            List<String> names = List.of(four.get(i).split(" ", -1));
            counts.append(' ').append(four.get(i + 1).split(" ", -1)[names.indexOf("InCsumErrors")]);
        }
        Matcher six = Pattern.compile("Udp6InCsumErrors\\s+\\d+").matcher(namespace.run("cat", "/proc/net/snmp6"));
        while (six.find()) {
            counts.append(' ').append(six.group());
        }
        return counts.toString();
    }
}
