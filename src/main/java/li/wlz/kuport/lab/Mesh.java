package li.wlz.kuport.lab;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The WireGuard mesh between the nodes, by wireguard-go.
 *
 * <p>A peer may use its mesh addresses and its pods' block as sources, nothing else: that is why a client's address cannot cross
 * the mesh by itself.
 */
final class Mesh {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** Keeps the home router's NAT entry alive, in seconds. */
    private static final int KEEPALIVE = 5;

    private final List<MeshNode> nodes;
    private final boolean hub;
    private final Path logs;
    private final Map<MeshNode, Keys> keys = new HashMap<>();

    private record Keys(String secret, String open) {}

    /**
     * @param hub whether home nodes have edge as their only home peer
     * @param logs the folder for the programs' outputs
     */
    Mesh(Collection<MeshNode> nodes, boolean hub, Path logs) {
        this.nodes = List.copyOf(nodes);
        this.hub = hub;
        this.logs = logs;
    }

    /** Starts it, in namespaces whose outside works, and waits until all peers that can have met. */
    void start() {
        // In the foreground: the namespace stops it with itself.
        nodes.forEach(node -> node.namespace()
                .start(logs.resolve(node.meshInterface() + ".log"), "wireguard-go", "-f", node.meshInterface()));
        nodes.forEach(node -> keys.put(node, newKeys()));
        nodes.forEach(
                node -> Waiting.until(node.meshInterface() + " to start", PATIENCE, () -> Files.exists(control(node))));
        Wiring wiring = new Wiring();
        for (MeshNode node : nodes) {
            Command.output(List.of("wg", "setconf", node.meshInterface(), "/dev/stdin"), configuration(node));
            wire(wiring, node);
        }
        wiring.apply();
        Waiting.until("the mesh's peers to meet", PATIENCE, this::haveMet);
    }

    private static Path control(MeshNode node) {
        return Path.of("/run/wireguard", node.meshInterface() + ".sock");
    }

    private static Keys newKeys() {
        String secret = Command.output(List.of("wg", "genkey"), "");
        return new Keys(
                secret.strip(), Command.output(List.of("wg", "pubkey"), secret).strip());
    }

    private String configuration(MeshNode node) {
        StringBuilder text = new StringBuilder("""
                [Interface]
                PrivateKey = %s
                ListenPort = %d
                """.formatted(keysOf(node).secret(), AddressPlan.WIREGUARD_PORT));
        peers(node).forEach(peer -> text.append(section(node, peer)));
        return text.toString();
    }

    private String section(MeshNode node, MeshNode peer) {
        String sources = reachedThrough(node, peer)
                .flatMap(far -> Stream.concat(far.mesh().both().stream(), far.podBlock().both().stream()))
                .map(Object::toString)
                .collect(Collectors.joining(", "));
        StringBuilder text = new StringBuilder("""
                [Peer]
                PublicKey = %s
                AllowedIPs = %s
                """.formatted(keysOf(peer).open(), sources));
        // A public node waits for the home nodes to call; they cannot be called.
        if (isHome(node) || !isHome(peer)) {
            text.append("Endpoint = %s:%d%n".formatted(endpoint(peer), AddressPlan.WIREGUARD_PORT));
        }
        if (isHome(node) && !isHome(peer)) {
            text.append("PersistentKeepalive = %d%n".formatted(KEEPALIVE));
        }
        return text.toString();
    }

    private static String endpoint(MeshNode peer) {
        return switch (peer.name()) {
            case "edge" -> AddressPlan.A1.ipv4().toString();
            case "edge2" -> AddressPlan.EDGE2_ADDRESS.ipv4().toString();
            default -> peer.uplinks().getFirst().addresses().getFirst().ipv4().toString();
        };
    }

    private Stream<MeshNode> peers(MeshNode node) {
        return nodes.stream().filter(peer -> !peer.equals(node) && !(hub && isHome(node) && isHome(peer)));
    }

    /** The nodes that a peer may speak for: itself, and at the hub the other home nodes. */
    private Stream<MeshNode> reachedThrough(MeshNode node, MeshNode peer) {
        boolean peerIsHub = hub && isHome(node) && peer.name().equals("edge");
        return nodes.stream().filter(far -> far.equals(peer) || (peerIsHub && isHome(far) && !far.equals(node)));
    }

    private static boolean isHome(MeshNode node) {
        return node.name().startsWith("home");
    }

    private Keys keysOf(MeshNode node) {
        Keys found = keys.get(node);
        if (found == null) {
            throw new IllegalStateException("no keys for " + node.name());
        }
        return found;
    }

    private void wire(Wiring wiring, MeshNode node) {
        Namespace namespace = node.namespace();
        wiring.ip(namespace, "link set %s mtu %d up".formatted(node.meshInterface(), AddressPlan.MESH_MTU));
        wiring.address(namespace, node.meshInterface(), AddressPlan.MESH, node.mesh());
        nodes.stream()
                .filter(peer -> !peer.equals(node))
                .forEach(peer -> wiring.deviceRoute(namespace, peer.podBlock(), node.meshInterface()));
    }

    /** Whether every peer that calls has been answered. */
    private boolean haveMet() {
        long calls = nodes.stream()
                .filter(Mesh::isHome)
                .flatMap(this::peers)
                .filter(peer -> !isHome(peer))
                .count();
        // One line for each peer of each device: device, key, the time of the last handshake in seconds or 0.
        long answered = Command.output(List.of("wg", "show", "all", "latest-handshakes"), "")
                .lines()
                .map(line -> line.split("\\s+", -1))
                .filter(fields -> fields[0].startsWith("wg-home") && !fields[2].equals("0"))
                .count();
        return answered >= calls;
    }
}
