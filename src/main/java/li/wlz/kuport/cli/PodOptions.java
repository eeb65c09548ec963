package li.wlz.kuport.cli;

import java.util.List;
import li.wlz.kuport.model.PodAnnotations;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Whether pods may ask for ports by an annotation, beside PortMaps, and how. */
final class PodOptions {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandSpec command;

    @Option(
            names = "--pod-annotations",
            description =
                    "Serves pods that ask for ports of their own node by an annotation, too. Whoever can make a pod can"
                            + " write one: see --annotation-class.")
    boolean enabled;

    @Mixin
    AnnotationOptions annotations = new AnnotationOptions();

    /** Null where they may not; options that would have no effect then are an error of usage. */
    @Nullable
    PodAnnotations rules() {
        if (enabled) {
            return annotations.rules(false);
        }
        List<String> given = annotations.given();
        if (!given.isEmpty()) {
            throw new ParameterException(
                    command.commandLine(), String.join(", ", given) + ": no effect without --pod-annotations");
        }
        return null;
    }
}
