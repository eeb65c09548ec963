package li.wlz.kuport.cli;

import java.util.ArrayList;
import java.util.List;

/** How this very program is started again, in another namespace. */
final class Program {
    private Program() {}

    /** The command line that runs a command of ours with the same Java and the same classes. */
    static List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED",
                // Three agents start at once on a small machine: no time for the optimizing compiler.
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }
}
