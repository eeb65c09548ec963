package li.wlz.kuport.model;

import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A PortMapClass: an admin's permission.
 *
 * @param created seconds since the epoch, by the API server's clock
 * @param nodes what each named node offers
 * @param nodeSelector further nodes, which offer {@link #interfaces}; null for none
 * @param namespaceSelector the namespaces that may use the class
 * @param vxlan what the class says about the link, only compared with the agents' settings; null where it says nothing
 */
public record PortClass(
        String name,
        long created,
        long generation,
        SortedMap<String, NodeOffer> nodes,
        @Nullable LabelSelector nodeSelector,
        List<String> interfaces,
        ServingMode servingMode,
        PortPolicy ports,
        LabelSelector namespaceSelector,
        ReturnPathMode returnPath,
        @Nullable Vxlan vxlan) {

    public PortClass {
        nodes = Sorted.copyOf(nodes);
        interfaces = List.copyOf(interfaces);
    }

    /** How many accepting nodes serve a mapping. */
    public enum ServingMode {
        /** One. */
        Single,
        /** Every accepting node. */
        Multi
    }

    /** How replies get back to the accepting node. */
    public enum ReturnPathMode {
        /** Over the link. */
        Vxlan,
        /** Not at all: a mapping whose pod is on another node is refused. */
        None
    }

    /**
     * What one node offers.
     *
     * @param interfaces by which clients may come in
     * @param addresses if not empty, only these are its entry points
     * @param external what to publish instead of a local address, for a node behind 1:1 NAT
     */
    public record NodeOffer(
            List<String> interfaces, List<IpAddress> addresses, SortedMap<IpAddress, IpAddress> external) {
        public NodeOffer {
            interfaces = List.copyOf(interfaces);
            addresses = List.copyOf(addresses);
            external = Sorted.copyOf(external);
        }
    }

    /**
     * Which ports may be asked for.
     *
     * @param range the lowest and the highest
     * @param reserved those within that may not
     * @param allowProtected those that may though they can cut a node off, or a host process listens on them
     */
    public record PortPolicy(PortRange range, List<PortRange> reserved, List<PortRange> allowProtected) {
        public static final PortPolicy ANY = new PortPolicy(new PortRange(1, 65535), List.of(), List.of());

        public PortPolicy {
            reserved = List.copyOf(reserved);
            allowProtected = List.copyOf(allowProtected);
        }
    }

    /** The link settings that a class names; 0 where it does not. */
    public record Vxlan(int vni, int port) {}
}
