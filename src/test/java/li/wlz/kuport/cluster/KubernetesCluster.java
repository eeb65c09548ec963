package li.wlz.kuport.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import li.wlz.kuport.cluster.KubernetesNode.ProxyMode;
import li.wlz.kuport.lab.Feature;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.World;
import org.awaitility.Awaitility;

/**
 * A real Kubernetes: the lab's world, with a control plane as one more host in its mesh, and on each node containerd, kubelet,
 * kube-proxy and the bridge CNI. Two families throughout; a node's InternalIPs are its mesh addresses.
 *
 * <p>kube-proxy works in nftables mode on edge and home1, in iptables mode on edge2, a node of iptables-legacy, and on home2. Everything ends with this JVM,
 * which has to be the machine's root in the lab's isolation.
 */
public final class KubernetesCluster implements AutoCloseable {
    private static final Map<String, ProxyMode> PROXY_MODES = Map.of(
            "edge",
            ProxyMode.NFTABLES,
            "home1",
            ProxyMode.NFTABLES,
            "edge2",
            ProxyMode.IPTABLES_LEGACY,
            "home2",
            ProxyMode.IPTABLES);

    private final Machine machine;
    private final World world;
    private final Path programs;
    private final ControlPlane control;
    private final KubernetesClient admin;
    private final Map<String, KubernetesNode> nodes = new LinkedHashMap<>();

    private KubernetesCluster(Machine machine, World world, Path programs) {
        this.machine = machine;
        this.world = world;
        this.programs = programs;
        this.control = ControlPlane.start(world, programs);
        this.admin = control.admin();
        for (MeshNode node : world.nodes()) {
            nodes.put(
                    node.name(),
                    new KubernetesNode(
                            node,
                            PROXY_MODES.getOrDefault(node.name(), ProxyMode.NFTABLES),
                            programs,
                            control.kubeconfig(),
                            machine.cgroup()));
        }
    }

    /** Starts one; when this returns, all nodes are ready. */
    public static KubernetesCluster start() {
        Machine machine = Machine.prepare();
        Path programs = Path.of(Program.run("scripts/kubernetes").strip());
        Layout layout = Layout.plain().with(Feature.BARE, Feature.SECOND_PUBLIC_NODE);
        for (String node : PROXY_MODES.keySet()) {
            layout = layout.pods(node, 0);
        }
        KubernetesCluster cluster = new KubernetesCluster(machine, World.build(layout), programs);
        // For a JVM that is asked to end before its time.
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::stopNodes, "stop-nodes"));
        try {
            cluster.bringUp();
            return cluster;
        } catch (RuntimeException e) {
            cluster.dump(Path.of("target/cluster-that-did-not-start"));
            cluster.close();
            throw e;
        }
    }

    private void bringUp() {
        CompletableFuture<Path> image =
                CompletableFuture.supplyAsync(() -> WorkloadImage.build(Machine.FOLDER.resolve("workload")));
        onAllNodes(node -> {
            node.wire();
            node.startContainerd();
            node.importImage(image.join(), WorkloadImage.REPOSITORY);
        });
        control.awaitReady(admin);
        control.startControllers();
        onAllNodes(KubernetesNode::startKubelet);
        Awaitility.await("all nodes ready; logs are in " + Machine.FOLDER)
                .atMost(Duration.ofMinutes(3))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> admin.nodes().list().getItems().stream()
                                .filter(KubernetesCluster::isReady)
                                .count()
                        == nodes.size());
    }

    /** Does it on all nodes at the same time. */
    void onAllNodes(Consumer<KubernetesNode> step) {
        try (ExecutorService threads =
                Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            List<CompletableFuture<Void>> steps = nodes.values().stream()
                    .map(node -> CompletableFuture.runAsync(() -> step.accept(node), threads))
                    .toList();
            steps.forEach(CompletableFuture::join);
        }
    }

    static boolean isReady(Node node) {
        return node.getStatus().getConditions().stream()
                .anyMatch(condition -> condition.getType().equals("Ready")
                        && condition.getStatus().equals("True"));
    }

    public World world() {
        return world;
    }

    KubernetesNode node(String name) {
        KubernetesNode found = nodes.get(name);
        if (found == null) {
            throw new IllegalArgumentException("there is no node " + name + "; there are " + nodes.keySet());
        }
        return found;
    }

    Collection<KubernetesNode> nodes() {
        return nodes.values();
    }

    ControlPlane control() {
        return control;
    }

    /** A client that may do everything. */
    public KubernetesClient admin() {
        return admin;
    }

    /** Where the admin's kubeconfig is, as long as the cluster is up. */
    public Path kubeconfig() {
        return control.kubeconfig();
    }

    /** Where kubectl is. */
    public Path kubectl() {
        return programs.resolve("kubectl");
    }

    /**
     * Runs {@code kubectl} as the admin.
     *
     * @return its standard output
     */
    public String kubectl(String... arguments) {
        List<String> command = new ArrayList<>(List.of(kubectl().toString(), "--kubeconfig=" + kubeconfig()));
        command.addAll(List.of(arguments));
        return Program.run(command.toArray(String[]::new));
    }

    /** Applies manifests as {@code kubectl apply --server-side --force-conflicts} does. */
    public List<HasMetadata> apply(String manifests) {
        return admin.load(new ByteArrayInputStream(manifests.getBytes(StandardCharsets.UTF_8))).items().stream()
                .map(object -> admin.resource(object).forceConflicts().serverSideApply())
                .toList();
    }

    /** Imports an image on all nodes. */
    public void importImage(Path archive, String repository) {
        onAllNodes(node -> node.importImage(archive, repository));
    }

    /** Writes down what there is, for a person who wants to know why a test failed. */
    public void dump(Path folder) {
        world.dump(folder);
        try {
            Files.createDirectories(folder);
            Files.writeString(
                    folder.resolve("kubectl.txt"),
                    attempt("get", "nodes,pods,services,endpointslices,events", "-A", "-o", "wide"));
            Files.writeString(folder.resolve("kuport.txt"), attempt("get", "pm,pmc,pmn", "-A", "-o", "yaml"));
            Files.writeString(
                    folder.resolve("agents.txt"),
                    attempt(
                            "logs",
                            "--namespace=" + Kuport.NAMESPACE,
                            "--selector=app.kubernetes.io/name=kuport",
                            "--prefix",
                            "--tail=-1",
                            "--max-log-requests=10"));
            Program.attempt(List.of(
                    "sh",
                    "-c",
                    "cd '" + Machine.FOLDER + "' && for f in */*.log; do cp $f '" + folder.toAbsolutePath()
                            + "'/$(echo $f | tr / -); done"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String attempt(String... arguments) {
        List<String> command = new ArrayList<>(List.of(kubectl().toString(), "--kubeconfig=" + kubeconfig()));
        command.addAll(List.of(arguments));
        Program.Result result = Program.attempt(command);
        return result.output() + result.errors();
    }

    private synchronized void stopNodes() {
        nodes.values().forEach(KubernetesNode::stop);
        machine.close();
    }

    @Override
    public void close() {
        stopNodes();
        admin.close();
        control.namespace().close();
        world.close();
    }
}
