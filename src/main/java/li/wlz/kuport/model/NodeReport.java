package li.wlz.kuport.model;

import java.util.List;
import java.util.SortedMap;

/**
 * What a node's agent tells the others: the content of its PortMapNode.
 *
 * @param underlay its underlay address; empty where it has none, at most one here
 * @param linkUp whether its link device is there and up
 * @param underlayMtu in bytes; 0 where unknown
 * @param mtu of its link device, in bytes; 0 where unknown
 * @param interfaces the addresses of the interfaces that classes name on it, by interface: first what may be handed out, in
 *     the kernel's order, IPv4 before IPv6
 * @param problems what is wrong with it
 */
public record NodeReport(
        String node,
        boolean linkUp,
        List<IpAddress> underlay,
        int underlayMtu,
        int mtu,
        int port,
        int vni,
        SortedMap<String, List<IpAddress>> interfaces,
        List<NodeProblem> problems) {
    public NodeReport {
        underlay = List.copyOf(underlay);
        interfaces = Sorted.copyOf(interfaces);
        problems = List.copyOf(problems);
    }
}
