package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.UdpSender;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.manifest.PolledFolder;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.reconcile.ForwardingNode;
import li.wlz.kuport.reconcile.Pass;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.reconcile.spi.NodeException;
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
            Pass refused = new Pass(
                    Settings.defaults("edge"),
                    new PolledFolder(STAGE.cluster().folder()),
                    new Refusing(edge.node()),
                    List.of());
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

    /** A node whose kernel takes no script. */
    private static final class Refusing extends ForwardingNode {
        Refusing(Node node) {
            super(node);
        }

        @Override
        public void run(String script, Listing after) {
            throw new NodeException("the kernel takes no script");
        }
    }
}
