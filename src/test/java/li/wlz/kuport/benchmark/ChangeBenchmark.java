package li.wlz.kuport.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import li.wlz.kuport.ffm.NetworkNamespace;
import li.wlz.kuport.kernel.KernelNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.manifest.ManifestSource;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.reconcile.ForwardingNode;
import li.wlz.kuport.reconcile.Loop;
import li.wlz.kuport.reconcile.Pass;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.reconcile.spi.Source;

/**
 * How long a change takes among many mappings: from the file's rename to the kernel's commit, with the real folder watch, loop and
 * kernel, in a namespace of its own. Beside it the share of libnftables and the kernel in it, measured in the same run.
 *
 * <p>Arguments: how many mappings (10000), how many changes (60). Runs inside the lab's isolation.
 */
final class ChangeBenchmark {
    private static final int PER_FILE = 100;
    private static final int PER_SERVICE = 10;

    private final int mappings;
    private final int changes;
    private final Path folder;
    private final BlockingQueue<Commit> commits = new LinkedBlockingQueue<>();

    /**
     * A script that the kernel took.
     *
     * @param at when it was in force, in nanoseconds
     * @param took how long libnftables and the kernel needed, in nanoseconds
     */
    private record Commit(long at, long took, int length) {}

    private ChangeBenchmark(int mappings, int changes, Path folder) {
        this.mappings = mappings;
        this.changes = changes;
        this.folder = folder;
    }

    public static void main(String[] args) throws Exception {
        int mappings = args.length > 0 ? Integer.parseInt(args[0]) : 10_000;
        int changes = args.length > 1 ? Integer.parseInt(args[1]) : 60;
        Path folder = Files.createTempDirectory("kuport-bench");
        new ChangeBenchmark(mappings, changes, folder).run();
        System.exit(0);
    }

    private void run() throws Exception {
        try (Namespace namespace = Namespace.create("bench")) {
            namespace.ip("""
                    link set lo up
                    link add eth0 type veth peer name internet
                    link add mesh0 mtu 1420 type veth peer name mesh
                    link set eth0 up
                    link set mesh0 up
                    link set internet up
                    link set mesh up
                    address add 203.0.113.9/24 dev eth0
                    address add 100.64.0.1/24 dev mesh0
                    """);
            // A node that does not forward refuses all mappings, which is less than half of the work.
            namespace.sysctl(Map.of("net.ipv4.ip_forward", "1"));
            write("cluster", cluster());
            write(
                    "services",
                    String.join(
                            "---\n",
                            IntStream.rangeClosed(0, mappings / PER_SERVICE)
                                    .mapToObj(i -> service(
                                            "service-" + i, "home", "10.244.%d.%d".formatted(i / 250 + 2, i % 250 + 2)))
                                    .toList()));
            for (int file = 0; file < (mappings + PER_FILE - 1) / PER_FILE; file++) {
                write("mappings-" + file, portMaps(file));
            }
            Settings settings = Settings.defaults("edge");
            Thread agent = Thread.ofPlatform().daemon().unstarted(() -> serve(namespace, settings));
            long started = System.nanoTime();
            agent.start();
            Commit first = next(Duration.ofMinutes(2));
            System.out.printf(
                    "%d mappings, first apply from the start of the agent's objects: %.0f ms, of which libnftables and kernel %.0f ms%n",
                    mappings, millis(first.at - started), millis(first.took));
            change("to a pod of another node", "web", "chat");
            change("to or from a pod of this node, which changes routes too", "web", "mail");
        }
    }

