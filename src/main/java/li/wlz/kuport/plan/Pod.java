package li.wlz.kuport.plan;

import java.util.Comparator;
import java.util.Objects;
import java.util.SortedMap;
import li.wlz.kuport.model.ClusterNode;
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
 * @param address4 the endpoint's IPv4 address; null without one, but then it has the other
 * @param address6 the endpoint's IPv6 address
 */
record Pod(
        String name,
        String node,
        boolean hostNetwork,
        Endpoint endpoint,
        @Nullable IpAddress address4,
        @Nullable IpAddress address6) {
    /** By node, then by name. */
    static final Comparator<Pod> BY_NODE = Comparator.comparing(Pod::node).thenComparing(Pod::name);

    static Pod of(String name, ClusterNode node, Endpoint endpoint) {
        IpAddress address4 = endpoint.addresses().get(IpFamily.IPV4);
        IpAddress address6 = endpoint.addresses().get(IpFamily.IPV6);
        boolean hostNetwork = (address4 != null && node.addresses().contains(address4))
                || (address6 != null && node.addresses().contains(address6));
        return new Pod(name, node.name(), hostNetwork, endpoint, address4, address6);
    }

    /** Whether new clients may be sent to it: it is ready, or about to end and still serving. */
    boolean eligible() {
        return endpoint.ready() || (endpoint.serving() && endpoint.terminating());
    }

    SortedMap<IpFamily, IpAddress> addresses() {
        return endpoint.addresses();
    }

    @Nullable
    IpAddress address(IpFamily family) {
        return family == IpFamily.IPV4 ? address4 : address6;
    }

    /** The address that rows of status name it by: the IPv4 one if it has one. */
    IpAddress firstAddress() {
        return address4 != null ? address4 : Objects.requireNonNull(address6);
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
