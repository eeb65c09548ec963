package li.wlz.kuport.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A small internet with a cluster in it, on one machine.
 *
 * <pre>
 *   cli ----+               +---- edge (A1 A2 on eth0) .....+
 *           +---- inet -----+                               :  WireGuard
 *   cli2 ---+       |       +---- router (NAT) ---+- home1 .+  mesh
 *                 inet2 --- edge (A3 on eth1)     +- home2 .+
 * </pre>
 *
 * <p>Each name is a network namespace; pods are called {@code NODE-podN}. {@link Layout} says what is there. Everything speaks
 * IPv4 and IPv6.
 */
public final class World implements AutoCloseable {
    static final int EDGE = 1;
    static final int HOME1 = 2;
    static final int HOME2 = 3;
    static final int EDGE2 = 4;

    private static final String DUMP = """
            for command in 'ip -d address' 'ip rule' 'ip -6 rule' 'ip route show table all' 'ip -6 route show table all' \
                'ip neigh' 'bridge fdb' 'nft -a list ruleset' 'conntrack -L' 'conntrack -L -f ipv6' 'ss -anp'; do
              echo "# $command"
              $command 2>&1
              echo
            done
            # What one command lacks here is in the text.
            exit 0
            """;

    private final Layout layout;
    private final Map<String, Namespace> namespaces;
    private final Map<String, Host> clients;
    private final Map<String, MeshNode> nodes;

    World(Layout layout, Map<String, Namespace> namespaces, Map<String, Host> clients, Map<String, MeshNode> nodes) {
        this.layout = layout;
        this.namespaces = namespaces;
        this.clients = clients;
        this.nodes = nodes;
    }

    /**
     * Builds a world; when this returns, its mesh is up.
     *
     * @throws LabException if this process is not isolated, or something of it cannot be set up
     */
    public static World build(Layout layout) {
        return new WorldBuilder(layout).build();
    }

    public Layout layout() {
        return layout;
    }

    /** Whether this world was laid out with the feature. */
    public boolean has(Feature feature) {
        return layout.has(feature);
    }

    /** The first client. */
    public Host cli() {
        return client("cli");
    }

    /** The second client. */
    public Host cli2() {
        return client("cli2");
    }

    /** A client by name: {@code cli}, {@code cli2}, or with {@link Feature#ON_LINK_CLIENTS} {@code near}, {@code near2}. */
    public Host client(String name) {
        return found(clients.get(name), name);
    }

    /** The public node: {@code A} of the scenarios. */
    public MeshNode edge() {
        return node("edge");
    }

    /** The other public node, of {@link Feature#SECOND_PUBLIC_NODE}. */
    public MeshNode edge2() {
        return node("edge2");
    }

    /** The first home node: {@code B} of the scenarios. */
    public MeshNode home1() {
        return node("home1");
    }

    /** The second home node: {@code C} of the scenarios. */
    public MeshNode home2() {
        return node("home2");
    }

    /** A node by name. */
    public MeshNode node(String name) {
        return found(nodes.get(name), name);
    }

    public Collection<MeshNode> nodes() {
        return nodes.values();
    }

    /** The internet: a router whose ports bear the names of who is behind them, {@code cli edge router}. */
    public Namespace inet() {
        return namespace("inet");
    }

    /** The other provider, of {@link Feature#SECOND_UPLINK}. */
    public Namespace inet2() {
        return namespace("inet2");
    }

    /** The home router: {@code wan0} to the internet, {@code lan0} to the home nodes. */
    public Namespace router() {
        return namespace("router");
    }

    /** Any namespace of the world by name. */
    public Namespace namespace(String name) {
        return found(namespaces.get(name), name);
    }

    private <T> T found(@Nullable T thing, String name) {
        return Optional.ofNullable(thing)
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no " + name + " in this world; there are " + namespaces.keySet()));
    }

    /** How many packets the providers dropped since their sender may not use that source address. */
    public long spoofed() {
        return List.of("inet", "inet2").stream()
                .filter(namespaces::containsKey)
                .mapToLong(name -> Tally.packets(namespace(name), "access", "spoofed"))
                .sum();
    }

    /**
     * Writes down what there is in every namespace, one file each: links, addresses, rules, routes, neighbours, nftables with
     * counters, connections, sockets. For a person who wants to know why a test failed.
     *
     * @param folder made if it is not there
     */
    public void dump(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new LabException("cannot make the folder " + folder + ": " + e.getMessage(), e);
        }
        Wiring.inParallel(namespaces.values().stream().map(namespace -> () -> dump(namespace, folder)));
    }

    private static void dump(Namespace namespace, Path folder) {
        Path file = folder.resolve(namespace.name() + ".txt");
        try {
            Files.writeString(file, namespace.run("sh", "-c", DUMP));
        } catch (IOException e) {
            throw new LabException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }

    /** Stops everything in the world and deletes it. */
    @Override
    public void close() {
        Namespace.closeAll(namespaces.values());
    }
}
