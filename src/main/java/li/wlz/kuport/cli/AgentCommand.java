package li.wlz.kuport.cli;

import java.time.Duration;
import java.util.concurrent.Callable;
import li.wlz.kuport.model.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
        abbreviateSynopsis = true,
        sortOptions = false)
final class AgentCommand implements Callable<Integer> {
    @Mixin
    HelpOption help = new HelpOption();

    @Mixin
    Serving serving = new Serving();

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

    @Mixin
    PodOptions pods = new PodOptions();

    @Override
    public Integer call() throws InterruptedException {
        log.apply();
        Settings settings = settingsOptions.settings().with(pods.rules());
        serving.run(settings, verifyEvery);
        return ExitCode.OK;
    }
}
