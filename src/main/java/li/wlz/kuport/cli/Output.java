package li.wlz.kuport.cli;

import java.io.PrintWriter;
import java.util.function.Supplier;
import li.wlz.kuport.inspect.Notation;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Where a command prints its answer, and how: for a person, or for a machine. */
final class Output {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandSpec command;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "json or yaml instead of text.")
    Notation.@Nullable Format format;

    /**
     * Prints an answer.
     *
     * @param value what a machine reads
     * @param text what a person reads, ending in a newline; made only if asked for
     */
    void print(Object value, Supplier<String> text) {
        PrintWriter out = command.commandLine().getOut();
        out.print(format == null ? text.get() : new Notation().write(format, value));
        out.flush();
    }
}
