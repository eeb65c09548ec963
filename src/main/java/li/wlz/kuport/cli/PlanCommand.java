package li.wlz.kuport.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import li.wlz.kuport.inspect.Notation;
import li.wlz.kuport.inspect.PlanView;
import li.wlz.kuport.manifest.ManifestSource;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.reconcile.spi.Source;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints what a node would program, and what is refused and why. */
@Command(
        name = "plan",
        header = "Prints what a node would program, and what is refused and why. Changes nothing, needs no root.",
        description = "Exit status: 0 if everything is accepted, 1 if something is refused.",
        sortOptions = false)
final class PlanCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandSpec command;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    boolean help;

    @Option(
            names = {"-f", "--manifests"},
            paramLabel = "DIR",
            required = true,
            description = "Folder of YAML files to plan from, or a single file.")
    Path manifests = Path.of(".");

    @Option(
            names = "--facts",
            paramLabel = "FILE",
            description =
                    "The node's facts, as 'kuport facts -o yaml' prints them there. Default: what the objects say of it.")
    @Nullable
    Path facts;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "json or yaml instead of text.")
    Notation.@Nullable Format format;

    @Mixin
    SettingsOptions settings = new SettingsOptions();

    @Override
    public Integer call() {
        Source.Snapshot snapshot = ManifestSource.read(manifests);
        PlanView view = PlanView.of(settings.settings(), snapshot.resources(), snapshot.problems(), facts());
        PrintWriter out = command.commandLine().getOut();
        out.print(format == null ? view.text() : new Notation().write(format, view));
        out.flush();
        return view.anythingRefused() ? ExitCode.FAILED : ExitCode.OK;
    }

    private @Nullable NodeFacts facts() {
        if (facts == null) {
            return null;
        }
        try {
            return new Notation().read(Files.readString(facts), NodeFacts.class);
        } catch (IOException e) {
            throw new CommandException("cannot read " + facts + ": " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new CommandException(facts + " does not hold a node's facts: " + e.getMessage(), e);
        }
    }
}
