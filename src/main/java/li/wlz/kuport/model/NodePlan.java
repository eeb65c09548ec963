package li.wlz.kuport.model;

import java.util.Comparator;
import java.util.SortedMap;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * What one node's datapath should do: the whole of it, so that what is absent here is absent there.
 *
 * @param link this node's link device; null where it can have none, or needs none
 * @param peers the nodes reached over the link, by name
 * @param uplinks the interfaces that classes name on this node, by name
 * @param accept what clients may dial here: addresses of this node
 * @param deliver what peers send here: link addresses, to pods of this node. One without a target has no entry and is refused
 * @param own published addresses that this node translates for its own clients: the pod is here, or the address is the
 *     external one of an address of this node
 * @param pods the addresses of pods, not in the host's network, that are delivered to on this node
 * @param egress the source of what pods of this node open themselves
 */
public record NodePlan(
        @Nullable Link link,
        SortedMap<String, Peer> peers,
        SortedMap<String, Uplink> uplinks,
        SortedMap<Dialled, Delivery> accept,
        SortedMap<Dialled, Delivery> deliver,
        SortedMap<Dialled, Delivery> own,
        SortedSet<IpAddress> pods,
        Egress egress) {

    public static final NodePlan EMPTY = new NodePlan(
            null, Sorted.map(), Sorted.map(), Sorted.map(), Sorted.map(), Sorted.map(), Sorted.set(), Egress.NONE);

    public NodePlan {
        peers = Sorted.copyOf(peers);
        uplinks = Sorted.copyOf(uplinks);
        accept = Sorted.copyOf(accept);
        deliver = Sorted.copyOf(deliver);
        own = Sorted.copyOf(own);
        pods = Sorted.copyOf(pods);
    }

    /**
     * This node's end of the link.
     *
     * @param underlay the local address of the outer packets
     * @param mtu of the device, in bytes
     * @param address4 an IPv4 address of the device's own: without one, rp_filter drops everything that comes in by it
     * @param address6 the same for IPv6; null where the device has no IPv6 (its MTU is under 1280, or the kernel has none)
     */
    public record Link(
            MacAddress mac,
            IpAddress underlay,
            int mtu,
            int vni,
            int port,
            IpAddress address4,
            @Nullable IpAddress address6) {}

    /**
     * A node at the other end of the link.
     *
     * @param underlay where the outer packets to it go
     * @param mtu what the link to it carries, in bytes; less than the device's where its mesh is thinner
     * @param index of the mark of flows that came from it; null where none can come, since it accepts nothing
     * @param gateway4 the next hop of replies to it
     * @param gateway6 the same for IPv6
     * @param linkAddresses what packets to it are addressed to, {@code gateway4} and {@code gateway6} not among them
     */
    public record Peer(
            MacAddress mac,
            IpAddress underlay,
            int mtu,
            @Nullable Integer index,
            IpAddress gateway4,
            IpAddress gateway6,
            SortedSet<IpAddress> linkAddresses) {
        public Peer {
            linkAddresses = Sorted.copyOf(linkAddresses);
        }

        /** The next hop of replies to it, of a family. */
        public IpAddress gateway(IpFamily family) {
            return family == IpFamily.IPV4 ? gateway4 : gateway6;
        }
    }

    /**
     * An interface that clients come in by.
     *
     * @param index of the mark of flows that came in by it
     * @param routes its own routes, by which replies leave
     */
    public record Uplink(int index, SortedSet<InterfaceRoute> routes) {
        public Uplink {
            routes = Sorted.copyOf(routes);
        }
    }

    /**
     * The connections that pods open themselves, to destinations outside the cluster.
     *
     * @param sources the address of this node that a pod's connections of a protocol leave with
     * @param ways the uplink that they leave by, as its index, where the node's own routes would take another
     * @param cluster blocks of public addresses that are the cluster's nevertheless: those never see another source
     */
    public record Egress(
            SortedMap<Opener, IpAddress> sources, SortedMap<Opener, Integer> ways, SortedSet<Cidr> cluster) {
        public static final Egress NONE = new Egress(Sorted.map(), Sorted.map(), Sorted.set());

        public Egress {
            sources = Sorted.copyOf(sources);
            ways = Sorted.copyOf(ways);
            cluster = Sorted.copyOf(cluster);
        }

        /** A pod's address, and the protocol of the connections it opens. */
        public record Opener(IpAddress pod, Protocol protocol) implements Comparable<Opener> {
            private static final Comparator<Opener> ORDER =
                    Comparator.comparing(Opener::pod).thenComparing(Opener::protocol);

            @Override
            public int compareTo(Opener other) {
                return ORDER.compare(this, other);
            }
        }
    }
}
