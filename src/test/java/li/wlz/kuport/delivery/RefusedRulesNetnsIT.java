package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.UdpSender;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.manifest.ManifestSource;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.netlink.Flow;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.reconcile.Pass;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.reconcile.spi.NodeException;
import li.wlz.kuport.reconcile.spi.Source;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The kernel refuses a ruleset: the one that is in force goes on serving, with all that it needs. */
class RefusedRulesNetnsIT {
    private static final int GAME = 3000;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();
    private final Cluster cluster = STAGE.cluster();

    @BeforeAll
    static void serve() {
        STAGE.world().nodes().forEach(node -> node.pods().forEach(STAGE::serve));
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void while_a_ruleset_is_refused_the_old_mapping_loses_no_packet(IpFamily family) {
        STAGE.cluster().write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"));
        STAGE.publish("game", "public", GAME, STAGE.endpoint("home1-pod1"));
        cluster.settle();
        Agent edge = cluster.agent(world.edge());
        try (UdpSender sender = UdpSender.start(world.cli().namespace(), Dial.udp(AddressPlan.A1.of(family), GAME))) {
            sender.awaitAnswerOf("home1-pod1", Visits.PATIENCE);

            STAGE.withdraw("game");
            cluster.delete("class");
            Pass refused = new Pass(Settings.defaults("edge"), new Folder(), new Refusing(edge.node()), List.of());
            assertThat(edge.call(() -> refused.pass(true))).isFalse();
            assertThat(edge.call(() -> refused.pass(true))).isFalse();
            sender.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
            sender.stop();
            assertThat(sender.lost()).isZero();
            assertThat(sender.refused()).isZero();
        }
        cluster.settle();
        assertThat(Flows.oursTo(cluster, world.edge(), GAME)).isEmpty();
        Visits.refused(world.cli2().namespace(), Dial.udp(AddressPlan.A1.of(family), GAME));
    }

    private record Folder() implements Source {
        @Override
        public void start(Runnable dirty) {
            throw new UnsupportedOperationException("passes run when the test says so");
        }

        @Override
        public Optional<Snapshot> latest() {
            return Optional.of(ManifestSource.read(STAGE.cluster().folder()));
        }

        @Override
        public void close() {
            // Nothing is held between reads.
        }
    }

    /** A node whose kernel takes no script. */
    private record Refusing(Node node) implements Node {
        @Override
        public void start(Runnable dirty) {
            node.start(dirty);
        }

        @Override
        public Observation observe() {
            return node.observe();
        }

        @Override
        public void distrust() {
            node.distrust();
        }

        @Override
        public void send(List<Request> requests) {
            node.send(requests);
        }

        @Override
        public void run(String script, Listing after) {
            throw new NodeException("the kernel takes no script");
        }

        @Override
        public FoundFlows flows(Predicate<Flow> wanted, int most) {
            return node.flows(wanted, most);
        }

        @Override
        public void forget(List<Flow> flows) {
            node.forget(flows);
        }

        @Override
        public void close() {
            // The agent's.
        }
    }
}
