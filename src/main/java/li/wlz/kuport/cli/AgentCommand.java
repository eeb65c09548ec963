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
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import li.wlz.kuport.k8s.ApiConnection;
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
import li.wlz.kuport.reconcile.Loop;
import li.wlz.kuport.reconcile.Pass;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.reconcile.spi.Reporter;
import li.wlz.kuport.reconcile.spi.Source;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the agent of one node until it is told to stop; what it programmed stays in force. */
@Command(
        name = "agent",
        header = "Serves this node's part of all mappings until it is stopped.",
        description = {
            "Serves from the cluster whose pod it runs in, from another by --kubeconfig, or from a folder by --manifests.",
            "Needs CAP_NET_ADMIN in the node's network namespace.",
            "Stopping it changes nothing: what it programmed stays in force, and its next start adopts it."
                    + " 'kuport cleanup' removes it."
        },
        sortOptions = false)
final class AgentCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(AgentCommand.class);

    /** Below this a loop that verifies rarely would be taken for one that stands still. */
    private static final Duration SHORTEST_STANDSTILL = Duration.ofMinutes(3);

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandSpec command;

    @Mixin
    HelpOption help = new HelpOption();

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
            names = "--http-port",
            paramLabel = "PORT",
            defaultValue = "8484",
            description =
                    "Port of /healthz, /readyz and /metrics, on loopback and on the node's InternalIP unless that is"
                            + " public; 0 for none. Default: ${DEFAULT-VALUE}.")
    int httpPort;

    @Option(
            names = "--verify-every",
            paramLabel = "DURATION",
            defaultValue = "60s",
            description = "How often to compare everything with the kernel though nothing happened; 0 for never."
                    + " Default: ${DEFAULT-VALUE}.")
    Duration verifyEvery = Duration.ofSeconds(60);

    @Mixin
    LogOptions log = new LogOptions();

    @Mixin
    SettingsOptions settingsOptions = new SettingsOptions();

    @Override
    public Integer call() throws InterruptedException {
        log.apply();
        Settings settings = settingsOptions.settings();
        check();
        Thread.setDefaultUncaughtExceptionHandler(AgentCommand::crash);
        LOG.info("starting version={} node={}", VersionCommand.version(), settings.nodeName());
        Path folder = manifests;
        if (folder != null) {
            try (Source source = new ManifestSource(folder);
                    Reporter reporter = new FileReporter(statusDir, VersionCommand.version(), InstantSource.system())) {
                serve(settings, source, reporter);
            }
        } else {
            try (KubernetesClient client = ApiConnection.open(kubeconfig, VersionCommand.version());
                    KubernetesSource source = new KubernetesSource(client);
                    KubernetesReporter reporter =
                            new KubernetesReporter(client, source, settings.nodeName(), VersionCommand.version())) {
                reporter.start();
                serve(settings, source, reporter);
            }
        }
        LOG.info("stopped; what was programmed stays in force");
        return ExitCode.OK;
    }

    private void check() {
        Path folder = manifests;
        if (folder == null) {
            boolean cluster = kubeconfig != null
                    || Stream.of("KUBERNETES_SERVICE_HOST", "KUBECONFIG").anyMatch(System.getenv()::containsKey);
            if (!cluster) {
                throw new ParameterException(
                        command.commandLine(),
                        "Serve from where? This is no pod of a cluster; give --manifests DIR or --kubeconfig FILE.");
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

    private void serve(Settings settings, Source source, Reporter statuses) throws InterruptedException {
        Health health = new Health(
                verifyEvery.multipliedBy(3).compareTo(SHORTEST_STANDSTILL) < 0
                        ? SHORTEST_STANDSTILL
                        : verifyEvery.multipliedBy(3));
        Metrics metrics = new Metrics();
        try (Node node = KernelNode.open(settings);
                HealthServer server = new HealthServer(httpPort, health, metrics)) {
            List<Reporter> reporters = new ArrayList<>(List.of(statuses, health, metrics));
            if (httpPort > 0) {
                listen(server);
                reporters.add(outcome -> server.alsoOn(internalIps(source, settings.nodeName())));
            }
            Pass pass = new Pass(settings, source, node, reporters);
            Loop loop = new Loop(verify -> watched(pass, verify, health, metrics), verifyEvery);
            Thread runner = Thread.currentThread();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(loop, runner), "stop"));
            source.start(loop::dirty);
            node.start(loop::dirty);
            loop.run();
        }
    }

    private static boolean watched(Pass pass, boolean verify, Health health, Metrics metrics) {
        health.passBegins();
        long started = System.nanoTime();
        boolean inForce = pass.pass(verify);
        metrics.passed(Duration.ofNanos(System.nanoTime() - started), inForce);
        return inForce;
    }

    private static void listen(HealthServer server) {
        try {
            server.start();
        } catch (UncheckedIOException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
    }

    private static List<IpAddress> internalIps(Source source, String nodeName) {
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

    /** Lets the pass under way end: half a change is never left behind. */
    private static void stop(Loop loop, Thread runner) {
        loop.stop();
        try {
            runner.join(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
