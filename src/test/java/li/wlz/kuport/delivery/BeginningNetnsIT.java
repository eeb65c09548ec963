package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.UdpSender;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.manifest.PolledFolder;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.netlink.Flow;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.reconcile.ForwardingNode;
import li.wlz.kuport.reconcile.Pass;
import li.wlz.kuport.reconcile.spi.Node;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients send before the mapping is there, as when a node boots: their flows began untranslated, and must not stay so. */
class BeginningNetnsIT {
    private static final int GAME = 3000;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();
    private final Cluster cluster = STAGE.cluster();

    @BeforeAll
    static void serve() {
        STAGE.world().nodes().forEach(node -> node.pods().forEach(STAGE::serve));
        STAGE.cluster()
                .write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"))
                .settle();
    }

    @AfterEach
    void withdraw() {
        STAGE.withdraw("game");
        cluster.settle();
    }

    static Stream<Arguments> places() {
        return Stream.of(IpFamily.values())
                .flatMap(family -> Stream.of("home1-pod1", "edge-pod1").map(pod -> Arguments.of(family, pod)));
    }

    /** Sends until the host's refusals show that packets pass, and connection tracking has an untranslated entry. */
    private UdpSender early(Namespace client, IpFamily family) {
        UdpSender sender = UdpSender.start(client, Dial.udp(AddressPlan.A1.of(family), GAME));
        await().atMost(Visits.PATIENCE).until(() -> sender.refused() > 0);
        return sender;
    }

    private static void heard(UdpSender sender, String server) {
        sender.awaitAnswerOf(server, Visits.PATIENCE);
        assertThat(sender.servers()).containsExactly(server);
        assertThat(sender.received())
                .allSatisfy(answer -> assertThat(answer.sourceSeen()).isEqualTo(sender.local()));
    }

    @ParameterizedTest
    @MethodSource("places")
    void U2_senders_that_were_there_first_are_picked_up(IpFamily family, String pod) {
        try (UdpSender one = early(world.cli().namespace(), family);
                UdpSender other = early(world.cli2().namespace(), family);
                UdpSender own = early(world.edge().namespace(), family)) {
            assertThat(Flows.to(cluster, world.edge(), GAME)).hasSize(3).noneMatch(Flow::translated);
            STAGE.publish("game", "public", GAME, STAGE.endpoint(pod));
            cluster.settle();
            heard(one, pod);
            heard(other, pod);
            own.awaitAnswerOf(pod, Visits.PATIENCE);
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void U3_they_are_picked_up_however_long_the_agent_takes_between_its_steps(IpFamily family, String pod) {
        Agent edge = cluster.agent(world.edge());
        try (UdpSender sender = early(world.cli().namespace(), family)) {
            STAGE.publish("game", "public", GAME, STAGE.endpoint(pod));
            cluster.agent(world.home1()).pass();
            Pass slow = new Pass(
                    Settings.defaults("edge"),
                    new PolledFolder(STAGE.cluster().folder()),
                    new Slow(edge.node(), sender),
                    List.of());
            assertThat(edge.call(() -> slow.pass(true))).isTrue();
            heard(sender, pod);
        }
    }

    /** A node that lets the sender's packets pass, a few at least, before and after everything it does. */
    private static final class Slow extends ForwardingNode {
        private final UdpSender sender;

        Slow(Node node, UdpSender sender) {
            super(node);
            this.sender = sender;
        }

        private void packets() {
            int enough = sender.sent() + 20;
            while (sender.sent() < enough) {
                LockSupport.parkNanos(1_000_000);
            }
        }

        @Override
        public void send(List<Request> requests) {
            packets();
            super.send(requests);
            packets();
        }

        @Override
        public void run(String script, Listing after) {
            packets();
            super.run(script, after);
            packets();
        }

        @Override
        public FoundFlows flows(Predicate<Flow> wanted, int most) {
            FoundFlows flows = super.flows(wanted, most);
            packets();
            return flows;
        }

        @Override
        public void forget(List<Flow> flows) {
            super.forget(flows);
            packets();
        }
    }
}
