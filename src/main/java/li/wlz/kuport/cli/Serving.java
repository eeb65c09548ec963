package li.wlz.kuport.cli;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import li.wlz.kuport.k8s.ApiConnection;
import li.wlz.kuport.k8s.Demand;
import li.wlz.kuport.k8s.KubernetesReporter;
import li.wlz.kuport.k8s.KubernetesSource;
import li.wlz.kuport.kernel.KernelNode;
import li.wlz.kuport.manifest.FileReporter;
import li.wlz.kuport.manifest.ManifestSource;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.observe.Health;
import li.wlz.kuport.observe.HealthServer;
import li.wlz.kuport.observe.Metrics;
import li.wlz.kuport.observe.ProblemLog;
import li.wlz.kuport.reconcile.Loop;
import li.wlz.kuport.reconcile.Pass;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.reconcile.spi.Reporter;
import li.wlz.kuport.reconcile.spi.Source;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs an agent until it is told to stop: where from, whom it tells, and whether it changes anything at all. */
final class Serving {
    private static final Logger LOG = LoggerFactory.getLogger(Serving.class);

    /** Below this a loop that verifies rarely would be taken for one that stands still. */
    private static final Duration SHORTEST_STANDSTILL = Duration.ofMinutes(3);

    /** A loop that never verifies may wait as long as nothing happens. */
    private static final Duration ANY_STANDSTILL = Duration.ofDays(36_500);

    private static final Duration LONGEST_PASS = Duration.ofSeconds(5);

    private final CountDownLatch ended = new CountDownLatch(1);

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandSpec command;

    @Option(
            names = "--manifests",
            paramLabel = "DIR",
            description = "Folder of YAML files to serve from instead of a cluster; it is watched.")
    @Nullable
    Path manifests;

