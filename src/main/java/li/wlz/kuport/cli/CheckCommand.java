package li.wlz.kuport.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import li.wlz.kuport.inspect.NodeCheck;
import li.wlz.kuport.model.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Prints whether this node has what kuport needs, before anything is installed. */
@Command(
        name = "check",
        header = "Prints whether this node has what kuport needs, and what to do where it has not. Changes nothing.",
        description = {
            "Runs in the node's network namespace, with CAP_NET_ADMIN; needs no cluster and no agent. With the image alone:",
            "kubectl debug node/NAME --image IMAGE --profile sysadmin --attach -- kuport check --node-name NAME",
            "Without a name, and without $NODE_NAME, the host's stands in what is printed.",
            "Exit status: 0 if nothing is missing, 1 if something is."
        },
        sortOptions = false)
final class CheckCommand implements Callable<Integer> {
    @Mixin
    HelpOption help = new HelpOption();

    @Mixin
    Output output = new Output();

    @Mixin
    SettingsOptions settingsOptions = new SettingsOptions();

    @Override
    public Integer call() {
        // The name is a label of what is printed, no more.
        Settings settings = settingsOptions.settings(CheckCommand::hostName);
        Observed observed = Observed.node(settings);
        NodeCheck check = NodeCheck.of(settings, observed.facts(), observed.routing(), observed.unread());
        output.print(check, check::text);
        return check.passed() ? ExitCode.OK : ExitCode.FAILED;
    }

    private static String hostName() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read this host's name", e);
        }
    }
}
