package li.wlz.kuport.plan;

import java.util.Collection;
import java.util.Comparator;
import java.util.SortedMap;
import li.wlz.kuport.model.Endpoint;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.World.ServicePort;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint that can be delivered to: a pod on a known node.
 *
 * @param hostNetwork whether its address is one of its node's
 */
record Pod(String name, String node, boolean hostNetwork, Endpoint endpoint) {
    /** By node, then by name. */
    static final Comparator<Pod> BY_NODE = Comparator.comparing(Pod::node).thenComparing(Pod::name);

    /** Whether new clients may be sent to it: it is ready, or about to end and still serving. */
    boolean eligible() {
        return endpoint.ready() || (endpoint.serving() && endpoint.terminating());
    }

    SortedMap<IpFamily, IpAddress> addresses() {
        return endpoint.addresses();
    }

    @Nullable
    IpAddress address(IpFamily family) {
        return endpoint.addresses().get(family);
    }

    /** The address that rows of status name it by: the IPv4 one if it has one. */
    IpAddress firstAddress() {
        return first(endpoint.addresses().values());
    }

    private static IpAddress first(Collection<IpAddress> addresses) {
        return addresses.iterator().next();
    }

    /**
     * The ports at which it takes what a mapping delivers: its number of the Service's port, or the range as it is.
     *
     * @return null where it does not list the Service's port
     */
    @Nullable
    PortRange ports(PortRequest request, ServicePort servicePort) {
        for (Endpoint.Port port : endpoint.ports()) {
            if (port.protocol() == servicePort.protocol() && port.name().equals(servicePort.name())) {
                return request.ports().isSingle() ? PortRange.of(port.port()) : request.ports();
            }
        }
        return null;
    }

    boolean is(PortRequest.CurrentEndpoint current) {
        return name.equals(current.pod()) && node.equals(current.node());
    }

    @Override
    public String toString() {
        return "pod " + name + " on node " + node;
    }
}
