package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import li.wlz.kuport.lab.MeshNode;

/** A real {@code kuport agent} in a node's namespace: a process of its own, with the loop and the watches. */
final class AgentProcess implements AutoCloseable {
    /** Three of them start at once, on a machine that has more to do. */
    private static final Duration START = Duration.ofSeconds(60);

    private final MeshNode node;
    private final Path log;
    private final Process process;

    private AgentProcess(MeshNode node, Path log, Process process) {
        this.node = node;
        this.log = log;
        this.process = process;
    }

    /** Starts the agent of a node. */
    static AgentProcess start(MeshNode node, Path manifests) {
        try {
            // Left there, for a person who wants to know why a test failed.
            Path log = Files.createTempFile(Path.of("target"), "agent-" + node.name() + "-", ".log");
            String[] command = kuport("agent", "--manifests", manifests.toString(), "--node-name", node.name())
                    .toArray(String[]::new);
            return new AgentProcess(node, log, node.namespace().start(log, command));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The command line of {@code kuport ARGUMENT...} with the classes that are tested. */
    static List<String> kuport(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "li.wlz.kuport.cli.Main"));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Waits until its first pass is over: at its end, the class is reported. */
    AgentProcess awaitFirstPass() {
        await("first pass of " + node.name() + "'s agent")
                .atMost(START)
                .until(() -> Files.readString(log).contains("PortMapClass public Ready=True"));
        return this;
    }

    /** SIGKILL: it gets no chance to do anything. */
    void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** SIGTERM, as Kubernetes ends a pod: it ends of itself, without having to be waited for to the last. */
    void terminate() {
        process.destroy();
        awaitEnd();
        try {
            assertThat(Files.readString(log))
                    .contains("stopped; what was programmed stays in force")
                    .doesNotContain("is waited no longer");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(START.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("the agent of " + node.name() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** As {@link #terminate}. */
    @Override
    public void close() {
        terminate();
    }
}
