package li.wlz.kuport.model;

import java.util.List;
import java.util.SortedMap;

/**
 * A Node of the cluster.
 *
 * @param created seconds since the epoch, by the API server's clock
 * @param ready whether its Ready condition is neither False nor Unknown
 * @param internalIps its addresses of type InternalIP, in the object's order
 * @param addresses all of its addresses: an endpoint at one of them is in the host's network
 * @param podBlocks where its pods' addresses are taken from, where its Node says so
 * @param underlay what its annotation {@code kuport.wlz.li/underlay} says; empty without one
 */
public record ClusterNode(
        String name,
        long created,
        SortedMap<String, String> labels,
        boolean ready,
        List<IpAddress> internalIps,
        List<IpAddress> addresses,
        List<IpAddress> underlay,
        List<Cidr> podBlocks) {

    /** The annotation that names a node's underlay addresses, separated by commas: at most one per family. */
    public static final String UNDERLAY_ANNOTATION = "kuport.wlz.li/underlay";

    public ClusterNode {
        labels = Sorted.copyOf(labels);
        internalIps = List.copyOf(internalIps);
        addresses = List.copyOf(addresses);
        underlay = List.copyOf(underlay);
        podBlocks = List.copyOf(podBlocks);
    }

    /** A Node that does not say where its pods' addresses are taken from. */
    public ClusterNode(
            String name,
            long created,
            SortedMap<String, String> labels,
            boolean ready,
            List<IpAddress> internalIps,
            List<IpAddress> addresses,
            List<IpAddress> underlay) {
        this(name, created, labels, ready, internalIps, addresses, underlay, List.of());
    }
}
