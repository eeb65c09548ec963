package li.wlz.kuport.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.DualAddress;
import li.wlz.kuport.lab.Lasting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Nodes, agents and the API server go away and come back. */
@InCluster
@ExtendWith(InstalledKuport.class)
class OutageClusterIT {
    @Test
    void a_dead_accepting_nodes_mappings_move_to_the_second_and_stay_there_when_it_is_back(Scene scene) {
        Server server = Server.on("home1");
        scene.serve(server);
        scene.offer("Single", "edge", "edge2");
        scene.map(scene.className());
        String pod = scene.pod(server);
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, pod);
        Scene.await("published at edge")
                .untilAsserted(() -> assertThat(Mapping.of(scene, "game").published())
                        .allMatch(row -> row.startsWith("edge "))
                        .isNotEmpty());
        KubernetesNode edge = scene.cluster().node("edge");
        DualAddress second =
                scene.world().edge2().uplinks().getFirst().addresses().getFirst();
        edge.powerOff();
        try {
            scene.awaitServed(scene.world().cli(), second, pod);
            assertPublishedAtEdge2(scene);
        } finally {
            edge.powerOn();
        }
        Scene.await("edge ready")
                .until(() -> KubernetesCluster.isReady(
                        scene.admin().nodes().withName("edge").get()));
        Kuport.awaitAgents(scene.cluster());
        scene.awaitServed(scene.world().cli(), second, pod);
        assertPublishedAtEdge2(scene);
    }

    private static void assertPublishedAtEdge2(Scene scene) {
        Scene.await("published at edge2").untilAsserted(() -> {
            assertThat(Mapping.of(scene, "game").published())
                    .allMatch(row -> row.startsWith("edge2 "))
                    .isNotEmpty();
            assertThat(Mapping.of(scene, "game").condition("Programmed")).isEqualTo("True/AllNodesReady");
        });
    }

    @Test
    void the_mapping_follows_from_a_pods_node_that_dies(Scene scene) {
        Server first = Server.on("home2").named("first");
        Server second = Server.on("home1").named("second");
        scene.serve(first);
        scene.map("public");
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, scene.pod(first));
        scene.serve(second);
        String successor = scene.pod(second);
        KubernetesNode home2 = scene.cluster().node("home2");
        home2.powerOff();
        try {
            scene.awaitServed(scene.world().cli(), AddressPlan.A1, successor);
        } finally {
            home2.powerOn();
        }
        Scene.await("home2 ready")
                .until(() -> KubernetesCluster.isReady(
                        scene.admin().nodes().withName("home2").get()));
        Kuport.awaitAgents(scene.cluster());
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, successor);
    }

    @Test
    void B1_agents_that_die_change_nothing_for_clients(Scene scene) {
        Server server = Server.on("home1");
        scene.serve(server);
        scene.map("public");
        String pod = scene.pod(server);
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, pod);
        try (Lasting lasting = Lasting.open(scene.world().cli().namespace(), AddressPlan.A1, scene.port())) {
            for (Pod agent : Kuport.agents(scene.cluster())) {
                scene.admin().resource(agent).withGracePeriod(0).delete();
            }
            assertServed(scene, pod);
            Kuport.awaitAgents(scene.cluster());
            lasting.lostNothing();
        }
        assertServed(scene, pod);
    }

    @Test
    void B3_B5_without_the_API_server_packets_flow_and_when_it_is_back_nothing_is_deleted(Scene scene) {
        Server server = Server.on("home1");
        scene.serve(server);
        scene.map("public");
        String pod = scene.pod(server);
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, pod);
        try (Lasting lasting = Lasting.open(scene.world().cli().namespace(), AddressPlan.A1, scene.port())) {
            scene.cluster().control().stopApiServer();
            try {
                assertServed(scene, pod);
            } finally {
                scene.cluster().control().startApiServer();
            }
            scene.cluster().control().awaitReady(scene.admin());
            Kuport.awaitAgents(scene.cluster());
            lasting.lostNothing();
        }
        assertServed(scene, pod);
        scene.serve(server.at("home2"));
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, scene.pod(server.at("home2")));
    }

    @Test
    void B6_a_permission_that_is_taken_away_is_named_while_the_datapath_goes_on(Scene scene) {
        Server server = Server.on("home1");
        scene.serve(server);
        scene.undo(() -> scene.cluster().apply(Kuport.manifest("kuport")));
        scene.admin().rbac().clusterRoles().withName("kuport-agent").edit(role -> {
            role.getRules().forEach(rule -> rule.getResources().remove("portmaps/status"));
            return role;
        });
        scene.map("public");
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, scene.pod(server));
        Scene.await("PermissionMissing")
                .untilAsserted(() -> assertThat(scene.cluster().kubectl("get", "pmn", "edge", "-o", "yaml"))
                        .contains("PermissionMissing", "patch portmaps/status"));
        scene.cluster().apply(Kuport.manifest("kuport"));
        Scene.await("recovery").untilAsserted(() -> {
            assertThat(Mapping.of(scene, "game").condition("Programmed")).isEqualTo("True/AllNodesReady");
            assertThat(scene.cluster().kubectl("get", "pmn", "edge", "-o", "yaml"))
                    .doesNotContain("PermissionMissing");
        });
    }

    /** At once, without another try. */
    private static void assertServed(Scene scene, String pod) {
        for (Dial dial : Scene.dials(AddressPlan.A1, scene.port())) {
            assertThat(scene.world().cli().dial(dial))
                    .as("%s", dial)
                    .isInstanceOfSatisfying(
                            Answer.Reply.class,
                            reply -> assertThat(reply.server()).isEqualTo(pod));
        }
    }
}
