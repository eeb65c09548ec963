package li.wlz.kuport.cli;

import li.wlz.kuport.k8s.ClusterException;
import li.wlz.kuport.reconcile.spi.NodeException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.UnmatchedArgumentException;

/** Starts the command that was asked for. */
@Command(
        name = "kuport",
        header = "Delivers a port of one node to a pod on another, with the client's source address intact.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "See 'kuport COMMAND --help' for each."},
        versionProvider = VersionCommand.Provider.class,
        sortOptions = false,
        subcommands = {
            AgentCommand.class,
            PodnatCommand.class,
            StatusCommand.class,
            CheckCommand.class,
            PlanCommand.class,
            FactsCommand.class,
            CleanupCommand.class,
            DemoCommand.class,
            VersionCommand.class
        })
public final class Main {
    @CommandLine.Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    boolean help;

    @CommandLine.Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Prints the version.")
    boolean version;

    private Main() {}

    public static void main(String[] args) {
        Log.toStandardError();
        System.exit(commandLine().execute(args));
    }

    /** The command line, for running it and for tests. */
    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Main());
        Texts.register(line);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        line.setParameterExceptionHandler((e, arguments) -> {
            CommandLine failed = e.getCommandLine();
            failed.getErr().println(e.getMessage());
            UnmatchedArgumentException.printSuggestions(e, failed.getErr());
            failed.getErr().println("See '" + failed.getCommandSpec().qualifiedName() + " --help'.");
            return CommandLine.ExitCode.USAGE;
        });
        line.setExecutionExceptionHandler((e, failed, parsed) -> {
            String command = "kuport " + failed.getCommandName();
            if (e instanceof CommandException || e instanceof NodeException || e instanceof ClusterException) {
                failed.getErr().println(command + ": " + e.getMessage());
                return ExitCode.FAILED;
            }
            failed.getErr().println(command + ": a bug ended it");
            e.printStackTrace(failed.getErr());
            return ExitCode.CRASHED;
        });
        return line;
    }
}
