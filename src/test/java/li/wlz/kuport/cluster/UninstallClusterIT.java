package li.wlz.kuport.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Snapshot;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** kuport goes: what it leaves, and what it must leave. */
@InCluster
@ExtendWith(InstalledKuport.class)
class UninstallClusterIT {
    @AfterAll
    static void install_it_again() {
        Kuport.install(SharedCluster.cluster());
    }

    @Test
    void B2_manifests_deleted_and_nodes_cleaned_leave_nothing_and_change_nothing_else(Scene scene) {
        KubernetesCluster cluster = scene.cluster();
        Kuport.install(cluster);
        Server server = Server.on("home1");
        scene.serve(server);
        scene.map("public");
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, scene.pod(server));
        SortedMap<String, Snapshot> before = settled(scene);
        assertThat(before.values()).allMatch(Snapshot::hasKuport);

        cluster.kubectl("delete", "-f", Kuport.file("kuport").toString(), "--wait=true", "--timeout=180s");
        cluster.kubectl("apply", "-f", Kuport.file("kuport-cleanup").toString());
        cluster.kubectl(
                "--namespace", "kuport-cleanup", "rollout", "status", "daemonset", "kuport-cleanup", "--timeout=300s");
        cluster.kubectl("delete", "-f", Kuport.file("kuport-cleanup").toString(), "--wait=true", "--timeout=180s");

        snapshots(cluster).forEach((node, after) -> {
            assertThat(after.hasKuport()).as("something of kuport's on " + node).isFalse();
            assertThat(before.getOrDefault(node, after).withoutKuport().difference(after))
                    .as("changes on " + node)
                    .isEmpty();
        });
    }

    /** Snapshots that are still true some seconds later; kube-proxy takes its time to forget earlier tests' Services. */
    static SortedMap<String, Snapshot> settled(Scene scene) {
        AtomicReference<SortedMap<String, Snapshot>> last = new AtomicReference<>(snapshots(scene.cluster()));
        Scene.await("nothing to change on the nodes")
                .pollInterval(Duration.ofSeconds(4))
                .until(() -> {
                    SortedMap<String, Snapshot> now = snapshots(scene.cluster());
                    boolean forgotten = now.values().stream()
                            .flatMap(snapshot -> snapshot.lines().stream())
                            .filter(line -> line.contains("games"))
                            .allMatch(line -> line.contains(scene.namespace() + "/"));
                    return last.getAndSet(now).equals(now) && forgotten;
                });
        return last.get();
    }

    private static SortedMap<String, Snapshot> snapshots(KubernetesCluster cluster) {
        SortedMap<String, Snapshot> snapshots = new TreeMap<>();
        cluster.nodes().forEach(node -> snapshots.put(node.machine().name(), Snapshot.of(node.namespace())));
        return snapshots;
    }

    @Test
    void B7_the_chart_installs_upgrades_and_leaves_the_definitions_and_peoples_objects_when_it_goes(Scene scene) {
        KubernetesCluster cluster = scene.cluster();
        Kuport.installChart(cluster);
        Server server = Server.on("home1");
        scene.serve(server);
        scene.map("public");
        String pod = scene.pod(server);
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, pod);
        Kuport.installChart(cluster, "--set", "logLevel=debug");
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, pod);
        Kuport.helm(cluster, "uninstall", "kuport", "--namespace", Kuport.NAMESPACE, "--wait");
        assertThat(cluster.admin()
                        .apiextensions()
                        .v1()
                        .customResourceDefinitions()
                        .list()
                        .getItems())
                .extracting(definition -> definition.getMetadata().getName())
                .contains("portmaps.kuport.wlz.li", "portmapclasses.kuport.wlz.li", "portmapnodes.kuport.wlz.li");
        assertThat(cluster.admin()
                        .resources(PortMap.class)
                        .inNamespace(scene.namespace())
                        .list()
                        .getItems())
                .hasSize(2);
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, pod);
        cluster.kubectl("delete", "namespace", Kuport.NAMESPACE, "--wait=true", "--timeout=180s");
    }
}
