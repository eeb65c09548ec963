package li.wlz.kuport.cli;

import java.time.Duration;
import java.util.concurrent.Callable;
import li.wlz.kuport.model.Settings;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The agent with annotations of pods alone, and the command line of the pod NAT controller that it replaces. */
@Command(
        name = "podnat",
        header = "Serves pods of this node that ask for ports by an annotation, and nothing else, until it is stopped.",
        description = {
            "Takes the flags of the older pod NAT controller in all forms that Go reads: -dryrun, --dryrun, -dryrun=true,"
                    + " -httpport 8484, -httpport=8484. docs/annotations.md tells the annotation.",
            "Needs none of kuport's resources in the cluster (but for --annotation-class), and makes no link."
        },
        preprocessor = GoFlags.class,
        abbreviateSynopsis = true,
        sortOptions = false)
final class PodnatCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(PodnatCommand.class);

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandSpec command;

    @Mixin
    HelpOption help = new HelpOption();

    @Option(
            names = "--node-name",
            paramLabel = "NAME",
            description = "This node's exact name in the cluster. Default: $NODE_NAME, else $HOSTNAME.")
    @Nullable
    String nodeName;

    @Mixin
    AnnotationOptions annotations = new AnnotationOptions();

    @Mixin
    Serving serving = new Serving();

    @Option(
            names = {"-informerresync", "--resync"},
            paramLabel = "SECONDS",
            defaultValue = "180",
            description =
                    "How often to compare everything with the kernel though nothing happened: seconds, or a duration"
                            + " such as 3m; 0 for never. Default: ${DEFAULT-VALUE}.")
    Duration resync = Duration.ofMinutes(3);

    @Mixin
    MarkOptions marks = new MarkOptions();

    @Option(
            names = "-stateuri",
            paramLabel = "URI",
            description = "Accepted and ignored: the kernel's own state is adopted at the start, no store is needed.")
    @Nullable
    String stateUri;

    @Option(names = "-stateflavor", paramLabel = "FLAVOR", description = "Accepted and ignored, as -stateuri.")
    @Nullable
    String stateFlavor;

    @Option(names = "-logtostderr", description = "Accepted: logs always go to standard error.")
    boolean logToStderr;

    @Mixin
    LogOptions log = new LogOptions();

    @Override
    public Integer call() throws InterruptedException {
        log.apply();
        if (stateUri != null || stateFlavor != null) {
            LOG.info("-stateuri and -stateflavor are ignored: the kernel's own state is adopted, no store is needed");
        }
        serving.run(settings(), resync);
        return ExitCode.OK;
    }

    /** The settings asked for; a command line that contradicts itself is an error of usage. */
    Settings settings() {
        try {
            return Settings.defaults(name()).with(marks.marks()).with(annotations.rules(true));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), "Settings: " + e.getMessage(), e);
        }
    }

    private String name() {
        @Nullable String[] candidates = {nodeName, System.getenv("NODE_NAME"), System.getenv("HOSTNAME")};
        for (String name : candidates) {
            if (name != null && !name.isBlank()) {
                return name;
            }
        }
        throw new ParameterException(
                command.commandLine(), "Which node is this? Give --node-name NAME, or set NODE_NAME or HOSTNAME.");
    }
}
