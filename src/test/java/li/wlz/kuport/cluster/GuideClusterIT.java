package li.wlz.kuport.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Snapshot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** docs/integration.md, word for word. */
@InCluster
@ExtendWith(InstalledKuport.class)
class GuideClusterIT {
    @Test
    void who_follows_the_guide_gets_a_mapping_that_works_and_in_the_end_nothing_is_left(Scene scene) {
        KubernetesCluster cluster = scene.cluster();
        Guide guide = Guide.of(cluster, "integration.md");
        guide.follow("Uninstalling");
        assertNothingIsLeft(cluster);

        assertThat(guide.follow("1. Check the nodes"))
                .contains("node edge\n", "node edge2\n", "node home1\n", "node home2\n")
                .doesNotContain("\nmissing");
        assertThat(guide.follow("2. Install")).contains("edge", "100.64.0.1", "1.0.0");
        guide.follow("3. The first class and PortMap");
        scene.undo(() -> scene.admin().namespaces().withName("games").delete());
        cluster.apply(Server.on("home1").listening(3000).manifest("games"));
        Scene.await("game server")
                .untilAsserted(() -> assertThat(scene.world().cli().dial(Dial.udp(AddressPlan.A1.ipv4(), 3000)))
                        .isInstanceOfSatisfying(
                                Answer.Reply.class,
                                reply -> assertThat(reply.sourceSeen()).isEqualTo(reply.sentFrom())));
        Scene.await("what is to be seen")
                .untilAsserted(() -> assertThat(guide.follow("4. Seeing it"))
                        .containsPattern("games/gameserver +3000/UDP +203\\.0\\.113\\.9 +gameserver-.* +home1\n")
                        .contains("AllNodesReady"));
        guide.follow("Upgrading");
        guide.follow("Uninstalling");
        assertNothingIsLeft(cluster);
    }

    private static void assertNothingIsLeft(KubernetesCluster cluster) {
        assertThat(cluster.nodes())
                .allSatisfy(node ->
                        assertThat(Snapshot.of(node.namespace()).hasKuport()).isFalse());
    }
}
