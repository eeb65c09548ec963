package li.wlz.kuport.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Prints the version of this program and of what it runs on. */
@Command(name = "version", header = "Prints the version.", mixinStandardHelpOptions = false, sortOptions = false)
final class VersionCommand implements Callable<Integer> {
    @Mixin
    HelpOption help = new HelpOption();

    @Mixin
    Output output = new Output();

    @Override
    public Integer call() {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("version", version());
        values.put("java", Runtime.version().toString());
        values.put("kernel", System.getProperty("os.version"));
        output.print(values, () -> text() + "\n");
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
