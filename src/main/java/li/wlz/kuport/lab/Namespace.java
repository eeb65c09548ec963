package li.wlz.kuport.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import li.wlz.kuport.ffm.NetworkNamespace;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A named network namespace (ip-netns(8)) and what was started in it.
 *
 * <p>Its name is a file in /run/netns, so {@code ip -n NAME} and {@code nsenter --net=/run/netns/NAME} find it.
 */
public final class Namespace implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Namespace.class);
    private static final int PATIENCE_SECONDS = 3;

    private final String name;
    private final Deque<AutoCloseable> owned = new ArrayDeque<>();

    private Namespace(String name) {
        this.name = name;
    }

    /** Creates a namespace whose loopback device is up: {@code ip netns add NAME}. */
    public static Namespace create(String name) {
        Namespace namespace = createAll(List.of(name)).getFirst();
        namespace.ip("link set lo up");
        return namespace;
    }

    /** Creates several at once, their loopback devices down. */
    static List<Namespace> createAll(Collection<String> names) {
        Isolation.require();
        List<Namespace> namespaces = names.stream().map(Namespace::named).toList();
        namespaces.stream()
                .filter(namespace -> Files.exists(namespace.file()))
                .findAny()
                .ifPresent(there -> {
                    throw new LabException("there is a namespace " + there + " already: only one world fits at a time");
                });
        ipBatch(names.stream().map(name -> "netns add " + name + "\n").collect(Collectors.joining()));
        return namespaces;
    }

    /** Stops what was started in them and deletes them. */
    static void closeAll(Collection<Namespace> namespaces) {
        Wiring.inParallel(namespaces.stream().map(namespace -> namespace::release));
        ipBatch(namespaces.stream()
                .map(namespace -> "netns delete " + namespace + "\n")
                .collect(Collectors.joining()));
    }

    /** Stands for the namespace of that name, there or not. */
    static Namespace named(String name) {
        return new Namespace(name);
    }

    public String name() {
        return name;
    }

    /** The file that stands for the namespace: {@code /run/netns/NAME}. */
    public Path file() {
        return Path.of("/run/netns", name);
    }

    /**
     * The command line that runs the given one inside. Not {@code ip netns exec}, which mounts another /sys.
     */
    public List<String> command(String... command) {
        List<String> entered = new ArrayList<>(List.of("nsenter", "--net=" + file(), "--"));
        entered.addAll(List.of(command));
        return List.copyOf(entered);
    }

    /**
     * Runs a program inside to its end.
     *
     * @return its standard output
     * @throws LabException with its error output, if its exit status is not 0
     */
    public String run(String... command) {
        return Command.output(command(command), "");
    }

    /** Carries out commands of ip-address(8), ip-route(8) and so on, one a line: {@code ip -n NAME -batch -}. */
    public void ip(String batch) {
        Command.output(List.of("ip", "-n", name, "-batch", "-"), batch);
    }

    /** Carries out commands of {@code ip} outside of any namespace of the lab. */
    static void ipBatch(String batch) {
        Command.output(List.of("ip", "-batch", "-"), batch);
    }

    /** Loads nftables text as one transaction: {@code nft -f -}. */
    public void nft(String text) {
        Command.output(command("nft", "-f", "-"), text);
    }

    /**
     * Sets kernel parameters: {@code sysctl NAME=VALUE}.
     *
     * @param values by name, {@code net.ipv4.ip_forward}; what a name lacks in this kernel is an error
     */
    public void sysctl(Map<String, String> values) {
        call(() -> {
            for (Map.Entry<String, String> value : values.entrySet()) {
                Files.writeString(Path.of("/proc/sys", value.getKey().replace('.', '/')), value.getValue());
            }
            return true;
        });
    }

    /**
     * Calls on a platform thread of its own that has entered the namespace. Sockets opened by the call stay in the namespace,
     * whichever thread uses them later; threads that it starts would begin there, so it should start none.
     *
     * @throws LabException around what the call threw
     */
    public <T> T call(Callable<T> callable) {
        FutureTask<T> task = new FutureTask<>(() -> {
            NetworkNamespace.enter(file());
            return callable.call();
        });
        Thread.ofPlatform().name("in-" + name).daemon().start(task);
        try {
            return task.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new LabException("in namespace " + name + ": " + cause, cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted in namespace " + name, e);
        }
    }

    /**
     * Starts a program inside that goes on until it is stopped or the namespace is closed.
     *
     * @param log the file that gets both its outputs
     */
    public Process start(Path log, String... command) {
        try {
            Process process = new ProcessBuilder(command(command))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            own(() -> stop(process));
            return process;
        } catch (IOException e) {
            throw new LabException(
                    "cannot start " + String.join(" ", command) + " in " + name + ": " + e.getMessage(), e);
        }
    }

    private static void stop(Process process) throws InterruptedException {
        process.destroy();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }

    /** Closes the resource with the namespace, last come first gone. */
    <T extends AutoCloseable> T own(T resource) {
        synchronized (owned) {
            owned.push(resource);
        }
        return resource;
    }

    /** Stops what was started in the namespace and deletes it: {@code ip netns delete NAME}. */
    @Override
    public void close() {
        closeAll(List.of(this));
    }

    /** Stops what was started in the namespace. */
    private void release() {
        for (AutoCloseable resource = next(); resource != null; resource = next()) {
            try {
                resource.close();
            } catch (Exception e) {
                LOG.warn("closing namespace={} resource={} failed", name, resource, e);
            }
        }
    }

    private @Nullable AutoCloseable next() {
        synchronized (owned) {
            return owned.poll();
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
