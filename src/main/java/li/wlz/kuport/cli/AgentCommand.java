package li.wlz.kuport.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import li.wlz.kuport.kernel.KernelNode;
import li.wlz.kuport.manifest.FileReporter;
import li.wlz.kuport.manifest.ManifestSource;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.reconcile.Loop;
import li.wlz.kuport.reconcile.Pass;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.reconcile.spi.Source;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the agent of one node until it is told to stop; what it programmed stays in force. */
@Command(
        name = "agent",
        header = "Serves this node's part of all mappings until it is stopped.",
        description = {
            "Needs CAP_NET_ADMIN in the node's network namespace.",
            "Stopping it changes nothing: what it programmed stays in force, and its next start adopts it."
                    + " 'kuport cleanup' removes it."
        },
        sortOptions = false)
final class AgentCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(AgentCommand.class);

    @Mixin
    HelpOption help = new HelpOption();

    @Option(
            names = "--manifests",
            paramLabel = "DIR",
            required = true,
            description = "Folder of YAML files to serve from; it is watched.")
    Path manifests = Path.of(".");

    @Option(
            names = "--status-dir",
            paramLabel = "DIR",
            description =
                    "Folder to write statuses to, as files of the objects' shape. Default: they go to the log alone.")
    @Nullable
    Path statusDir;

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
        LOG.info("starting version={} node={}", VersionCommand.version(), settings.nodeName());
        try (Source source = new ManifestSource(manifests);
                Node node = KernelNode.open(settings);
                FileReporter reporter = new FileReporter(statusDir, VersionCommand.version(), InstantSource.system())) {
            Loop loop = new Loop(new Pass(settings, source, node, List.of(reporter)), verifyEvery);
            Thread runner = Thread.currentThread();
            Thread stopper = new Thread(() -> stop(loop, runner), "stop");
            Runtime.getRuntime().addShutdownHook(stopper);
            source.start(loop::dirty);
            node.start(loop::dirty);
            loop.run();
        }
        LOG.info("stopped; what was programmed stays in force");
        return ExitCode.OK;
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
