package li.wlz.kuport;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import li.wlz.kuport.ffm.NetworkNamespace;

/** A network namespace for one test, gone when it is closed. */
public final class ScratchNamespace implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String name = "kuport-it-" + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet();

    public ScratchNamespace() {
        execute(List.of("ip", "netns", "add", name));
        sh("ip link set lo up");
    }

    public Path path() {
        return Path.of("/run/netns", name);
    }

    /** Runs a shell script inside and returns what it prints; fails if it fails. */
    public String sh(String script) {
        return execute(List.of("ip", "netns", "exec", name, "sh", "-ec", script));
    }

    /** Starts a program inside that runs until the test ends it. */
    public Process start(String... command) throws IOException {
        List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", name));
        all.addAll(List.of(command));
        return new ProcessBuilder(all)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Runs a task on a thread of its own that lives inside. */
    public <T> T call(Callable<T> task) throws Exception {
        FutureTask<T> future = new FutureTask<>(() -> {
            NetworkNamespace.enter(path());
            return task.call();
        });
        Thread.ofPlatform().name(name).start(future);
        try {
            return future.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case Exception cause -> throw cause;
                case Error cause -> throw cause;
                case null, default -> throw e;
            }
        }
    }

    private static String execute(List<String> command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": " + output);
            }
            return output;
        } catch (IOException e) {
            throw new IllegalStateException(String.join(" ", command), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        execute(List.of("ip", "netns", "delete", name));
    }
}
