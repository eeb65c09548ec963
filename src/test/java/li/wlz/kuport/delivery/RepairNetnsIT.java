package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.LabExtension;
import li.wlz.kuport.lab.Lasting;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Snapshot;
import li.wlz.kuport.lab.UdpSender;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpFamily;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real agents, each a process: others damage what is theirs, and they are killed themselves, while traffic flows. */
class RepairNetnsIT {
    private static final int GAME = 3000;

    /** All that is ours, without what a new one would have otherwise: handles, the device's index, and nft's order by age. */
    private static final String OURS = """
            nft --stateless list table inet kuport | sort
            (ip -4 rule; ip -6 rule) | grep 'proto 109'
            (ip -4 -o route show table all proto 109; ip -6 -o route show table all proto 109) | sort
            (ip -4 neigh show dev kup0 nud permanent; ip -6 neigh show dev kup0 nud permanent) | sort
            bridge fdb show dev kup0 | sort
            ip -brief link show dev kup0
            ip -brief address show dev kup0
            ip -d -o link show dev kup0 | grep -o ' mtu [0-9]*'
            """;

    /** The tables of others, as text that nft reads. */
    private static final String FOREIGN = """
            nft list tables | grep -v '^table inet kuport$' | while read table; do nft list $table; done
            """;

    @RegisterExtension
    static final LabExtension LAB = new LabExtension(Layout.plain());

    private static Cluster cluster;
    private static final Map<String, AgentProcess> AGENTS = new LinkedHashMap<>();

    private final World world = LAB.world();
    private final List<UdpSender> senders = new ArrayList<>();

    @BeforeAll
    static void serve() {
        World world = LAB.world();
        world.nodes()
                .forEach(node -> node.pods()
                        .forEach(pod ->
                                li.wlz.kuport.lab.EchoServer.start(pod.namespace(), pod.name(), Stage.POD_PORT)));
        // Others may have our name where it is not ours.
        world.nodes().forEach(node -> node.namespace().nft("table ip kuport {\n chain theirs {\n counter\n }\n}\n"));
        cluster = Cluster.on(world)
                .write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"));
        for (String protocol : List.of("TCP", "UDP")) {
            cluster.write(
                    protocol,
                    Manifests.portMap(
                            protocol.toLowerCase(java.util.Locale.ROOT),
                            "game",
                            "className: public\nprotocol: " + protocol + "\nport: " + GAME));
        }
        game(world.home1());
        world.nodes().forEach(node -> AGENTS.put(node.name(), AgentProcess.start(node, cluster.folder())));
        AGENTS.values().forEach(AgentProcess::awaitFirstPass);
    }

    private static void game(MeshNode node) {
        cluster.write("game", Manifests.workload("game", Stage.POD_PORT, Manifests.Backend.of(node, node.pod(1))));
    }

    @AfterAll
    static void end() {
        AGENTS.values().forEach(AgentProcess::close);
        cluster.close();
    }

    @BeforeEach
    void send() {
        for (IpFamily family : IpFamily.values()) {
            senders.add(UdpSender.start(world.cli().namespace(), Dial.udp(AddressPlan.A1.of(family), GAME)));
        }
        answered("home1-pod1");
    }

    @AfterEach
    void stop() {
        senders.forEach(UdpSender::close);
    }

    private void answered(String pod) {
        senders.forEach(sender -> sender.awaitAnswerOf(pod, Visits.PATIENCE));
    }

    private static String ours(MeshNode node) {
        return node.namespace().run("sh", "-c", OURS);
    }

    /** Edge and home1: both ends. */
    private List<MeshNode> ends() {
        return List.of(world.edge(), world.home1());
    }

