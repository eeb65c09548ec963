package li.wlz.kuport.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code kuport podnat}, with the command line of the pod NAT controller but for the program's name. */
@InCluster
class PodnatClusterIT {
    private static final String OLD_COMMAND_LINE = """
            [{"op": "replace", "path": "/spec/template/spec/containers/0/args", "value":
              ["podnat", "-stateuri", "http://localhost:8080", "-internalnetwork", "192.168.0.0/16", "-logtostderr"]}]
            """;

    @BeforeAll
    static void run_the_old_command_line() {
        KubernetesCluster cluster = SharedCluster.cluster();
        Kuport.installChart(cluster, "--set", "podAnnotations.enabled=true");
        cluster.kubectl(
                "--namespace=" + Kuport.NAMESPACE,
                "patch",
                "daemonset",
                Kuport.DAEMON_SET,
                "--type=json",
                "--patch",
                OLD_COMMAND_LINE);
        Kuport.awaitAgents(cluster);
    }

    @AfterAll
    static void remove_it() {
        Kuport.uninstallChart(SharedCluster.cluster());
    }

    @Test
    void the_second_example_is_served_and_nothing_but_annotations_is(Scene scene) {
        scene.serve(Server.on("edge"));
        scene.offer("Single", "edge");
        scene.map(scene.className());
        PodAnnotationsClusterIT.run(scene, "dns", PodAnnotationsClusterIT.DNS, 8888);
        PodAnnotationsClusterIT.awaitAnswer(
                scene.world().cli(), Dial.udp(AddressPlan.A1.ipv4(), 8888).attempts(3), "dns");
        assertThat(scene.world().cli().dial(Dial.tcp(AddressPlan.A1.ipv4(), scene.port())))
                .isInstanceOf(Answer.Refused.class);
        assertThat(scene.world().edge().namespace().run("ip", "-o", "link", "show"))
                .doesNotContain("kup0");
    }
}
