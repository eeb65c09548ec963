package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.LabExtension;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Snapshot;
import li.wlz.kuport.lab.UdpSender;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.netlink.Flow;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What others have on a node stays as it is, byte for byte: before, while kuport delivers, and after its cleanup. */
class ForeignNetnsIT {
    private static final int GAME = 3000;

    /** Things of others that look much like ours, on every node. */
    private static final String OTHERS = """
            set -e
            iptables-nft -A FORWARD -s 10.99.0.0/16 -m conntrack --ctstate INVALID -j DROP
            iptables-nft -t nat -A POSTROUTING -s 10.99.0.0/16 -o eth0 -m comment --comment theirs -j MASQUERADE
            iptables-nft -t mangle -A PREROUTING -s 10.99.0.0/16 -j MARK --set-xmark 0x4000/0x4000
            ip6tables-nft -A INPUT -p tcp --dport 9 -j REJECT
            nft 'table ip kuport { chain theirs { type filter hook forward priority -10; counter; }; }'
            nft 'table inet kuport2 { map accept4 { type ipv4_addr : verdict; }; }'
            ip rule add priority 90 fwmark 0x100/0xff00 lookup 100
            ip rule add priority 90 from 10.99.0.0/16 lookup 100 proto 110
            ip -6 rule add priority 91 from fd99::/64 lookup 100
            ip route add blackhole 10.99.1.0/24 table 100
            ip route add 10.99.2.0/24 dev lo proto 110
            ip -6 route add fd99:1::/64 dev lo proto 10 table 100
            ip neigh add 192.0.2.200 lladdr 02:00:00:00:00:77 dev eth0 nud permanent
            ip link add kup1 type vxlan id 9 dstport 4789 dev eth0
            ip link set kup1 alias kuport-of-others group 1803 up
            ip address add 10.99.3.1/24 dev kup1
            bridge fdb add 02:00:00:00:00:78 dev kup1 dst 192.0.2.201
            """;

    @RegisterExtension
    static final LabExtension LAB = new LabExtension(Layout.plain());

    private static final SortedMap<String, Snapshot> BEFORE = new TreeMap<>();

    private final World world = LAB.world();

    @BeforeAll
    static void others() {
        World world = LAB.world();
        for (MeshNode node : world.nodes()) {
            node.namespace().run("sh", "-c", OTHERS);
            node.pods().forEach(pod -> EchoServer.start(pod.namespace(), pod.name(), Stage.POD_PORT));
        }
        world.nodes().forEach(node -> BEFORE.put(node.name(), Snapshot.of(node.namespace())));
    }

    @AfterAll
    static void nothingWasSpoofed() {
        assertThat(LAB.world().spoofed()).isZero();
    }

    static Stream<Arguments> flags() {
        UnaryOperator<Settings> usual = settings -> settings;
        UnaryOperator<Settings> others = settings -> new Settings(
                settings.nodeName(),
                new MarkSpace(0x12000000, 0xff0000ff),
                77,
                4999,
                IpFamily.IPV6,
                Cidr.parse("241.0.0.0/8"),
                Cidr.parse("fd99:77::/48"),
                List.of(),
                new PortRange(31_000, 31_999),
                null);
        return Stream.of(Arguments.of("the usual flags", usual), Arguments.of("others", others));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("flags")
    void F4_what_is_not_ours_stays_before_during_and_after(String name, UnaryOperator<Settings> flags)
            throws IOException, InterruptedException {
        try (Cluster cluster = Cluster.on(world, flags)) {
            publish(cluster);
            for (Protocol protocol : Protocol.values()) {
                for (IpFamily family : IpFamily.values()) {
                    Visits.seenAsItself(
                            world.cli().namespace(), Dial.to(protocol, AddressPlan.A1.of(family), GAME), "home1-pod1");
                }
            }
            try (UdpSender sender = UdpSender.start(world.cli().namespace(), Dial.udp(AddressPlan.A1.ipv4(), GAME))) {
                sender.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
                for (MeshNode node : world.nodes()) {
                    assertThat(before(node)
                                    .difference(Snapshot.of(node.namespace()).withoutKuport()))
                            .as("others' things on " + node.name() + " while kuport delivers")
                            .isEmpty();
                    otherToolsWork(node);
                }
                for (MeshNode node : world.nodes()) {
                    cleanUp(node);
                }
                for (MeshNode node : world.nodes()) {
                    assertThat(before(node).difference(Snapshot.of(node.namespace())))
                            .as("everything on " + node.name() + " after the cleanup")
                            .isEmpty();
                    assertThat(delivered(cluster, node)).isEmpty();
                }
                int refused = sender.refused();
                await().atMost(Visits.PATIENCE).until(() -> sender.refused() > refused);
            }
        }
    }

    private static Snapshot before(MeshNode node) {
        return BEFORE.getOrDefault(node.name(), new Snapshot(List.of()));
    }

    private void publish(Cluster cluster) {
        cluster.write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"))
                .write("tcp", Manifests.portMap("tcp", "game", "className: public\nprotocol: TCP\nport: " + GAME))
                .write("udp", Manifests.portMap("udp", "game", "className: public\nprotocol: UDP\nport: " + GAME))
                .put(
                        "game",
                        Manifests.workload(
                                "game",
                                Stage.POD_PORT,
                                Manifests.Backend.of(
                                        world.home1(), world.home1().pod(1))));
    }

    private static void otherToolsWork(MeshNode node) {
        for (String tool : List.of("iptables-nft", "ip6tables-nft")) {
            node.namespace().run(tool, "-S");
            node.namespace().run(tool, "-t", "nat", "-S");
            node.namespace().run(tool + "-save");
        }
        node.namespace()
                .run(
                        "iptables-nft",
                        "-C",
                        "FORWARD",
                        "-s",
                        "10.99.0.0/16",
                        "-m",
                        "conntrack",
                        "--ctstate",
                        "INVALID",
                        "-j",
                        "DROP");
        assertThat(node.namespace().run("iptables-nft-save"))
                .contains("theirs")
                .doesNotContain("kuport", "incompatible");
    }

    /** Runs {@code kuport cleanup}, which is told of no flags. */
    private static void cleanUp(MeshNode node) throws IOException, InterruptedException {
        Path log = Files.createTempFile("kuport-cleanup-", ".log");
        Process process =
                node.namespace().start(log, AgentProcess.kuport("cleanup").toArray(String[]::new));
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(log)).isZero();
        Files.delete(log);
    }

    /** Entries that are still translated, or bear anybody's mark. */
    private static List<Flow> delivered(Cluster cluster, MeshNode node) {
        return Flows.to(cluster, node, GAME).stream()
                .filter(flow -> flow.translated() || flow.mark() != 0)
                .toList();
    }
}
