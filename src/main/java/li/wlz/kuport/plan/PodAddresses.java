package li.wlz.kuport.plan;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.InterfaceAddress;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NetworkInterface;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.Ours;
import org.jspecify.annotations.Nullable;

/** The addresses of this node that annotations of its pods may use. */
final class PodAddresses {
    /** Holds the addresses of Services where kube-proxy uses IPVS: no pod may take those. */
    private static final String SERVICES_DEVICE = "kube-ipvs0";

    private final OwnAddresses own;
    private final @Nullable Set<IpAddress> permitted;
    private final Map<IpFamily, IpAddress> detected = new EnumMap<>(IpFamily.class);

    /**
     * Detects.
     *
     * @param internalNetworks where an address may lie though it is not public
     * @param permitted the addresses that a class offers; null for all
     */
    PodAddresses(NodeFacts facts, OwnAddresses own, List<Cidr> internalNetworks, @Nullable Set<IpAddress> permitted) {
        this.own = own;
        this.permitted = permitted;
        facts.interfaces().stream()
                .sorted(Comparator.comparingInt(NetworkInterface::index))
                .filter(i -> !i.loopback()
                        && !i.name().equals(Ours.LINK_DEVICE)
                        && !i.name().equals(SERVICES_DEVICE))
                .flatMap(i -> i.addresses().stream())
                // Such an address is gone before a client hears of it.
                .filter(a -> !a.tentative() && !a.temporary() && !a.deprecated())
                .map(InterfaceAddress::address)
                .filter(a -> holds(a) && permits(a))
                .filter(a -> a.isGlobal() || internalNetworks.stream().anyMatch(network -> network.contains(a)))
                .forEach(a -> detected.putIfAbsent(a.family(), a));
    }

    /** The first public address of a family, in the kernel's order; null where there is none. */
    @Nullable
    IpAddress detected(IpFamily family) {
        return detected.get(family);
    }

    /** Whether the node has the address, and clients can dial it. */
    boolean holds(IpAddress address) {
        String holder = own.holder(address);
        return holder != null && !holder.equals(SERVICES_DEVICE);
    }

    /** Whether the class, if there is one, offers the address here. */
    boolean permits(IpAddress address) {
        return permitted == null || permitted.contains(address);
    }
}
