package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.Tally;
import li.wlz.kuport.lab.Tally.Hook;
import li.wlz.kuport.lab.Tally.Watch;
import li.wlz.kuport.lab.TcpStream;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Others masquerade, mark and insert rules on the same nodes, before and while packets flow. */
class ForeignRulesNetnsIT {
    private static final int HOME_POD = 3000;
    private static final int EDGE_POD = 3001;
    private static final int HOME_HOST = 3002;
    private static final int HOST_PORT = 8090;

    /** The bits of a mark that are not kuport's. */
    private static final String OTHER_BITS = "0x000fff00";

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        World world = STAGE.world();
        STAGE.serve(world.home1().pod(1));
        STAGE.serve(world.edge().pod(1));
        STAGE.serveOnHost(world.home1(), HOST_PORT);
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
        STAGE.cluster().settle();
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    /** Loads nft text on the accepting node and on the pod's. */
    private void onBoth(String text) {
        for (MeshNode node : List.of(world.edge(), world.home1())) {
            node.namespace().nft(text);
        }
    }

    /** Takes away what a test has loaded; what was there before it stays as it was. */
    @AfterEach
    void removeForeign() {
        onBoth("table inet foreign\ndelete table inet foreign\n");
    }

    private void allReached() {
        Visits.forEachWay(this::reached);
    }

    private void reached(Protocol protocol, IpFamily family) {
        Namespace cli = world.cli().namespace();
        Visits.seenAsItself(cli, Dial.to(protocol, AddressPlan.A1.of(family), HOME_POD), "home1-pod1");
        Visits.seenAsItself(cli, Dial.to(protocol, AddressPlan.A2.of(family), EDGE_POD), "edge-pod1");
        Visits.seenAsItself(cli, Dial.to(protocol, AddressPlan.A1.of(family), HOME_HOST), "host-home1");
    }

    private static String foreignChain(String hook, String rules) {
        return "table inet foreign {\nchain %s {\ntype %s\n%s\n}\n}\n"
                .formatted(hook.replaceAll("[^a-z]", "-"), hook, rules);
    }

    @ParameterizedTest
    @ValueSource(strings = {"masquerade", "masquerade random", "masquerade fully-random"})
    void N1_a_masquerade_of_everything_on_both_nodes_hides_no_client(String masquerade) {
        onBoth(foreignChain("nat hook postrouting priority srcnat", masquerade));
        allReached();
    }

