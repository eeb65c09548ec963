package li.wlz.kuport.lab;

import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;

/**
 * A node of the cluster.
 *
 * @param number its place in the address plan, from 1
 * @param uplinks its interfaces to the outside, that of the default route first
 */
public record MeshNode(Namespace namespace, int number, List<Uplink> uplinks, List<Host> pods) {
    public MeshNode {
        uplinks = List.copyOf(uplinks);
        pods = List.copyOf(pods);
    }

    /**
     * An interface to the outside.
     *
     * @param addresses those it holds; behind a 1:1 NAT others than the internet sees
     */
    public record Uplink(String interfaceName, List<DualAddress> addresses) {
        public Uplink {
            addresses = List.copyOf(addresses);
        }
    }

    public String name() {
        return namespace.name();
    }

    /** The node's addresses in the mesh: its InternalIPs. */
    public DualAddress mesh() {
        return AddressPlan.MESH.host(number);
    }

    /** As {@link #mesh}, of one family. */
    public IpAddress mesh(IpFamily family) {
        return mesh().of(family);
    }

    /** All its addresses outside and in the mesh: what a server in its network is bound to, to answer from the dialled one. */
    public List<IpAddress> addresses() {
        return Stream.concat(uplinks.stream().flatMap(uplink -> uplink.addresses().stream()), Stream.of(mesh()))
                .flatMap(addresses -> addresses.both().stream())
                .toList();
    }

    /** The name of its WireGuard device: the node's is in it, since all namespaces share the control sockets' folder. */
    public String meshInterface() {
        return "wg-" + name();
    }

    /** The block its pods' addresses are from. */
    public Segment podBlock() {
        return AddressPlan.pods(number);
    }

    /** Its n-th pod, counted from 1. */
    public Host pod(int n) {
        return pods.get(n - 1);
    }

    /** Dials from the node itself. */
    public Answer dial(Dial dial) {
        return Dialler.dial(namespace, dial);
    }
}
