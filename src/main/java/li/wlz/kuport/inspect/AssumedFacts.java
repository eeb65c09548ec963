package li.wlz.kuport.inspect;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.InterfaceAddress;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.MarkIndices;
import li.wlz.kuport.model.NetworkInterface;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.PortClass.NodeOffer;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.Sysctls;
import li.wlz.kuport.model.World;

/**
 * What a node would have if it has just what the objects say of it: for planning on another machine, without its real facts.
 *
 * <p>Interfaces are those that classes and its PortMapNode name, listed addresses are on the first of them, and one more interface,
 * {@value #MESH}, holds its underlay addresses. Nobody listens on any port.
 */
public final class AssumedFacts {
    static final String MESH = "mesh0";
    private static final int OUTSIDE_MTU = 1500;
    private static final int WIREGUARD_MTU = 1420;

    private final Map<String, Set<IpAddress>> interfaces = new LinkedHashMap<>();

    private AssumedFacts() {}

    /** The facts to assume of the named node. */
    public static NodeFacts of(World world, String node) {
        AssumedFacts assumed = new AssumedFacts();
        NodeReport report = world.nodeReports().get(node);
        if (report != null) {
            report.interfaces()
                    .forEach((name, addresses) -> assumed.addresses(name).addAll(addresses));
        }
        world.classes().values().forEach(portClass -> assumed.offers(world, portClass, node));
        ClusterNode clusterNode = world.nodes().get(node);
        if (clusterNode != null) {
            List<IpAddress> underlay =
                    clusterNode.underlay().isEmpty() ? clusterNode.internalIps() : clusterNode.underlay();
            underlay.stream().filter(address -> !assumed.holds(address)).forEach(assumed.addresses(MESH)::add);
        }
        int meshMtu = report != null && report.underlayMtu() > 0 ? report.underlayMtu() : WIREGUARD_MTU;
        return new NodeFacts(
                assumed.networkInterfaces(meshMtu),
                List.of(),
                List.of(),
                MarkIndices.NONE,
                Sorted.set(),
                new Sysctls(true, true, true, 2, new PortRange(32768, 60999)),
                List.of());
    }

    private void offers(World world, PortClass portClass, String node) {
        NodeOffer offer = portClass.nodes().get(node);
        if (offer != null) {
            offer.interfaces().forEach(this::addresses);
            String first =
                    offer.interfaces().isEmpty() ? MESH : offer.interfaces().getFirst();
            offer.addresses().stream().filter(address -> !holds(address)).forEach(addresses(first)::add);
            return;
        }
        ClusterNode clusterNode = world.nodes().get(node);
        if (clusterNode != null
                && portClass.nodeSelector() != null
                && portClass.nodeSelector().matches(clusterNode.labels())) {
            portClass.interfaces().forEach(this::addresses);
        }
    }

    private Set<IpAddress> addresses(String name) {
        return interfaces.computeIfAbsent(name, n -> new LinkedHashSet<>());
    }

    private boolean holds(IpAddress address) {
        return interfaces.values().stream().anyMatch(addresses -> addresses.contains(address));
    }

    private List<NetworkInterface> networkInterfaces(int meshMtu) {
        List<NetworkInterface> result = new ArrayList<>();
        interfaces.forEach((name, addresses) -> result.add(new NetworkInterface(
                name,
                result.size() + 2,
                name.equals(MESH) ? meshMtu : OUTSIDE_MTU,
                true,
                false,
                0,
                addresses.stream()
                        .map(address -> InterfaceAddress.of(
                                address.toString(), address.family().bits()))
                        .toList())));
        return result;
    }
}