    @Test
    void N1_a_masquerade_of_everything_that_iptables_has_made_hides_no_client() {
        List<Namespace> nodes = List.of(world.edge().namespace(), world.home1().namespace());
        List<String> commands = List.of("iptables-nft", "ip6tables-nft");
        for (Namespace node : nodes) {
            commands.forEach(command -> node.run(command, "-t", "nat", "-I", "POSTROUTING", "-j", "MASQUERADE"));
        }
        try {
            allReached();
        } finally {
            nodes.forEach(node -> node.nft("delete table ip nat\ndelete table ip6 nat\n"));
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void N1_N2_rules_that_others_insert_at_the_head_again_and_again_hide_no_client(Protocol protocol, IpFamily family) {
        String cni = (family == IpFamily.IPV4 ? "ip" : "ip6") + " cni-masquerade";
        List<Namespace> nodes = List.of(world.edge().namespace(), world.home1().namespace());
        try {
            for (int round = 0; round < 5; round++) {
                for (Namespace node : nodes) {
                    node.nft("insert rule " + cni
                            + " postrouting counter masquerade fully-random comment \"inserted\"\n");
                }
                reached(protocol, family);
            }
        } finally {
            nodes.forEach(node -> deleteInserted(node, cni));
        }
    }

    private static void deleteInserted(Namespace node, String table) {
        node.run("nft", "--handle", "list", "table", table.split(" ", 2)[0], table.split(" ", 2)[1])
                .lines()
                .filter(line -> line.contains("\"inserted\""))
                .map(line -> line.replaceAll(".*# handle ", ""))
                .forEach(handle -> node.nft("delete rule " + table + " postrouting handle " + handle + "\n"));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void N3_replies_are_left_alone_by_masquerades_that_are_ordered_before_the_usual(
            Protocol protocol, IpFamily family) {
        onBoth(foreignChain(
                "nat hook postrouting priority 95",
                "ip saddr %s masquerade\nip6 saddr %s masquerade"
                        .formatted(AddressPlan.PODS.ipv4(), AddressPlan.PODS.ipv6())));
        reached(protocol, family);
        if (protocol == Protocol.TCP) {
            try (TcpStream stream =
                    TcpStream.open(world.cli().namespace(), Dial.tcp(AddressPlan.A1.of(family), HOME_POD))) {
                for (int round = 0; round < 3; round++) {
                    assertThat(stream.exchange(20_000, 20_000)).isInstanceOf(Answer.Reply.class);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"prerouting", "forward", "output", "postrouting"})
    void K1_marks_that_others_clear_in_mangle_are_not_missed(String hook) {
        String type = hook.equals("output") ? "route" : "filter";
        onBoth(foreignChain(type + " hook " + hook + " priority -150", "meta mark set meta mark & 0x0000ffff"));
        allReached();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0x00004000", "0x00008000", "0x00002000", "0x00010000", "0x000f0f00"})
    void K1_marks_that_others_set_are_no_hindrance(String bits) {
        onBoth(foreignChain(
                        "filter hook prerouting priority -150",
                        "meta mark set meta mark | " + bits + "\nct mark set ct mark | " + bits)
                + foreignChain(
                        "route hook output priority -150",
                        "meta mark set meta mark | " + bits + "\nct mark set ct mark | " + bits));
        allReached();
    }

    @Test
    void K1_no_bit_of_a_mark_that_is_not_ours_is_changed() {
        String set = "meta mark set meta mark | %1$s\nct mark set ct mark | %1$s".formatted(OTHER_BITS);
        onBoth(foreignChain("filter hook prerouting priority -150", set)
                + foreignChain("route hook output priority -150", set));
        // At -450 before the foreign chain; at 300 behind all chains, ours among them.
        String lost = "%1$s mark & " + OTHER_BITS + " != " + OTHER_BITS;
        String ours = "ct mark & 0xfff00000 == 0x6b700000 ";
        List<Watch> watches = Stream.of(Hook.INPUT, Hook.FORWARD, Hook.POSTROUTING)
                .flatMap(hook -> Stream.of(
                        new Watch("packet-" + hook, hook, ours + lost.formatted("meta")),
                        new Watch("flow-" + hook, hook, ours + lost.formatted("ct")),
                        new Watch("seen-" + hook, hook, ours)))
                .toList();
        try (Tally edge = Tally.start(world.edge().namespace(), watches);
                Tally home = Tally.start(world.home1().namespace(), watches)) {
            allReached();

            for (Tally node : List.of(edge, home)) {
                assertThat(node.packets("seen-FORWARD")).isPositive();
                for (Hook hook : List.of(Hook.INPUT, Hook.FORWARD, Hook.POSTROUTING)) {
                    assertThat(node.packets("packet-" + hook) + node.packets("flow-" + hook))
                            .as("packets at " + hook + " that have lost a foreign bit")
                            .isZero();
                }
            }
            assertThat(home.packets("seen-INPUT")).isPositive();
        }
    }

    @Test
    void K1_the_mark_of_an_unmapped_flow_is_not_given_to_its_packets() {
        onBoth(foreignChain("filter hook prerouting priority -150", "ct mark set 0x42"));
        try (Tally edge = Tally.start(
                world.edge().namespace(),
                List.of(
                        new Watch("replies", Hook.FORWARD, "ct direction reply ct mark 0x42"),
                        new Watch("marked", Hook.FORWARD, "ct mark 0x42 meta mark 0x42")))) {
            Visits.seenAsItself(
                    world.edge().pod(1).namespace(),
                    Dial.tcp(world.home1().pod(1).addresses().ipv4(), Stage.POD_PORT),
                    "home1-pod1");
            assertThat(edge.packets("replies")).isPositive();
            assertThat(edge.packets("marked")).isZero();
        }
    }

    @Test
    void K1_an_unmapped_flow_gets_no_bit_of_ours() {
        String ours = " mark & 0xfff00000 == 0x6b700000";
        List<Watch> watches = Stream.of(Hook.INPUT, Hook.FORWARD, Hook.OUTPUT, Hook.POSTROUTING)
                .flatMap(hook -> Stream.of(
                        new Watch("packet-" + hook, hook, "meta" + ours),
                        new Watch("flow-" + hook, hook, "ct" + ours),
                        new Watch("seen-" + hook, hook, "meta l4proto { tcp, udp }")))
                .toList();
        try (Tally edge = Tally.start(world.edge().namespace(), watches)) {
            for (IpFamily family : IpFamily.values()) {
                Visits.refused(world.cli().namespace(), Dial.tcp(AddressPlan.A1.of(family), 9));
                Visits.seenAsItself(
                        world.edge().pod(1).namespace(),
                        Dial.tcp(world.home1().pod(1).address(family), Stage.POD_PORT),
                        "home1-pod1");
                Visits.answered(
                        world.edge().namespace(), Dial.tcp(AddressPlan.CLUSTER_SERVICE.of(family), 80), "home1-pod1");
            }
            for (Hook hook : List.of(Hook.INPUT, Hook.FORWARD, Hook.OUTPUT, Hook.POSTROUTING)) {
                assertThat(edge.packets("seen-" + hook)).isPositive();
                assertThat(edge.packets("packet-" + hook) + edge.packets("flow-" + hook))
                        .isZero();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void kube_proxys_services_and_the_pods_own_connections_are_what_they_were(Protocol protocol, IpFamily family) {
        if (protocol == Protocol.TCP) {
            Visits.seenAsItself(
                    world.edge().pod(1).namespace(),
                    Dial.tcp(AddressPlan.CLUSTER_SERVICE.of(family), 80),
                    "home1-pod1");
            Visits.answered(world.cli().namespace(), Dial.tcp(AddressPlan.A1.of(family), 30_080), "home1-pod1");
        }
        // A mapped pod as a client, and as a server by its own address.
        Dial direct = Dial.to(protocol, world.home1().pod(1).address(family), Stage.POD_PORT);
        Visits.seenAsItself(world.edge().pod(1).namespace(), direct, "home1-pod1");
        Visits.seenAsItself(world.home1().pod(2).namespace(), direct, "home1-pod1");
    }
}
