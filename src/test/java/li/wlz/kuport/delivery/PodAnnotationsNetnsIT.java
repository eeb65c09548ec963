package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Dialler;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.Tally;
import li.wlz.kuport.lab.Tally.Hook;
import li.wlz.kuport.lab.Tally.Watch;
import li.wlz.kuport.lab.TcpStream;
import li.wlz.kuport.lab.UdpSender;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.PodAnnotations;
import li.wlz.kuport.model.PodReason;
import li.wlz.kuport.model.PodReport;
import li.wlz.kuport.model.Protocol;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Pods of edge ask for its ports by the annotation. */
class PodAnnotationsNetnsIT {
    /** The two examples of the format's documentation, word for word. */
    private static final String MAIL =
            "{\"entries\":[{\"srcPort\":25,\"dstPort\":25},{\"ifaceAuto\":false,\"srcIP\":\"192.168.2.94\",\"srcPort\":587,\"dstPort\":587}]}";

    private static final String GAME = "{\"entries\":[{\"srcPort\":8888,\"dstPort\":8888,\"proto\":\"udp\"}]}";
    private static final int OUTSIDE_PORT = 4000;

    @RegisterExtension
    static final Stage STAGE =
            new Stage(Layout.plain().pods("edge", 3), settings -> settings.with(PodAnnotations.DEFAULT));

    private final World world = STAGE.world();
    private final MeshNode edge = world.edge();
    private final Namespace cli = world.cli().namespace();

    @BeforeAll
    static void serve() {
        World world = STAGE.world();
        STAGE.serve(world.edge().pod(1));
        STAGE.serve(world.edge().pod(2));
        STAGE.serve(world.home1().pod(1));
        STAGE.cluster().settle();
    }

