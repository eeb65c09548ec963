package li.wlz.kuport.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Namespace;
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

    /** As the iptables flavor leaves them; the release's cleanup has NET_ADMIN alone. */
    static final String LEFT = """
            for family in iptables ip6tables; do
              $family-legacy -t nat -N KUPORT-PRE
              $family-legacy -t nat -I PREROUTING -m comment --comment kuport-0a1b2c -j KUPORT-PRE
              $family-legacy -t nat -A KUPORT-PRE -p tcp -m tcp --dport 2525 -m comment --comment kuport-3d4e5f -j ACCEPT
            done
            """;

    @Test
    void B2_a_cleanup_that_may_not_remove_chains_of_iptables_legacy_fails_and_says_what_it_takes(Scene scene) {
        KubernetesCluster cluster = scene.cluster();
        Namespace edge2 = scene.world().edge2().namespace();
        cluster.kubectl(
                "delete",
                "-f",
                Kuport.file("kuport").toString(),
                "--ignore-not-found",
                "--wait=true",
                "--timeout=180s");
        edge2.run("sh", "-ec", LEFT);

        cluster.kubectl("apply", "-f", Kuport.file("kuport-cleanup").toString());
        Scene.await("what edge2's pod says")
                .untilAsserted(() -> assertThat(cleanupLogs(cluster))
                        .contains("chains KUPORT-* are still in iptables-legacy", "are still in ip6tables-legacy")
                        .contains("NET_RAW", "/run/xtables.lock"));
        assertThat(edge2.run("iptables-legacy-save")).contains("-A KUPORT-PRE");
        Guide.of(cluster, "integration.md").follow("Uninstalling where iptables-legacy was used");

        assertThat(snapshots(cluster))
                .noneSatisfy((node, after) -> assertThat(after.hasKuport()).isTrue());
        assertThat(edge2.run("iptables-legacy-save"))
                .contains("-j KUBE-SERVICES")
                .doesNotContain("KUPORT");
    }

    /** Of all pods that have begun. */
    private static String cleanupLogs(KubernetesCluster cluster) {
        return Program.attempt(List.of(
                        cluster.kubectl().toString(),
                        "--kubeconfig=" + cluster.kubeconfig(),
                        "--namespace=kuport-cleanup",
                        "logs",
                        "--selector=app.kubernetes.io/name=kuport-cleanup",
                        "--container=cleanup"))
                .output();
    }

    /**
     * Snapshots that are still true some seconds later; kube-proxy takes its time to forget earlier tests' Services, and to learn of the
     * endpoints of this one's.
     */
    private static SortedMap<String, Snapshot> settled(Scene scene) {
        AtomicReference<SortedMap<String, Snapshot>> last = new AtomicReference<>(snapshots(scene.cluster()));
        Scene.await("nothing to change on the nodes")
                .pollInterval(Duration.ofSeconds(4))
                .until(() -> {
                    SortedMap<String, Snapshot> now = snapshots(scene.cluster());
                    boolean forgotten = now.values().stream()
                            // What an agent that is gone has left is nobody's to forget.
                            .flatMap(snapshot -> snapshot.withoutKuport().lines().stream())
                            .filter(line -> line.contains("games"))
                            .allMatch(line -> line.contains(scene.namespace() + "/")
                                    && !line.contains("goto reject-chain")
                                    && !line.contains("has no endpoints"));
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