    /** Each is done to both ends at once. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "nft delete table inet kuport",
                "nft flush table inet kuport",
                "nft flush chain inet kuport steer; nft delete chain inet kuport steer",
                "nft flush chain inet kuport deliver",
                "nft delete rule inet kuport replies handle $(nft -a list chain inet kuport replies | sed -n 's/.*# handle //p' | tail -1)",
                "nft flush map inet kuport accept4; nft flush map inet kuport deliver4",
                "nft add element inet kuport accept4 '{ 203.0.113.9 . udp . 9 : 10.244.1.10 . 9 }'",
                "nft insert rule inet kuport steer drop",
                "nft 'delete table inet kuport; table inet kuport { chain theirs { type filter hook prerouting priority -120; drop; } }'",
                "ip rule delete priority 90; ip -6 rule delete priority 90",
                "ip route flush table all proto 109; ip -6 route flush table all proto 109",
                "ip route delete $(ip route show proto 109 | grep -v unreachable | head -1)",
                "ip neigh flush dev kup0 nud permanent; ip -6 neigh flush dev kup0 nud permanent",
                "bridge fdb show dev kup0 | while read mac rest; do bridge fdb delete $mac dev kup0 dst ${rest#dst } ; done",
                "ip address flush dev kup0",
                "ip link set kup0 mtu 1300",
                "ip link set kup0 down",
                "ip link delete kup0"
            })
    void F1_what_somebody_else_deletes_or_changes_is_put_right(String damage) {
        SortedMap<String, String> before = new TreeMap<>();
        SortedMap<String, Snapshot> foreign = new TreeMap<>();
        for (MeshNode node : ends()) {
            before.put(node.name(), ours(node));
            foreign.put(node.name(), Snapshot.of(node.namespace()).withoutKuport());
        }
        ends().forEach(node -> node.namespace().run("sh", "-c", damage + "\ntrue"));
        repaired(before);
        for (MeshNode node : ends()) {
            Snapshot then = foreign.getOrDefault(node.name(), Snapshot.of(node.namespace()));
            assertThat(then.difference(Snapshot.of(node.namespace()).withoutKuport()))
                    .isEmpty();
        }
    }

    private void repaired(SortedMap<String, String> before) {
        for (MeshNode node : ends()) {
            await().atMost(Visits.PATIENCE)
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(ours(node)).as(node.name()).isEqualTo(before.get(node.name())));
        }
        answered("home1-pod1");
        for (IpFamily family : IpFamily.values()) {
            Visits.seenAsItself(world.cli().namespace(), Dial.tcp(AddressPlan.A1.of(family), GAME), "home1-pod1");
        }
        assertThat(senders)
                .allSatisfy(sender -> assertThat(sender.received())
                        .allSatisfy(answer -> assertThat(answer.sourceSeen()).isEqualTo(sender.local())));
    }

    @Test
    void F1_after_a_flush_of_the_whole_ruleset_ours_comes_back_and_late_senders_are_picked_up() {
        SortedMap<String, String> before = new TreeMap<>();
        SortedMap<String, String> foreign = new TreeMap<>();
        for (MeshNode node : ends()) {
            before.put(node.name(), ours(node));
            foreign.put(node.name(), node.namespace().run("sh", "-c", FOREIGN));
        }
        // In one go and from many ports, so that some flows begin while the table is away.
        ends().forEach(node -> node.namespace().nft("flush ruleset\n"));
        for (int sender = 0; sender < 10; sender++) {
            senders.add(UdpSender.start(world.cli().namespace(), Dial.udp(AddressPlan.A1.ipv4(), GAME)));
        }
        repaired(before);
        ends().forEach(node -> node.namespace().nft(foreign.getOrDefault(node.name(), "")));
    }

    @Test
    void K2_rules_and_routes_that_vanish_again_and_again_come_back_each_time() {
        SortedMap<String, String> before = new TreeMap<>();
        ends().forEach(node -> before.put(node.name(), ours(node)));
        for (int time = 0; time < 100; time++) {
            String damage = time % 2 == 0
                    ? "ip rule delete priority 90; ip -6 rule delete priority 90"
                    : "ip route flush table all proto 109; ip -6 route flush table all proto 109";
            world.home1().namespace().run("sh", "-c", damage + "\ntrue");
        }
        repaired(before);
    }

    @Test
    void U4_agents_that_end_or_are_killed_and_start_again_lose_no_packet_and_write_nothing() {
        try (Lasting lasting = Lasting.open(world.cli().namespace(), AddressPlan.A1, GAME);
                Journal edge = Journal.start(world.edge().namespace());
                Journal home1 = Journal.start(world.home1().namespace())) {
            Map<String, List<Integer>> flows = Flows.ids(cluster, world.nodes(), lasting.clients());
            for (boolean killed : List.of(true, false)) {
                ends().forEach(node -> restart(node, killed));
                ends().forEach(node -> agent(node).awaitFirstPass());
            }
            for (Journal journal : List.of(edge, home1)) {
                assertThat(journal.table()).isEmpty();
                assertThat(journal.routing()).isEmpty();
            }
            assertThat(Flows.ids(cluster, world.nodes(), lasting.clients())).isEqualTo(flows);
            lasting.lostNothing();
        }
    }

    private static AgentProcess agent(MeshNode node) {
        AgentProcess agent = AGENTS.get(node.name());
        if (agent == null) {
            throw new IllegalArgumentException("no agent on " + node.name());
        }
        return agent;
    }

    private static void restart(MeshNode node, boolean killed) {
        if (killed) {
            agent(node).kill();
        } else {
            agent(node).terminate();
        }
        AGENTS.put(node.name(), AgentProcess.start(node, cluster.folder()));
    }

    @Test
    void P5_agents_killed_in_the_midst_of_a_change_leave_one_target_for_each_port() {
        for (int time = 0; time < 3; time++) {
            MeshNode next = time % 2 == 0 ? world.home2() : world.home1();
            game(next);
            // From before the folder is read to after the kernel's transaction, somewhere.
            LockSupport.parkNanos(time * 15_000_000L);
            restart(world.edge(), true);
            agent(world.edge()).awaitFirstPass();
            answered(next.pod(1).name());
            assertThat(world.edge().namespace().run("nft", "list", "map", "inet", "kuport", "accept4"))
                    .containsOnlyOnce(AddressPlan.A1.ipv4() + " . udp . " + GAME + " : ");
        }
        game(world.home1());
        answered("home1-pod1");
    }
}
