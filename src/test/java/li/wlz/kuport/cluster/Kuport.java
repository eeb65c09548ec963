package li.wlz.kuport.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** kuport in the cluster, as people get it: the image and the manifests of target/release, which scripts/release has made. */
final class Kuport {
    static final String NAMESPACE = "kuport-system";
    static final String DAEMON_SET = "kuport-agent";
    static final String USER = "system:serviceaccount:kuport-system:kuport-agent";

    private static final String REPOSITORY = "ghcr.io/walzen-group/kuport-agent";
    private static final Path RELEASE = Path.of("target/release");
    private static final String VERSION = Program.run("scripts/version").strip();

    /** The label of nodes where the chart's agents are to run, if not on all. */
    private static final String HAS_AGENT = "lab.local/agent";

    private static boolean imported;

    private Kuport() {}

    /** Installs it unless it is there, and waits for an agent on each node. */
    static void install(KubernetesCluster cluster) {
        importImage(cluster);
        installDefinitions(cluster);
        cluster.apply(manifest("kuport"));
        awaitAgents(cluster);
    }

    /** The definitions alone. */
    static void installDefinitions(KubernetesCluster cluster) {
        cluster.apply(manifest("crds"));
        Scene.await("definitions")
                .until(() -> cluster.admin().apiextensions().v1().customResourceDefinitions().list().getItems().stream()
                        .filter(definition -> definition.getSpec().getGroup().equals("kuport.wlz.li"))
                        .allMatch(definition -> definition.getStatus() != null
                                && definition.getStatus().getConditions() != null
                                && definition.getStatus().getConditions().stream()
                                        .anyMatch(is -> is.getType().equals("Established")
                                                && is.getStatus().equals("True"))));
    }

    /** The text of the release's {@code kuport}, {@code crds} or {@code kuport-cleanup} manifests. */
    static String manifest(String name) {
        try {
            return Files.readString(file(name));
        } catch (IOException e) {
            throw new UncheckedIOException("run scripts/release first", e);
        }
    }

    /** Where the release's {@code kuport}, {@code crds} or {@code kuport-cleanup} manifests are. */
    static Path file(String name) {
        return RELEASE.resolve(name + "-" + VERSION + ".yaml");
    }

    /** Where the release's chart is. */
    static Path chart() {
        return RELEASE.resolve("kuport-" + VERSION + ".tgz");
    }

    static synchronized void importImage(KubernetesCluster cluster) {
        if (!imported) {
            cluster.importImage(RELEASE.resolve("kuport-agent-" + VERSION + ".oci.tar"), REPOSITORY);
            imported = true;
        }
    }

    /** Installs the chart, in the place of the manifests, or upgrades it; with arguments for {@code helm}. */
    static void installChart(KubernetesCluster cluster, String... arguments) {
        upgradeChart(cluster, arguments);
        awaitAgents(cluster);
    }

    /** The same with agents on some nodes alone. */
    static void installChartOn(KubernetesCluster cluster, List<String> nodes, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--set-string", "nodeSelector." + HAS_AGENT.replace(".", "\\.") + "=true"));
        label(cluster, nodes);
        upgradeChart(cluster, all.toArray(String[]::new));
        awaitAgents(cluster, nodes.size());
    }

    /** Has the agents of {@link #installChartOn} on these nodes and on no others. */
    static void placeAgents(KubernetesCluster cluster, List<String> nodes) {
        label(cluster, nodes);
        awaitAgents(cluster, nodes.size());
    }

    private static void label(KubernetesCluster cluster, List<String> nodes) {
        cluster.nodes()
                .forEach(node -> cluster.kubectl(
                        "label",
                        "--overwrite",
                        "node",
                        node.machine().name(),
                        HAS_AGENT + "=" + nodes.contains(node.machine().name())));
    }

