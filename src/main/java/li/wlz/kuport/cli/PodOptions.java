package li.wlz.kuport.cli;

import li.wlz.kuport.model.PodAnnotations;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Whether pods may ask for ports by an annotation, beside PortMaps, and how. */
final class PodOptions {
    @Option(
            names = "--pod-annotations",
            description =
                    "Serves pods that ask for ports of their own node by an annotation, too. Whoever can make a pod can"
                            + " write one: see --annotation-class.")
    boolean enabled;

    @Mixin
    AnnotationOptions annotations = new AnnotationOptions();

    /** Null where they may not. */
    @Nullable
    PodAnnotations rules() {
        return enabled ? annotations.rules(false) : null;
    }
}