    @AfterEach
    void withdraw() {
        for (String file : List.of("one", "two", "class", "web", "web-tcp", "web-udp")) {
            STAGE.cluster().delete(file);
        }
        STAGE.cluster().settle();
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    private Asking asking(int pod, String annotation) {
        return Asking.of(edge, edge.pod(pod), annotation);
    }

    private PodReport.Line line(String pod, int entry) {
        return STAGE.cluster().agent(edge).line(pod, entry);
    }

    /** The address that is to be detected: the kernel lists the newest IPv6 address first. */
    private IpAddress detected(IpFamily family) {
        return IpAddress.parse(addresses(family).getFirst().replaceAll("/.*", ""));
    }

    private Dial auto(Protocol protocol, IpFamily family, int port) {
        return Dial.to(protocol, detected(family), port);
    }

    /** A dials-out of the pod, and the addresses that a server outside saw. */
    private List<IpAddress> seenOutside(Namespace from, Protocol protocol, IpFamily family) {
        try (EchoServer outside = EchoServer.start(cli, "outside", OUTSIDE_PORT)) {
            Visits.answered(
                    from,
                    Dial.to(protocol, AddressPlan.CLIENT.of(family), OUTSIDE_PORT)
                            .within(Visits.PATIENCE),
                    "outside");
            return outside.sources();
        }
    }

    @Test
    void both_examples_word_for_word_the_pod_sees_the_client_and_srcip_answers_on_that_address_alone() {
        Namespace namespace = edge.namespace();
        namespace.run("ip", "address", "add", "192.168.2.94/32", "dev", "eth0");
        // The provider of this world lets it pass.
        world.inet()
                .run(
                        "ip",
                        "route",
                        "add",
                        "192.168.2.94/32",
                        "via",
                        AddressPlan.A1.ipv4().toString());
        world.inet().run("nft", "insert", "rule", "inet", "access", "forward", "ip", "saddr", "192.168.2.94", "accept");
        try (EchoServer smtp = EchoServer.start(edge.pod(1).namespace(), "smtp", 25);
                EchoServer submission = EchoServer.start(edge.pod(1).namespace(), "submission", 587);
                EchoServer game = EchoServer.start(edge.pod(2).namespace(), "game", 8888)) {
            STAGE.cluster()
                    .write("one", asking(1, MAIL).yaml())
                    .put("two", asking(2, GAME).yaml());

            IpAddress internal = IpAddress.parse("192.168.2.94");
            Visits.seenAsItself(cli, auto(Protocol.TCP, IpFamily.IPV4, 25), "smtp");
            Visits.seenAsItself(cli, auto(Protocol.TCP, IpFamily.IPV6, 25), "smtp");
            Visits.seenAsItself(cli, Dial.tcp(internal, 587), "submission");
            Visits.seenAsItself(cli, auto(Protocol.UDP, IpFamily.IPV4, 8888), "game");
            Visits.seenAsItself(cli, auto(Protocol.UDP, IpFamily.IPV6, 8888), "game");
            for (Dial silent : List.of(
                    auto(Protocol.TCP, IpFamily.IPV4, 587),
                    Dial.tcp(AddressPlan.A2.ipv4(), 587),
                    Dial.tcp(AddressPlan.A2.ipv4(), 25),
                    Dial.tcp(internal, 25),
                    auto(Protocol.UDP, IpFamily.IPV4, 25),
                    auto(Protocol.TCP, IpFamily.IPV4, 8888))) {
                Visits.refused(cli, silent);
            }
            assertThat(smtp.sightings()).hasSize(2);
            assertThat(submission.sightings()).hasSize(1);
            assertThat(game.sightings()).hasSize(2);
            assertThat(line("edge-pod1", 1).message()).startsWith("192.168.2.94:587/tcp goes to ");
        } finally {
            world.inet().run("ip", "route", "delete", "192.168.2.94/32");
            namespace.run("ip", "address", "delete", "192.168.2.94/32", "dev", "eth0");
        }
        STAGE.cluster().settle();
        assertThat(line("edge-pod1", 0).reason()).isEqualTo(PodReason.Delivered);
        assertThat(line("edge-pod1", 1).reason()).isEqualTo(PodReason.AddressMissing);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void tcp_and_udp_on_one_port_are_delivered_in_both_families(Protocol protocol, IpFamily family) {
        STAGE.cluster().put("one", asking(1, Asking.both(3000, Stage.POD_PORT)).yaml());
        for (Host client : List.of(world.cli(), world.cli2())) {
            Visits.seenAsItself(client.namespace(), auto(protocol, family, 3000), "edge-pod1");
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void S7_H1_clients_of_the_node_the_node_itself_and_the_pod_itself_reach_it(Protocol protocol, IpFamily family) {
        STAGE.cluster().put("one", asking(1, Asking.both(3000, Stage.POD_PORT)).yaml());
        Dial dial = auto(protocol, family, 3000).within(Visits.PATIENCE);
        Visits.seenAsItself(edge.pod(2).namespace(), dial, "edge-pod1");
        Visits.seenAs(detected(family), edge.namespace(), dial, "edge-pod1");
        Visits.answered(edge.pod(1).namespace(), dial, "edge-pod1");
        Visits.answered(world.home1().pod(1).namespace(), dial, "edge-pod1");
    }

    @ParameterizedTest
    @MethodSource("ways")
    void S5_a_policy_on_the_pods_node_judges_the_real_client(Protocol protocol, IpFamily family) {
        STAGE.cluster().put("one", asking(1, Asking.both(3000, Stage.POD_PORT)).yaml());
        String word = family == IpFamily.IPV4 ? "ip" : "ip6";
        edge.namespace().nft("""
                table inet judge {
                    chain forward {
                        type filter hook forward priority 0;
                        %1$s saddr %2$s %1$s daddr %3$s counter accept
                        %1$s saddr != %4$s ct direction original %1$s daddr %3$s counter drop
                    }
                }
                """.formatted(
                        word, AddressPlan.CLIENT.of(family), edge.pod(1).address(family), AddressPlan.PODS.of(family)));
        try {
            Visits.seenAsItself(cli, auto(protocol, family, 3000), "edge-pod1");
            assertThat(Dialler.dial(world.cli2().namespace(), auto(protocol, family, 3000)))
                    .isNotInstanceOf(Answer.Reply.class);
        } finally {
            edge.namespace().run("nft", "delete", "table", "inet", "judge");
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void G1_A7_what_the_pod_opens_leaves_with_its_address_and_what_others_open_does_not(
            Protocol protocol, IpFamily family) {
        IpAddress mapped = other(family);
        String entries = "{\"entries\":[%s,%s]}".formatted(at(mapped, 4025), at(detected(family), 4026));
        STAGE.cluster().put("one", asking(1, entries).only(family).yaml());
        assertThat(line("edge-pod1", 0).reason()).isEqualTo(PodReason.Delivered);
        assertThat(seenOutside(edge.pod(1).namespace(), Protocol.TCP, family)).containsExactly(mapped);
        // Another protocol, another pod, the node: as ever.
        assertThat(seenOutside(edge.pod(1).namespace(), Protocol.UDP, family)).doesNotContain(mapped);
        assertThat(seenOutside(edge.pod(2).namespace(), protocol, family)).doesNotContain(mapped);
        assertThat(seenOutside(edge.namespace(), protocol, family)).doesNotContain(mapped);

        STAGE.cluster().remove("one");
        assertThat(seenOutside(edge.pod(1).namespace(), Protocol.TCP, family)).doesNotContain(mapped);
    }

    /** The address that is not detected, nor given by a masquerade. */
    private IpAddress other(IpFamily family) {
        IpAddress one = AddressPlan.A1.of(family);
        return one.equals(detected(family)) ? AddressPlan.A2.of(family) : one;
    }

    private static String at(IpAddress address, int port) {
        return "{\"ifaceAuto\":false,\"srcIP\":\"%s\",\"srcPort\":%d,\"dstPort\":%d}"
                .formatted(address, port, Stage.POD_PORT);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void G2_what_the_pod_sends_into_the_cluster_bears_its_own_address(Protocol protocol, IpFamily family) {
        STAGE.cluster().put("one", asking(1, Asking.both(3000, Stage.POD_PORT)).yaml());
        Namespace pod = edge.pod(1).namespace();
        IpAddress own = edge.pod(1).address(family);
        Dial other =
                Dial.to(protocol, edge.pod(2).address(family), Stage.POD_PORT).within(Visits.PATIENCE);
        Visits.seenAs(own, pod, other, "edge-pod2");
        // A node's address, private as the mesh's are: by the node's own masquerade.
        try (EchoServer host = EchoServer.start(
                world.home1().namespace(), "home", 4100, world.home1().mesh().both())) {
            Visits.answered(
                    pod, Dial.to(protocol, world.home1().mesh(family), 4100).within(Visits.PATIENCE), "home");
            assertThat(host.sources()).containsExactly(edge.mesh(family));
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void G2_what_answers_a_client_is_never_given_another_source(Protocol protocol, IpFamily family) {
        // The first entry, whose address the pod leaves with, is not the one that the client dials.
        String entries = "{\"entries\":[%s,%s,%s,%s]}"
                .formatted(
                        at(other(family), 4025),
                        at(other(family), 4025).replace("}", ",\"proto\":\"udp\"}"),
                        at(detected(family), 4026),
                        at(detected(family), 4026).replace("}", ",\"proto\":\"udp\"}"));
        STAGE.cluster().put("one", asking(1, entries).yaml());
        Visits.seenAsItself(cli, auto(protocol, family, 4026), "edge-pod1");
        assertThat(seenOutside(edge.pod(1).namespace(), protocol, family)).containsExactly(other(family));
    }

    /** To the node it looks like a connection that the pod opens, but for its flags. */
    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void G2_an_answer_whose_connection_the_node_has_forgotten_is_not_given_the_pods_address(IpFamily family) {
        String entries = "{\"entries\":[%s,%s]}".formatted(at(other(family), 4025), at(detected(family), 4026));
        STAGE.cluster().put("one", asking(1, entries).yaml());
        Namespace pod = edge.pod(1).namespace();
        try (TcpStream stream = TcpStream.open(cli, Dial.tcp(detected(family), 4026));
                Tally tally = Tally.start(
                        edge.namespace(),
                        List.of(
                                new Watch(
                                        "answers",
                                        Hook.PREROUTING,
                                        "iifname \"cni0\" tcp sport 8080 meta length > 100"),
                                new Watch("given", Hook.POSTROUTING, outside(family, other(family)))))) {
            assertThat(stream.exchange(64, 64)).isInstanceOf(Answer.Reply.class);
            // The pod has the request, and sends its answer again and again.
            pod.nft("""
                    table inet holding {
                        chain output {
                            type filter hook output priority 0
                            tcp sport 8080 meta length > 100 counter drop
                        }
                    }
                    """);
            Thread.startVirtualThread(() -> stream.exchange(64, 64));
            Awaitility.await()
                    .atMost(Visits.PATIENCE)
                    .until(() ->
                            pod.run("nft", "list", "table", "inet", "holding").matches("(?s).*packets [2-9].*"));
            edge.namespace()
                    .run("conntrack", "-D", "-p", "tcp", "--orig-port-dst", "4026", "-f", "ipv" + family.digit());
            long before = tally.packets("answers");
            pod.nft("delete table inet holding\n");
            Awaitility.await().atMost(Visits.PATIENCE).until(() -> tally.packets("answers") > before);
            assertThat(tally.packets("given")).isZero();
        }
    }

    private static String outside(IpFamily family, IpAddress source) {
        return "oifname \"eth0\" meta l4proto tcp %s saddr %s"
                .formatted(family == IpFamily.IPV4 ? "ip" : "ip6", source);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void G2_a_service_stays_in_the_cluster_though_its_address_is_public(Protocol protocol, IpFamily family) {
        STAGE.cluster().put("one", asking(1, Asking.both(3000, Stage.POD_PORT)).yaml());
        IpAddress service = IpAddress.parse(family == IpFamily.IPV4 ? "198.51.100.99" : "2001:db8:1::99");
        String word = family == IpFamily.IPV4 ? "ip" : "ip6";
        edge.namespace().nft("""
                table %1$s balancer {
                    chain prerouting {
                        type nat hook prerouting priority dstnat;
                        %1$s daddr %2$s dnat to %3$s
                    }
                }
                """.formatted(word, service, edge.pod(2).address(family)));
        try {
            Visits.seenAs(
                    edge.pod(1).address(family),
                    edge.pod(1).namespace(),
                    Dial.to(protocol, service, Stage.POD_PORT).within(Visits.PATIENCE),
                    "edge-pod2");
        } finally {
            edge.namespace().run("nft", "delete", "table", word, "balancer");
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void a_udp_flow_that_the_pod_opened_before_leaves_with_the_address_from_now_on(IpFamily family) {
        try (EchoServer outside = EchoServer.start(cli, "outside", OUTSIDE_PORT)) {
            String entries =
                    "{\"entries\":[%s]}".formatted(at(other(family), 4025).replace("}", ",\"proto\":\"udp\"}"));
            try (UdpSender sender =
                    UdpSender.start(edge.pod(1).namespace(), Dial.udp(AddressPlan.CLIENT.of(family), OUTSIDE_PORT))) {
                sender.awaitAnswerOf("outside", Visits.PATIENCE);
                STAGE.cluster().put("one", asking(1, entries).yaml());
                Awaitility.await()
                        .atMost(Visits.PATIENCE)
                        .until(() -> outside.sources().contains(other(family)));
                STAGE.cluster().remove("one");
                int seen = outside.sightings().size();
                Awaitility.await()
                        .atMost(Visits.PATIENCE)
                        .until(() -> outside.sightings().stream()
                                .skip(seen)
                                .anyMatch(s -> !s.sender().address().equals(other(family))));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void D1_the_detected_address_is_followed_when_it_changes(IpFamily family) {
        Asking pod = asking(1, Asking.both(3000, Stage.POD_PORT)).only(family);
        STAGE.cluster().put("one", pod.yaml());
        IpAddress before = detected(family);
        Visits.seenAsItself(cli, Dial.tcp(before, 3000), "edge-pod1");
        String route = edge.namespace()
                .run("ip", "-" + family.digit(), "route", "show", "default")
                .strip();
        List<String> addresses = addresses(family);
        edge.namespace().run("ip", "-" + family.digit(), "address", "flush", "dev", "eth0", "scope", "global");
        try {
            add(addresses.getLast());
            restore(family, route);
            STAGE.cluster().settle();
            IpAddress now = detected(family);
            assertThat(now).isNotEqualTo(before);
            Visits.seenAsItself(cli, Dial.tcp(now, 3000), "edge-pod1");
            Visits.seenAsItself(cli, Dial.udp(now, 3000), "edge-pod1");
            assertThat(seenOutside(edge.pod(1).namespace(), Protocol.TCP, family))
                    .containsExactly(now);
            edge.namespace().run("ip", "address", "delete", addresses.getLast(), "dev", "eth0");
        } finally {
            (family == IpFamily.IPV4 ? addresses : addresses.reversed()).forEach(this::add);
            restore(family, route);
        }
    }

    /** Of eth0, in the kernel's order. */
    private List<String> addresses(IpFamily family) {
        return edge.namespace()
                .run("ip", "-o", "-" + family.digit(), "address", "show", "dev", "eth0", "scope", "global")
                .lines()
                .map(line -> line.split("\\s+", -1)[3])
                .toList();
    }

    private void add(String address) {
        edge.namespace().run("ip", "address", "add", address, "dev", "eth0");
        Awaitility.await()
                .atMost(Visits.PATIENCE)
                .until(() -> !edge.namespace()
                        .run("ip", "address", "show", "dev", "eth0")
                        .contains("tentative"));
    }

    private void restore(IpFamily family, String route) {
        edge.namespace().run("sh", "-c", "ip -" + family.digit() + " route replace " + route);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void P2_P3_the_older_pod_has_the_port_and_the_other_takes_over(Protocol protocol, IpFamily family) {
        Asking old = asking(1, Asking.both(3000, Stage.POD_PORT)).createdAt(10);
        Asking young = asking(2, Asking.both(3000, Stage.POD_PORT)).createdAt(20);
        STAGE.cluster().write("two", young.yaml()).settle();
        Visits.seenAsItself(cli, auto(protocol, family, 3000), "edge-pod2");
        STAGE.cluster().put("one", old.yaml());
        Visits.seenAsItself(cli, auto(protocol, family, 3000), "edge-pod1");
        assertThat(line("edge-pod2", 0).reason()).isEqualTo(PodReason.PortConflict);
        for (Asking gone : List.of(old.ending(), old.finished())) {
            STAGE.cluster().put("one", gone.yaml());
            Visits.seenAsItself(cli, auto(protocol, family, 3000), "edge-pod2");
        }
        STAGE.cluster().put("one", asking(1, "{").createdAt(10).yaml());
        Visits.seenAsItself(cli, auto(protocol, family, 3000), "edge-pod2");
    }

    @Test
    void a_rolling_update_leaves_no_gap_and_lets_open_connections_end() {
        Asking old = asking(1, Asking.both(3000, Stage.POD_PORT)).createdAt(10);
        Asking young = asking(2, Asking.both(3000, Stage.POD_PORT)).createdAt(20);
        STAGE.cluster().put("one", old.yaml());
        try (UdpSender sender = UdpSender.start(cli, Dial.udp(AddressPlan.A1.ipv4(), 3000));
                TcpStream stream = TcpStream.open(cli, Dial.tcp(AddressPlan.A1.ipv4(), 3000))) {
            sender.awaitAnswerOf("edge-pod1", Visits.PATIENCE);
            STAGE.cluster().put("two", young.unready().yaml());
            STAGE.cluster().put("two", young.yaml());
            stream.exchange(64, 64);
            STAGE.cluster().put("one", old.ending().yaml());
            sender.awaitAnswerOf("edge-pod2", Visits.PATIENCE);
            assertThat(stream.exchange(64, 64)).isInstanceOf(Answer.Reply.class);
            STAGE.cluster().remove("one");
            Visits.seenAsItself(cli, Dial.tcp(AddressPlan.A1.ipv4(), 3000), "edge-pod2");
            sender.stop();
            assertThat(sender.lost()).isZero();
            assertThat(sender.refused()).isZero();
        }
    }

    @Test
    void a_pod_that_becomes_unready_keeps_its_port_through_a_restart_of_the_agent() {
        Asking pod = asking(1, Asking.both(3000, Stage.POD_PORT));
        STAGE.cluster().put("one", pod.yaml());
        STAGE.cluster().write("one", pod.unready().yaml());
        STAGE.cluster().agent(edge).restart().pass();
        Visits.seenAsItself(cli, auto(Protocol.TCP, IpFamily.IPV4, 3000), "edge-pod1");
        STAGE.cluster().remove("one").put("one", pod.unready().yaml());
        Visits.refused(cli, auto(Protocol.TCP, IpFamily.IPV4, 3000));
    }

    @Test
    void a_portmap_goes_before_an_annotation() {
        STAGE.cluster().put("one", asking(1, Asking.both(3000, Stage.POD_PORT)).yaml());
        STAGE.cluster().write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"));
        STAGE.publish(
                "web",
                "public",
                3000,
                Manifests.Backend.of(world.home1(), world.home1().pod(1)));
        STAGE.cluster().settle().settle();
        Visits.seenAsItself(cli, auto(Protocol.TCP, IpFamily.IPV4, 3000), "home1-pod1");
        assertThat(line("edge-pod1", 0).reason()).isEqualTo(PodReason.PortConflict);
        STAGE.withdraw("web");
        STAGE.cluster().settle();
        Visits.seenAsItself(cli, auto(Protocol.TCP, IpFamily.IPV4, 3000), "edge-pod1");
    }

    @Test
    void a_second_pass_and_a_restart_change_nothing_and_without_a_pod_there_is_no_rule_of_it() {
        String without = edge.namespace().run("nft", "list", "table", "inet", "kuport");
        assertThat(without).doesNotContain("egress").doesNotContain("openers");
        STAGE.cluster().put("one", asking(1, Asking.both(3000, Stage.POD_PORT)).yaml());
        String before = edge.namespace().run("nft", "--handle", "list", "table", "inet", "kuport");
        assertThat(before).contains("egress");
        STAGE.cluster().agent(edge).pass();
        STAGE.cluster().agent(edge).restart().pass();
        assertThat(edge.namespace().run("nft", "--handle", "list", "table", "inet", "kuport"))
                .isEqualTo(before);
        STAGE.cluster().remove("one");
        assertThat(edge.namespace().run("nft", "list", "table", "inet", "kuport"))
                .isEqualTo(without);
    }
}
