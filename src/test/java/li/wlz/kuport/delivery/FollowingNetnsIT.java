package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Peer;
import li.wlz.kuport.lab.TcpStream;
import li.wlz.kuport.lab.UdpSender;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.netlink.Flow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Pods, mappings and addresses change while clients go on sending: flows that go astray are put right, all others stay. */
class FollowingNetnsIT {
    private static final int GAME = 3000;
    /** Published all the time, and never changed. */
    private static final int STILL = 3100;
    /** A server on the internet that a pod talks to. */
    private static final int ELSEWHERE = 9000;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();
    private final Cluster cluster = STAGE.cluster();

    @BeforeAll
    static void serve() {
        World world = STAGE.world();
        world.nodes().forEach(node -> node.pods().forEach(STAGE::serve));
        EchoServer.start(
                world.cli().namespace(),
                "elsewhere",
                ELSEWHERE,
                world.cli().addresses().both());
        STAGE.cluster().write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"));
        STAGE.publish(
                "still",
                "public",
                STILL,
                Backend.of(world.home1(), world.home1().pod(2)));
        STAGE.cluster().settle();
    }

    @AfterEach
    void withdraw() {
        STAGE.withdraw("game");
        cluster.settle();
    }

    /** Publishes the game at GAME, with these endpoints. */
    private void game(Backend... endpoints) {
        STAGE.publish("game", "public", GAME, endpoints);
        cluster.settle();
    }

    private UdpSender player(IpAddress dialled) {
        return UdpSender.start(world.cli().namespace(), Dial.udp(dialled, GAME));
    }

    private TcpStream stream(IpAddress dialled) {
        return TcpStream.open(world.cli().namespace(), Dial.tcp(dialled, GAME).within(Visits.PATIENCE));
    }

    private static String server(Answer answer) {
        assertThat(answer).isInstanceOf(Answer.Reply.class);
        return ((Answer.Reply) answer).server();
    }

