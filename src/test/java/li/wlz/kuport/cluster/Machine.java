package li.wlz.kuport.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import li.wlz.kuport.lab.Isolation;

/**
 * Keeps what a cluster's programs write to themselves away from the machine, as far as the lab's own namespaces don't: their
 * folders under /var, kernel parameters, control groups.
 */
final class Machine implements AutoCloseable {
    /** A tmpfs of the isolation's own: ends with this JVM. */
    static final Path FOLDER = Path.of("/run/kubernetes");

    /** What a kubelet sets in the machine's kernel unless it finds it so: these parameters belong to no namespace. */
    private static final Map<String, String> WANTED_BY_KUBELET = Map.of(
            "vm/overcommit_memory", "1",
            "vm/panic_on_oom", "0",
            "kernel/panic", "10",
            "kernel/panic_on_oops", "1",
            "kernel/keys/root_maxkeys", "1000000",
            "kernel/keys/root_maxbytes", "25000000");

    private static final Path CGROUPS = Path.of("/sys/fs/cgroup");

    private final String cgroup = "kuport-lab-"
            + ProcessHandle.current().info().startInstant().orElseThrow().toEpochMilli();

    private Machine() {}

    /**
     * Prepares this JVM's mount namespace.
     *
     * @throws IllegalStateException if this process is not isolated, or not by the machine's root
     */
    static Machine prepare() {
        if (!Isolation.inside()) {
            throw new IllegalStateException(
                    "the cluster tier runs in namespaces of its own: start it by make test or make cluster");
        }
        requireRoot();
        Machine machine = new Machine();
        try {
            machine.hideParameters();
            machine.coverVar();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare " + FOLDER, e);
        }
        return machine;
    }

    /** In a user namespace uid 0 is somebody else outside, and containerd and kubelet do not work there. */
    private static void requireRoot() {
        try {
            String everybody = "0 0 4294967295";
            if (!Files.readString(Path.of("/proc/self/uid_map"))
                    .strip()
                    .replaceAll("\\s+", " ")
                    .equals(everybody)) {
                throw new IllegalStateException(
                        "the cluster tier (ClusterIT, make cluster) needs root, for containerd and kubelet: "
                                + "run it as root or where sudo asks for no password; "
                                + "all other tests run as an ordinary user: scripts/mvn verify -DexcludedGroups=cluster");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void hideParameters() throws IOException {
        Path folder = Files.createDirectories(FOLDER.resolve("parameters"));
        for (Map.Entry<String, String> parameter : WANTED_BY_KUBELET.entrySet()) {
            Path file = folder.resolve(parameter.getKey().replace('/', '.'));
            Files.writeString(file, parameter.getValue() + "\n");
            Program.run("mount", "--bind", file.toString(), "/proc/sys/" + parameter.getKey());
        }
    }

    private void coverVar() throws IOException {
        Path upper = Files.createDirectories(FOLDER.resolve("var"));
        Path work = Files.createDirectories(FOLDER.resolve("var.work"));
        Program.run(
                "mount",
                "-t",
                "overlay",
                "overlay",
                "-o",
                "lowerdir=/var,upperdir=" + upper + ",workdir=" + work,
                "/var");
    }

    /** The control group that holds all pods of this cluster: {@code /kuport-lab-...}. */
    String cgroup() {
        return "/" + cgroup;
    }

    /** Removes the control groups, whose processes have ended: the one thing that would outlast the JVM. */
    @Override
    public void close() {
        try (Stream<Path> hierarchies = Files.list(CGROUPS)) {
            Stream.concat(Stream.of(CGROUPS), hierarchies)
                    .map(hierarchy -> hierarchy.resolve(cgroup))
                    .filter(Files::isDirectory)
                    .forEach(group -> Program.attempt(
                            List.of("find", group.toString(), "-depth", "-type", "d", "-exec", "rmdir", "{}", ";")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