    private static void upgradeChart(KubernetesCluster cluster, String... arguments) {
        importImage(cluster);
        if (!helm(cluster, "list", "--short", "--namespace", NAMESPACE).contains("kuport")) {
            cluster.kubectl(
                    "delete", "-f", file("kuport").toString(), "--ignore-not-found", "--wait=true", "--timeout=180s");
        }
        installDefinitions(cluster);
        List<String> command = new ArrayList<>(List.of(
                "upgrade", "--install", "kuport", chart().toString(), "--namespace", NAMESPACE, "--create-namespace"));
        command.addAll(List.of(arguments));
        helm(cluster, command.toArray(String[]::new));
    }

    /** Removes the chart and its namespace; what the agents programmed stays. */
    static void uninstallChart(KubernetesCluster cluster) {
        helm(cluster, "uninstall", "kuport", "--namespace", NAMESPACE, "--wait");
        cluster.kubectl("delete", "namespace", NAMESPACE, "--wait=true", "--timeout=180s");
    }

    /**
     * Runs {@code helm} as the admin.
     *
     * @return its standard output
     */
    static String helm(KubernetesCluster cluster, String... arguments) {
        List<String> command = new ArrayList<>(
                List.of(helm().toString(), "--kubeconfig", cluster.kubeconfig().toString()));
        command.addAll(List.of(arguments));
        return Program.run(command.toArray(String[]::new));
    }

    /** Where helm is. */
    static Path helm() {
        return Path.of(Program.run("scripts/go-tool", "helm").strip());
    }

    static void awaitAgents(KubernetesCluster cluster) {
        awaitAgents(cluster, cluster.nodes().size());
    }

    /** Waits until there are so many, of the DaemonSet as it is now, and all are ready. */
    private static void awaitAgents(KubernetesCluster cluster, int nodes) {
        Scene.await("an agent ready on each of %d nodes".formatted(nodes)).until(() -> {
            DaemonSet agents = cluster.admin()
                    .apps()
                    .daemonSets()
                    .inNamespace(NAMESPACE)
                    .withName(DAEMON_SET)
                    .get();
            return agents.getStatus() != null
                    && agents.getMetadata()
                            .getGeneration()
                            .equals(agents.getStatus().getObservedGeneration())
                    && orNought(agents.getStatus().getUpdatedNumberScheduled()) == nodes
                    && orNought(agents.getStatus().getNumberReady()) == nodes;
        });
    }

    /** What the agents' image is called in the cluster. */
    static String image(KubernetesCluster cluster) {
        return cluster.admin()
                .apps()
                .daemonSets()
                .inNamespace(NAMESPACE)
                .withName(DAEMON_SET)
                .require()
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .getFirst()
                .getImage();
    }

    private static int orNought(Integer number) {
        return number == null ? 0 : number;
    }

    /** The agent's pod on a node. */
    static Pod agent(KubernetesCluster cluster, String node) {
        return agents(cluster).stream()
                .filter(pod -> node.equals(pod.getSpec().getNodeName())
                        && pod.getMetadata().getDeletionTimestamp() == null)
                .findAny()
                .orElseThrow(() -> new IllegalStateException("no agent on " + node));
    }

    static List<Pod> agents(KubernetesCluster cluster) {
        return cluster.admin()
                .pods()
                .inNamespace(NAMESPACE)
                .withLabel("app.kubernetes.io/name", "kuport")
                .list()
                .getItems();
    }

    /** A class that offers eth0 of the nodes. */
    static void offer(KubernetesCluster cluster, String name, String servingMode, String... nodes) {
        cluster.apply(classOf(name, servingMode, "", nodes));
    }

    /** The class's manifest; {@code more} are further lines of its spec, indented by two. */
    static String classOf(String name, String servingMode, String more, String... nodes) {
        StringBuilder offers = new StringBuilder();
        for (String node : nodes) {
            offers.append("    %s: {interfaces: [eth0]}%n".formatted(node));
        }
        return """
                apiVersion: kuport.wlz.li/v1alpha1
                kind: PortMapClass
                metadata: {name: %s}
                spec:
                  servingMode: %s
                  returnPath: {mode: Vxlan}
                  nodes:
                %s%s""".formatted(name, servingMode, offers, more);
    }

    static void remove(KubernetesCluster cluster, List<HasMetadata> objects) {
        objects.forEach(object -> cluster.admin().resource(object).delete());
    }
}