    private static void sawItself(UdpSender sender) {
        assertThat(sender.received())
                .allSatisfy(answer -> assertThat(answer.sourceSeen()).isEqualTo(sender.local()));
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void U1_a_udp_sender_follows_the_pod_and_bystanders_keep_their_flows(IpFamily family) {
        IpAddress dialled = AddressPlan.A1.of(family);
        game(STAGE.endpoint("home1-pod1"));
        try (UdpSender player = player(dialled);
                UdpSender mapped = UdpSender.start(world.cli2().namespace(), Dial.udp(dialled, STILL));
                UdpSender foreign = UdpSender.start(
                        world.home1().pod(2).namespace(), Dial.udp(world.cli().address(family), ELSEWHERE))) {
            player.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
            mapped.awaitAnswerOf("home1-pod2", Visits.PATIENCE);
            foreign.awaitAnswerOf("elsewhere", Visits.PATIENCE);
            List<Peer> standing = List.of(mapped.local(), foreign.local());
            Map<String, List<Integer>> bystanders = Flows.ids(cluster, world.nodes(), standing);
            assertThat(bystanders.get("edge")).as("the mapped one").hasSize(1);
            assertThat(bystanders.get("home1")).as("both").hasSize(2);

            for (String next : List.of("home2-pod1", "edge-pod1", "home1-pod2", "home1-pod1")) {
                game(STAGE.endpoint(next));
                player.awaitAnswerOf(next, Visits.PATIENCE);
                assertThat(Flows.oursTo(cluster, world.edge(), GAME))
                        .as("entries on edge")
                        .hasSize(1);
            }

            assertThat(player.servers()).containsExactly("home1-pod1", "home2-pod1", "edge-pod1", "home1-pod2");
            sawItself(player);
            assertThat(Flows.ids(cluster, world.nodes(), standing)).isEqualTo(bystanders);
            mapped.stop();
            foreign.stop();
            assertThat(mapped.lost()).as("what the bystander lost").isZero();
            assertThat(foreign.lost()).as("what the pod lost").isZero();
        }
    }

    static Stream<Arguments> moves() {
        return Stream.of(IpFamily.values())
                .flatMap(family ->
                        Stream.of("home2-pod1", "edge-pod1", "home1-pod2").map(next -> Arguments.of(family, next)));
    }

    @ParameterizedTest
    @MethodSource("moves")
    void U10_tcp_stays_on_a_draining_pod_and_is_reset_when_that_is_gone(IpFamily family, String next) {
        IpAddress dialled = AddressPlan.A1.of(family);
        game(STAGE.endpoint("home1-pod1"));
        try (UdpSender player = player(dialled);
                TcpStream stream = stream(dialled)) {
            player.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
            assertThat(server(stream.exchange(64, 64))).isEqualTo("home1-pod1");

            game(STAGE.endpoint("home1-pod1").draining(), STAGE.endpoint(next));
            player.awaitAnswerOf(next, Visits.PATIENCE);
            assertThat(server(stream.exchange(64, 64))).as("an old connection").isEqualTo("home1-pod1");
            Visits.seenAsItself(world.cli().namespace(), Dial.tcp(dialled, GAME), next);

            game(STAGE.endpoint(next));
            assertThat(stream.exchange(64, 64)).isInstanceOf(Answer.Reset.class);
            Visits.seenAsItself(world.cli().namespace(), Dial.tcp(dialled, GAME), next);
            sawItself(player);
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void U10_tcp_is_reset_when_its_pod_is_replaced_at_once(IpFamily family) {
        game(STAGE.endpoint("home1-pod1"));
        try (TcpStream stream = stream(AddressPlan.A1.of(family))) {
            assertThat(server(stream.exchange(64, 64))).isEqualTo("home1-pod1");
            game(STAGE.endpoint("home2-pod1"));
            assertThat(stream.exchange(64, 64)).isInstanceOf(Answer.Reset.class);
        }
    }

    static Stream<Arguments> lastEndpoints() {
        return Stream.of(IpFamily.values())
                .flatMap(family -> Stream.of("home1-pod1", "edge-pod1").map(pod -> Arguments.of(family, pod)));
    }

    @ParameterizedTest
    @MethodSource("lastEndpoints")
    void E3_when_the_last_endpoint_is_gone_clients_are_refused_and_flows_forgotten(IpFamily family, String last) {
        IpAddress dialled = AddressPlan.A1.of(family);
        game(STAGE.endpoint(last));
        try (UdpSender player = player(dialled);
                TcpStream stream = stream(dialled)) {
            player.awaitAnswerOf(last, Visits.PATIENCE);
            assertThat(server(stream.exchange(64, 64))).isEqualTo(last);

            for (Backend[] none :
                    List.of(new Backend[0], new Backend[] {STAGE.endpoint(last).unready()})) {
                int refused = player.refused();
                game(none);
                await().atMost(Visits.PATIENCE).until(() -> player.refused() > refused);
                Visits.refused(world.cli2().namespace(), Dial.tcp(dialled, GAME));
                for (MeshNode node : world.nodes()) {
                    assertThat(Flows.oursTo(cluster, node, GAME))
                            .as("entries on " + node.name())
                            .isEmpty();
                }
            }
            assertThat(stream.exchange(64, 64)).isInstanceOf(Answer.Reset.class);

            // U5: the brief time without any leaves no trace.
            game(STAGE.endpoint(last));
            player.awaitAnswerOf(last, Visits.PATIENCE);
            sawItself(player);
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void U2_a_removed_mapping_is_forgotten_and_one_that_comes_again_gets_its_senders(IpFamily family) {
        IpAddress dialled = AddressPlan.A1.of(family);
        game(STAGE.endpoint("home1-pod1"));
        try (UdpSender player = player(dialled);
                TcpStream stream = stream(dialled)) {
            player.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
            assertThat(server(stream.exchange(64, 64))).isEqualTo("home1-pod1");

            withdraw();
            assertThat(stream.exchange(64, 64)).isInstanceOf(Answer.Reset.class);
            int refused = player.refused();
            await().atMost(Visits.PATIENCE).until(() -> player.refused() > refused);
            for (MeshNode node : world.nodes()) {
                assertThat(Flows.oursTo(cluster, node, GAME))
                        .as("entries on " + node.name())
                        .isEmpty();
            }
            // The host refused it, and its entry is renewed by each packet.
            await().atMost(Visits.PATIENCE)
                    .until(() -> !Flows.to(cluster, world.edge(), GAME).isEmpty());

            game(STAGE.endpoint("home1-pod1"));
            player.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
            sawItself(player);
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void D1_a_lost_address_loses_its_flows_and_the_others_stay(IpFamily family) {
        IpAddress kept = AddressPlan.A1.of(family);
        IpAddress lost = AddressPlan.A2.of(family);
        String change = "address %s " + lost + "/" + AddressPlan.EDGE.of(family).prefixLength() + " dev eth0\n";
        game(STAGE.endpoint("home1-pod1"));
        try (UdpSender staying = player(kept);
                UdpSender going = player(lost);
                TcpStream stream = stream(kept)) {
            staying.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
            going.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
            assertThat(server(stream.exchange(64, 64))).isEqualTo("home1-pod1");
            List<Integer> before = ids(kept);
            assertThat(before).hasSize(2);

            world.edge().namespace().ip(change.formatted("delete"));
            cluster.settle();
            assertThat(Flows.oursTo(cluster, world.edge(), GAME))
                    .allSatisfy(
                            flow -> assertThat(flow.original().destination()).isEqualTo(kept));
            assertThat(ids(kept)).isEqualTo(before);

            world.edge().namespace().ip(change.formatted("add"));
            cluster.settle();
            going.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
            assertThat(ids(kept)).isEqualTo(before);
            staying.stop();
            assertThat(staying.lost()).isZero();
            assertThat(server(stream.exchange(64, 64))).isEqualTo("home1-pod1");
        }
    }

    private List<Integer> ids(IpAddress dialled) {
        return Flows.oursTo(cluster, world.edge(), GAME).stream()
                .filter(flow -> flow.original().destination().equals(dialled))
                .map(Flow::id)
                .sorted()
                .toList();
    }
}
