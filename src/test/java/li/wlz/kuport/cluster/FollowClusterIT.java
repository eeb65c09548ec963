package li.wlz.kuport.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The pod moves, comes and goes as pods do; the mapping follows. */
@InCluster
@ExtendWith(InstalledKuport.class)
class FollowClusterIT {
    @Test
    void the_mapping_follows_a_pod_that_is_deleted(Scene scene) {
        Server server = Server.on("home1");
        String first = served(scene, server);
        delete(scene, first, 1);
        String second = scene.pod(server);
        assertThat(second).isNotEqualTo(first);
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, second);
    }

    @Test
    void the_mapping_follows_a_pod_that_is_deleted_by_force(Scene scene) {
        Server server = Server.on("home1");
        String first = served(scene, server);
        delete(scene, first, 0);
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, scene.pod(server));
    }

    @Test
    void the_mapping_follows_from_node_to_node_and_back(Scene scene) {
        Server server = Server.on("home1");
        served(scene, server);
        for (String node : List.of("home2", "edge", "home1")) {
            Server moved = server.at(node);
            scene.serve(moved);
            scene.awaitServed(scene.world().cli(), AddressPlan.A1, scene.pod(moved));
        }
    }

    @Test
    void the_mapping_follows_from_a_drained_node(Scene scene) {
        Server server = Server.on("home1").named("first");
        String first = served(scene, server);
        scene.serve(Server.on("home2").named("second"));
        String second = scene.pod(Server.on("home2").named("second"));
        scene.undo(() -> scene.cluster().kubectl("uncordon", "home1"));
        scene.cluster()
                .kubectl(
                        "drain",
                        "home1",
                        "--ignore-daemonsets",
                        "--force",
                        "--pod-selector=deployment=first",
                        "--timeout=60s");
        Scene.await(first + " gone")
                .until(() -> scene.admin()
                                .pods()
                                .inNamespace(scene.namespace())
                                .withName(first)
                                .get()
                        == null);
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, second);
    }

    @Test
    void E1_a_rolling_update_with_other_named_ports_refuses_nobody(Scene scene) {
        Server server = Server.on("home1").lingering();
        String first = served(scene, server);
        Server updated = server.listening(9090);
        scene.serve(updated);
        int answers = 0;
        List<String> seen = new java.util.ArrayList<>(List.of(first));
        while (seen.getLast().equals(first)) {
            assertThat(answers++).as("dials until the new pod answers").isLessThan(2000);
            Dial dial = Dial.tcp(AddressPlan.A1.ipv4(), scene.port());
            assertThat(scene.world().cli().dial(dial))
                    .isInstanceOfSatisfying(Answer.Reply.class, reply -> seen.add(reply.server()));
        }
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, seen.getLast());
    }

    @Test
    void E1_a_pod_that_terminates_serves_until_it_is_gone(Scene scene) {
        Server server = Server.on("home1").lingering();
        String pod = served(scene, server);
        scene.serve(server.times(0));
        Scene.await("termination").until(() -> {
            Pod now = scene.admin()
                    .pods()
                    .inNamespace(scene.namespace())
                    .withName(pod)
                    .get();
            return now != null && now.getMetadata().getDeletionTimestamp() != null;
        });
        assertThat(scene.world().cli().dial(Dial.tcp(AddressPlan.A1.ipv4(), scene.port())))
                .isInstanceOf(Answer.Reply.class);
        scene.awaitRefused(scene.world().cli(), AddressPlan.A1);
    }

    @Test
    void E2_E3_scaled_to_none_clients_are_refused_and_scaled_up_served_again(Scene scene) {
        Server server = Server.on("home1");
        served(scene, server);
        scene.serve(server.times(0));
        scene.awaitRefused(scene.world().cli(), AddressPlan.A1);
        Scene.await("NoReadyEndpoint")
                .untilAsserted(() -> assertThat(Mapping.of(scene, "game").condition("Programmed"))
                        .isEqualTo("False/NoReadyEndpoint"));
        scene.serve(server);
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, scene.pod(server));
    }

    @Test
    void E1_a_pod_serves_from_when_it_is_ready(Scene scene) {
        Server server = Server.on("home1").withGate();
        scene.serve(server);
        scene.map("public");
        String pod = scene.pod(server);
        scene.awaitRefused(scene.world().cli(), AddressPlan.A1);
        scene.setReady(pod, true);
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, pod);
        scene.setReady(pod, false);
        scene.awaitRefused(scene.world().cli(), AddressPlan.A1);
    }

    @Test
    void E5_E7_pods_with_different_named_ports_behind_one_Service_get_all_clients_one_at_a_time(Scene scene) {
        Server older = Server.on("home1").named("older").listening(8081);
        Server newer = Server.on("home1").named("newer").listening(9091);
        String first = served(scene, older);
        scene.serve(newer);
        scene.pod(newer);
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, first);
        scene.awaitServed(scene.world().cli2(), AddressPlan.A1, first);
        scene.serve(older.times(0));
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, scene.pod(newer));
    }

    private static String served(Scene scene, Server server) {
        scene.serve(server);
        scene.map("public");
        String pod = scene.pod(server);
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, pod);
        return pod;
    }

    private static void delete(Scene scene, String pod, long graceSeconds) {
        scene.admin()
                .pods()
                .inNamespace(scene.namespace())
                .withName(pod)
                .withGracePeriod(graceSeconds)
                .delete();
    }
}