    private void serve(Namespace namespace, Settings settings) {
        NetworkNamespace.enter(namespace.file());
        try (Source source = new ManifestSource(folder);
                Node kernel = KernelNode.open(settings);
                Node node = new Stopwatch(kernel, commits)) {
            Loop loop = new Loop(new Pass(settings, source, node, List.of()), Duration.ZERO);
            source.start(loop::dirty);
            node.start(loop::dirty);
            loop.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One file of a single mapping is written anew with another Service's pod. */
    private void change(String what, String service, String other) throws Exception {
        List<Long> whole = new ArrayList<>();
        List<Long> kernel = new ArrayList<>();
        int length = 0;
        for (int i = 0; i < changes; i++) {
            Thread.sleep(150);
            Path half = prepare("single", portMap("single", 60_001, i % 2 == 0 ? service : other));
            commits.clear();
            long before = System.nanoTime();
            Files.move(half, folder.resolve("single.yaml"), StandardCopyOption.ATOMIC_MOVE);
            Commit commit = next(Duration.ofSeconds(30));
            // The first third is the JVM's warming up.
            if (i >= changes / 3) {
                whole.add(commit.at - before);
                kernel.add(commit.took);
            }
            length = commit.length;
        }
        print("a change of one mapping " + what + ", from the file's rename to the commit", whole);
        print("of which libnftables and kernel", kernel);
        System.out.printf("the transaction of the last change: %d characters%n", length);
        System.out.printf(
                "ratio of the whole to libnftables and kernel, medians: %.1f%n",
                (double) median(whole) / median(kernel));
    }

    private Commit next(Duration patience) throws InterruptedException {
        Commit commit = commits.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (commit == null) {
            throw new IllegalStateException("nothing was committed for " + patience);
        }
        return commit;
    }

    private static void print(String what, List<Long> nanos) {
        System.out.printf(
                "%s: min %.2f ms, median %.2f ms, max %.2f ms (%d times)%n",
                what,
                millis(Collections.min(nanos)),
                millis(median(nanos)),
                millis(Collections.max(nanos)),
                nanos.size());
    }

    private static long median(List<Long> values) {
        return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
    }

    private static double millis(long nanos) {
        return nanos / 1e6;
    }

    private Path prepare(String name, String yaml) throws IOException {
        return Files.writeString(folder.resolve("." + name), yaml);
    }

    private void write(String name, String yaml) throws IOException {
        Files.move(prepare(name, yaml), folder.resolve(name + ".yaml"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** A hundred mappings, ten each of a Service: as many ports of one pod as a busy workload has. */
    private String portMaps(int file) {
        return String.join(
                "---\n",
                IntStream.range(file * PER_FILE, Math.min(mappings, (file + 1) * PER_FILE))
                        .mapToObj(i -> portMap("map-" + i, 10_000 + i, "service-" + i / PER_SERVICE))
                        .toList());
    }

    private static String portMap(String name, int port, String service) {
        return """
                apiVersion: kuport.wlz.li/v1alpha1
                kind: PortMap
                metadata: {name: %s, namespace: games}
                spec: {className: public, protocol: TCP, port: %d, serviceRef: {name: %s, port: main}}
                """.formatted(name, port, service);
    }

    private static String cluster() {
        return """
                apiVersion: v1
                kind: Node
                metadata: {name: edge}
                status:
                  conditions: [{type: Ready, status: "True"}]
                  addresses: [{type: InternalIP, address: 100.64.0.1}]
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: home}
                status:
                  conditions: [{type: Ready, status: "True"}]
                  addresses: [{type: InternalIP, address: 100.64.0.2}]
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: office}
                status:
                  conditions: [{type: Ready, status: "True"}]
                  addresses: [{type: InternalIP, address: 100.64.0.3}]
                ---
                apiVersion: v1
                kind: Namespace
                metadata: {name: games}
                ---
                apiVersion: kuport.wlz.li/v1alpha1
                kind: PortMapClass
                metadata: {name: public}
                spec:
                  nodes: {edge: {interfaces: [eth0]}}
                  ports: {allowProtected: [30000-32767, 51820]}
                  returnPath: {mode: Vxlan}
                ---
                """ + service("web", "home", "10.244.2.10") + "---\n" + service("chat", "office", "10.244.3.10")
                + "---\n"
                + service("mail", "edge", "10.244.1.10");
    }

    private static String service(String name, String node, String address) {
        return """
                apiVersion: v1
                kind: Service
                metadata: {name: %1$s, namespace: games}
                spec: {ports: [{name: main, protocol: TCP, port: 80}]}
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: %1$s-4, namespace: games, labels: {kubernetes.io/service-name: %1$s}}
                addressType: IPv4
                ports: [{name: main, protocol: TCP, port: 8080}]
                endpoints:
                  - addresses: [%3$s]
                    nodeName: %2$s
                    targetRef: {kind: Pod, namespace: games, name: %1$s-0}
                    conditions: {ready: true}
                """.formatted(name, node, address);
    }

    /** Notes when a script was in force; passes everything else on. */
    private static final class Stopwatch extends ForwardingNode {
        private final BlockingQueue<Commit> commits;

        Stopwatch(Node node, BlockingQueue<Commit> commits) {
            super(node);
            this.commits = commits;
        }

        @Override
        public void run(String script, Listing after) {
            long before = System.nanoTime();
            super.run(script, after);
            long now = System.nanoTime();
            commits.add(new Commit(now, now - before, script.length()));
        }
    }
}
