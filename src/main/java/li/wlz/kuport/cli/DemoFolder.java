package li.wlz.kuport.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;

/** The folder of manifests that the demo's agents serve from, beside what else it writes. */
final class DemoFolder implements AutoCloseable {
    private final Path root;
    private final Path manifests;

    DemoFolder() {
        try {
            root = Files.createTempDirectory("kuport-demo");
            manifests = Files.createDirectory(root.resolve("manifests"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path root() {
        return root;
    }

    Path manifests() {
        return manifests;
    }

    /** Writes what a cluster would hold before any mapping: nodes, the namespace, the Service, and the class. */
    void cluster(World world) {
        put(
                "nodes",
                world.nodes().stream()
                        .map(node -> text("node")
                                .formatted(
                                        node.name(),
                                        node.mesh().ipv4(),
                                        node.mesh().ipv6()))
                        .collect(Collectors.joining("---\n")));
        put("class", text("class"));
        put("service", text("service"));
    }

    /** Says that the game server's pod is this one. */
    void endpoint(MeshNode node, Host pod) {
        put(
                "endpoints",
                slice("IPv4", pod.addresses().ipv4(), node, pod) + "---\n"
                        + slice("IPv6", pod.addresses().ipv6(), node, pod));
    }

    private static String slice(String family, IpAddress address, MeshNode node, Host pod) {
        return text("slice").formatted(family, address, node.name(), pod.name(), family.toLowerCase(Locale.ROOT));
    }

    void mappings() {
        put("gameserver", text("gameserver"));
        put("console", text("console"));
    }

    void removeMappings() {
        try {
            Files.delete(file("gameserver"));
            Files.delete(file("console"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text of one of the demo's manifests. */
    static String text(String name) {
        try (InputStream stream =
                Objects.requireNonNull(DemoFolder.class.getResourceAsStream("demo/" + name + ".yaml"), name)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes a file as a careful person's tool does: whole or not at all. */
    private void put(String name, String text) {
        try {
            Path half = Files.writeString(root.resolve(name + ".half"), text);
            Files.move(half, file(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path file(String name) {
        return manifests.resolve(name + ".yaml");
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
