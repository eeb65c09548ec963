package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.LabExtension;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.Snapshot;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.Settings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A world with agents on its nodes for one test class, which at its end must have nothing changed that is not kuport's: on no node,
 * and in no pod at all.
 */
final class Stage implements BeforeAllCallback, AfterAllCallback, AfterTestExecutionCallback {
    /** The port that all servers in pods listen on. */
    static final int POD_PORT = 8080;

    private final LabExtension lab;
    private final boolean intact;
    private final UnaryOperator<Settings> settings;
    private final SortedMap<String, Snapshot> before = new TreeMap<>();
    private @Nullable Cluster cluster;

    Stage(Layout layout) {
        this(layout, true, settings -> settings);
    }

    /** A stage whose agents have other settings than the defaults. */
    Stage(Layout layout, UnaryOperator<Settings> settings) {
        this(layout, true, settings);
    }

    private Stage(Layout layout, boolean intact, UnaryOperator<Settings> settings) {
        this.lab = new LabExtension(layout);
        this.intact = intact;
        this.settings = settings;
    }

    /**
     * A stage for a test that takes kuport's rules away while packets flow: without them nothing holds replies back that leave by
     * another way, and a provider may see some.
     */
    static Stage ofDamage(Layout layout) {
        return new Stage(layout, false, settings -> settings);
    }

    World world() {
        return lab.world();
    }

    Cluster cluster() {
        if (cluster == null) {
            throw new IllegalStateException("no test of the class has begun");
        }
        return cluster;
    }

    /** Starts a server in a pod; its label is the pod's name. */
    EchoServer serve(Host pod) {
        return EchoServer.start(pod.namespace(), pod.name(), POD_PORT);
    }

    /** Starts a server in a node's own network, on its mesh addresses; its label is {@code host-NODE}. */
    EchoServer serveOnHost(MeshNode node, int port) {
        return EchoServer.start(
                node.namespace(), "host-" + node.name(), port, node.mesh().both());
    }

    /** Writes a PortMap for each protocol, {@code NAME-tcp} and {@code NAME-udp}, and their Service; no agent is told. */
    void publish(String name, String portClass, int port, Manifests.Backend... pods) {
        publish(name, portClass, port, POD_PORT, pods);
    }

    /** As {@link #publish(String, String, int, Manifests.Backend...)}, with another port than the pods' usual one. */
    void publish(String name, String portClass, int port, int podPort, Manifests.Backend... pods) {
        cluster().write(name, Manifests.workload(name, podPort, pods));
        for (String protocol : List.of("TCP", "UDP")) {
            String file = name + "-" + protocol.toLowerCase(java.util.Locale.ROOT);
            cluster()
                    .write(
                            file,
                            Manifests.portMap(
                                    file,
                                    name,
                                    "className: %s\nprotocol: %s\nport: %d".formatted(portClass, protocol, port)));
        }
    }

    /** Takes away what {@link #publish} wrote, as far as it is there; no agent is told. */
    void withdraw(String name) {
        for (String file : List.of(name, name + "-tcp", name + "-udp")) {
            cluster().delete(file);
        }
    }

    /** The pod of that name, wherever it is, as a ready endpoint. */
    Manifests.Backend endpoint(String name) {
        for (MeshNode node : world().nodes()) {
            for (Host pod : node.pods()) {
                if (pod.name().equals(name)) {
                    return Manifests.Backend.of(node, pod);
                }
            }
        }
        throw new IllegalArgumentException("no pod " + name);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        lab.beforeAll(context);
        witnesses().forEach(witness -> before.put(witness.name(), Snapshot.of(witness)));
        cluster = Cluster.on(world(), settings);
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        lab.afterTestExecution(context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        try {
            cluster().close();
            witnesses().forEach(this::assertUntouched);
            if (intact) {
                assertThat(world().spoofed())
                        .as("packets that left with a source that is not their sender's")
                        .isZero();
            }
        } finally {
            lab.afterAll(context);
        }
    }

    private Stream<Namespace> witnesses() {
        return world().nodes().stream()
                .flatMap(node -> Stream.concat(
                        Stream.of(node.namespace()), node.pods().stream().map(Host::namespace)));
    }

    private void assertUntouched(Namespace witness) {
        Snapshot after = Snapshot.of(witness);
        boolean isNode =
                world().nodes().stream().anyMatch(node -> node.namespace().equals(witness));
        Snapshot then = before.getOrDefault(witness.name(), after);
        assertThat(then.difference(isNode ? after.withoutKuport() : after))
                .as("what is not kuport's in " + witness)
                .isEmpty();
    }
}
