package li.wlz.kuport.cli;

import picocli.CommandLine.Option;

/** The help that every command has. */
final class HelpOption {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    boolean asked;
}
