package li.wlz.kuport.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import li.wlz.kuport.lab.Isolation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows the whole idea at work in network namespaces, with real packets and real agents. */
@Command(
        name = "demo",
        header = "Shows the whole idea at work: a small internet in network namespaces, three agents, real packets.",
        description = {
            "Lays out a client, a public node, a home router with NAT, two home nodes and a WireGuard mesh, runs an agent on each"
                    + " node, dials, moves the pod, deletes the mapping, cleans up.",
            "Works as root, by unprivileged user namespaces, or by sudo. Nothing of it outlives the command.",
            "Exit status: 0 if all was right, 1 if anything was not."
        },
        sortOptions = false)
final class DemoCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandSpec command;

    @Mixin
    HelpOption help = new HelpOption();

    @Option(
            names = "--keep",
            description = "Stops before the mapping is deleted and opens a shell in the world to look around with.")
    boolean keep;

    @Override
    public Integer call() throws InterruptedException {
        if (!Isolation.inside()) {
            Isolation.missing().ifPresent(missing -> {
                throw new CommandException(missing);
            });
            List<String> again = new ArrayList<>(Program.command("demo"));
            if (keep) {
                again.add("--keep");
            }
            return Isolation.run(again);
        }
        try (Demo demo = new Demo(command.commandLine().getOut())) {
            return demo.run(keep) ? ExitCode.OK : ExitCode.FAILED;
        }
    }
}
