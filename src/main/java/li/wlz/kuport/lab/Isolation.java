package li.wlz.kuport.lab;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the lab away from the machine: everything runs in mount, network and process namespaces of its own.
 *
 * <p>A whole JVM is started inside, so whatever it makes (namespaces, devices, processes) ends with it, however it ends. As root,
 * by unprivileged user namespaces, or by sudo, whichever works: see the script {@code isolate.sh} beside this class.
 */
public final class Isolation {
    /** The source of the mount on /run that {@code isolate.sh} makes: what tells an isolated process from any other. */
    private static final String MARK = "kuport-lab";

    private static final int PATIENCE_SECONDS = 10;

    private Isolation() {}

    /** Whether this process runs inside already. */
    public static boolean inside() {
        return isIsolated(read(Path.of("/proc/self/mountinfo")));
    }

    /** Whether a process with this {@code mountinfo} (proc_pid_mountinfo(5)) runs inside. */
    static boolean isIsolated(String mountinfo) {
        return mountinfo.lines().anyMatch(line -> {
            String[] mount = line.split(" - ", 2);
            return mount.length == 2
                    && mount[0].split(" ", -1)[4].equals("/run")
                    && List.of(mount[1].split(" ", -1)).contains(MARK);
        });
    }

    /** What this machine or user lacks for it, in words for a person; empty where nothing is missing. */
    public static Optional<String> missing() {
        Command.Result result = Command.run(command(List.of()), "");
        return result.status() == 0
                ? Optional.empty()
                : Optional.of(result.errors().strip());
    }

    /** The command line that runs the given one inside. */
    public static List<String> command(List<String> command) {
        List<String> isolated = new ArrayList<>(List.of("sh", "-c", script(), "isolate.sh"));
        isolated.addAll(command);
        return List.copyOf(isolated);
    }

    /**
     * Runs a command inside, on this process's terminal, and waits for it. Whatever ends this process ends the command.
     *
     * @return its exit status
     * @throws LabException if it cannot be started
     */
    public static int run(List<String> command) {
        try {
            Process process = new ProcessBuilder(command(command)).inheritIO().start();
            Thread stop = new Thread(() -> stop(process), "stop-isolated");
            Runtime.getRuntime().addShutdownHook(stop);
            return process.waitFor();
        } catch (IOException e) {
            throw new LabException("cannot run the lab's shell script: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted while waiting for " + String.join(" ", command), e);
        }
    }

    /** Asks the command itself to end: unshare, which stands between, passes no signals on. */
    private static void stop(Process unshare) {
        unshare.children().forEach(ProcessHandle::destroy);
        try {
            unshare.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        unshare.destroyForcibly();
    }

    /**
     * Makes sure that this process runs inside.
     *
     * @throws LabException if not
     */
    static void require() {
        if (!inside()) {
            throw new LabException("the lab only works in namespaces of its own, and this process is not in any: "
                    + "tests get them from scripts/isolated/bin/java (Maven's failsafe uses it), the demo by itself");
        }
    }

    private static String script() {
        try (InputStream stream = Objects.requireNonNull(Isolation.class.getResourceAsStream("isolate.sh"))) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new LabException("cannot read isolate.sh from the jar", e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new LabException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }
}
