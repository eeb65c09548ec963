package li.wlz.kuport.cli;

import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import li.wlz.kuport.inspect.Notation;
import li.wlz.kuport.inspect.OwnPortMapNode;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints what this node has, as far as kuport's decisions depend on it. */
@Command(
        name = "facts",
        header = "Prints what this node has: interfaces, routes, listeners, marks in use, kernel settings, problems.",
        description = "Needs CAP_NET_ADMIN to list kuport's own table. 'kuport plan --facts' reads what it prints.",
        sortOptions = false)
final class FactsCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandSpec command;

    /** What may be printed. */
    enum Output {
        yaml,
        json,
        portmapnode
    }

    @Mixin
    HelpOption help = new HelpOption();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "yaml",
            description =
                    "yaml, json, or portmapnode: the node's PortMapNode, to be put into the folder of the manifests."
                            + " Default: ${DEFAULT-VALUE}.")
    Output output = Output.yaml;

    @Mixin
    SettingsOptions settingsOptions = new SettingsOptions();

    @Override
    public Integer call() {
        Settings settings = settingsOptions.settings();
        NodeFacts facts = Observed.node(settings).facts();
        PrintWriter out = command.commandLine().getOut();
        out.print(
                switch (output) {
                    case yaml -> new Notation().write(Notation.Format.yaml, facts);
                    case json -> new Notation().write(Notation.Format.json, facts);
                    case portmapnode ->
                        Serialization.asYaml(OwnPortMapNode.of(settings, VersionCommand.version(), facts));
                });
        out.flush();
        return ExitCode.OK;
    }
}
