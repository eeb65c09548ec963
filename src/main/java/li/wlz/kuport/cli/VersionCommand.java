package li.wlz.kuport.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import li.wlz.kuport.inspect.Notation;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the version of this program and of what it runs on. */
@Command(name = "version", header = "Prints the version.", mixinStandardHelpOptions = false, sortOptions = false)
final class VersionCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandSpec command;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    boolean help;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "json or yaml instead of text.")
    Notation.@Nullable Format format;

    @Override
    public Integer call() {
        PrintWriter out = command.commandLine().getOut();
        if (format == null) {
            out.println(text());
        } else {
            Map<String, String> values = new LinkedHashMap<>();
            values.put("version", version());
            values.put("java", Runtime.version().toString());
            values.put("kernel", System.getProperty("os.version"));
            out.print(new Notation().write(format, values));
        }
        out.flush();
        return ExitCode.OK;
    }

    /** The version that the build gave; {@code development} for classes that were not packaged. */
    static String version() {
        String version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    private static String text() {
        return "kuport " + version() + " (Java " + Runtime.version() + ", kernel " + System.getProperty("os.version")
                + ")";
    }

    /** Answers {@code kuport --version}. */
    static final class Provider implements picocli.CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {text()};
        }
    }
}
