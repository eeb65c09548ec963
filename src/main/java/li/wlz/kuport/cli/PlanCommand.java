package li.wlz.kuport.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
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
import picocli.CommandLine.Option;

/** Prints what a node would program, and what is refused and why. */
@Command(
        name = "plan",
        header = "Prints what a node would program, and what is refused and why. Changes nothing, needs no root.",
        description = "Exit status: 0 if everything is accepted, 1 if something is refused.",
        customSynopsis = "kuport plan -f=DIR [OPTIONS]",
        sortOptions = false)
final class PlanCommand implements Callable<Integer> {
    @Mixin
    HelpOption help = new HelpOption();

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

    @Mixin
    Output output = new Output();

    @Mixin
    SettingsOptions settings = new SettingsOptions();

    @Mixin
    PodOptions pods = new PodOptions();

    @Override
    public Integer call() {
        Source.Snapshot snapshot = snapshot();
        PlanView view =
                PlanView.of(settings.settings().with(pods.rules()), snapshot.resources(), snapshot.problems(), facts());
        output.print(view, view::text);
        return view.anythingRefused() ? ExitCode.FAILED : ExitCode.OK;
    }

    private Source.Snapshot snapshot() {
        try {
            return ManifestSource.read(manifests);
        } catch (UncheckedIOException e) {
            throw new CommandException("--manifests " + e.getMessage(), e);
        }
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