    @Option(
            names = "--status-dir",
            paramLabel = "DIR",
            description = "With --manifests: folder to write statuses to, as files of the objects' shape."
                    + " Default: they go to the log alone.")
    @Nullable
    Path statusDir;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "How to reach the cluster. Default: the pod's service account, else $KUBECONFIG.")
    @Nullable
    Path kubeconfig;

    @Option(
            names = {"-dryrun", "--dry-run"},
            description =
                    "Prints what would change, and changes nothing: not the kernel, no file, nothing in the cluster."
                            + " Serves no health and metrics either.")
    boolean dryRun;

    @Option(
            names = {"-httpport", "--http-port"},
            paramLabel = "PORT",
            defaultValue = "8484",
            description =
                    "Port of /healthz, /readyz and /metrics, on loopback and on the node's InternalIP unless that is"
                            + " public; 0 for none. Default: ${DEFAULT-VALUE}.")
    int httpPort;

    @Option(
            names = "--http-address",
            paramLabel = "ADDRESS",
            description = "Where to listen beside loopback, instead of the node's InternalIP. May be repeated.")
    List<IpAddress> httpAddresses = new ArrayList<>();

    /** Runs until a signal comes. */
    void run(Settings settings, Duration verifyEvery) throws InterruptedException {
        try {
            serve(settings, verifyEvery);
        } finally {
            ended.countDown();
        }
    }

    private void serve(Settings settings, Duration verifyEvery) throws InterruptedException {
        check();
        Thread.setDefaultUncaughtExceptionHandler(Serving::crash);
        if (dryRun) {
            LogOptions.quietPasses();
        }
        LOG.info(
                "starting version={} node={}{}",
                VersionCommand.version(),
                settings.nodeName(),
                dryRun ? " dry-run=true" : "");
        Path folder = manifests;
        if (folder != null) {
            try (Source source = new ManifestSource(folder);
                    Reporter reporter = new FileReporter(
                            dryRun ? null : statusDir, VersionCommand.version(), InstantSource.system())) {
                serve(settings, verifyEvery, source, reporter);
            }
        } else {
            try (KubernetesClient client = ApiConnection.open(kubeconfig, VersionCommand.version());
                    KubernetesSource source = new KubernetesSource(client, Demand.of(settings))) {
                fromCluster(settings, verifyEvery, client, source);
            }
        }
        LOG.info(dryRun ? "stopped" : "stopped; what was programmed stays in force");
    }

    private void fromCluster(Settings settings, Duration verifyEvery, KubernetesClient client, KubernetesSource source)
            throws InterruptedException {
        if (dryRun) {
            serve(settings, verifyEvery, source, outcome -> {});
            return;
        }
        try (KubernetesReporter reporter =
                new KubernetesReporter(client, source, settings.nodeName(), VersionCommand.version())) {
            reporter.start();
            serve(settings, verifyEvery, source, reporter);
        }
    }

    private void check() {
        Path folder = manifests;
        if (folder == null) {
            boolean cluster = kubeconfig != null
                    || Stream.of("KUBERNETES_SERVICE_HOST", "KUBECONFIG").anyMatch(System.getenv()::containsKey);
            if (!cluster) {
                throw new ParameterException(
                        command.commandLine(),
                        "Serve from where? This is no pod of a cluster; give --manifests DIR or --kubeconfig FILE,"
                                + " or set KUBECONFIG.");
            }
            if (kubeconfig != null && !Files.isReadable(kubeconfig)) {
                throw new CommandException("cannot read --kubeconfig " + kubeconfig);
            }
            return;
        }
        // The agent would read what it writes, and write what it reads, for ever.
        if (statusDir != null
                && statusDir
                        .toAbsolutePath()
                        .normalize()
                        .startsWith(folder.toAbsolutePath().normalize())) {
            throw new CommandException("--status-dir must not lie inside --manifests: " + statusDir);
        }
    }

    private void serve(Settings settings, Duration verifyEvery, Source source, Reporter statuses)
            throws InterruptedException {
        Health health = new Health(standstill(verifyEvery));
        Metrics metrics = new Metrics();
        DryRun dry = new DryRun(command.commandLine().getOut());
        try (Node kernel = KernelNode.open(settings);
                HealthServer server = new HealthServer(httpPort, health, metrics)) {
            List<Reporter> reporters = new ArrayList<>(List.of(statuses, health, metrics));
            if (dryRun) {
                reporters.add(dry.reporter());
            } else if (httpPort > 0) {
                listen(server);
                reporters.add(outcome -> server.alsoOn(internalIps(source, settings.nodeName())));
            }
            if (!dryRun && manifests == null) {
                reporters.add(new ProblemLog());
            }
            Node node = dryRun ? dry.node(kernel) : kernel;
            Pass pass = new Pass(settings, source, node, reporters);
            Loop loop = new Loop(verify -> watched(pass, verify, health, metrics), verifyEvery);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(loop), "stop"));
            source.start(loop::dirty);
            node.start(loop::dirty);
            loop.run();
        }
    }

    private static Duration standstill(Duration verifyEvery) {
        if (verifyEvery.isZero()) {
            return ANY_STANDSTILL;
        }
        Duration several = verifyEvery.multipliedBy(3);
        return several.compareTo(SHORTEST_STANDSTILL) < 0 ? SHORTEST_STANDSTILL : several;
    }

    private static boolean watched(Pass pass, boolean verify, Health health, Metrics metrics) {
        health.passBegins();
        long started = System.nanoTime();
        boolean inForce = pass.pass(verify);
        metrics.passed(Duration.ofNanos(System.nanoTime() - started), inForce);
        return inForce;
    }

    private void listen(HealthServer server) {
        try {
            server.start();
            httpAddresses.forEach(server::on);
        } catch (UncheckedIOException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
    }

    private List<IpAddress> internalIps(Source source, String nodeName) {
        if (!httpAddresses.isEmpty()) {
            return List.of();
        }
        return source.latest().stream()
                .flatMap(snapshot -> snapshot.resources().nodes().stream())
                .map(sourced -> sourced.object())
                .filter(node -> nodeName.equals(node.getMetadata().getName()) && node.getStatus() != null)
                .flatMap(node -> node.getStatus().getAddresses().stream())
                .filter(address -> "InternalIP".equals(address.getType()))
                .map(address -> IpAddress.tryParse(address.getAddress()))
                .flatMap(Optional::stream)
                .toList();
    }

    /** A bug in any thread ends the agent: what is programmed stays in force, and who runs the agent starts it anew. */
    private static void crash(Thread thread, Throwable bug) {
        LOG.error("a bug ended thread={}", thread.getName(), bug);
        Runtime.getRuntime().halt(ExitCode.CRASHED);
    }

    /**
     * Lets the pass under way end: half a change is never left behind.
     *
     * <p>The thread that runs it does not end: it asks for the program's end, which it has to wait for as long as this runs.
     */
    private void stop(Loop loop) {
        loop.stop();
        try {
            if (!ended.await(LONGEST_PASS.toSeconds(), TimeUnit.SECONDS)) {
                LOG.warn("a pass does not end within {} s", LONGEST_PASS.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
