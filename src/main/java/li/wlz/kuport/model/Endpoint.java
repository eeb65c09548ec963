package li.wlz.kuport.model;

import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A member of a Service, merged from its EndpointSlices of both families.
 *
 * @param pod the pod's name; null for an endpoint that is no pod
 * @param node the node it runs on; null where the slice does not say
 * @param ready whether new clients should be sent to it
 * @param serving whether it answers, be it about to end
 * @param addresses by family, one each
 * @param ports its ports: the number under each name and protocol of the Service's ports
 */
public record Endpoint(
        @Nullable String pod,
        @Nullable String node,
        boolean ready,
        boolean serving,
        boolean terminating,
        SortedMap<IpFamily, IpAddress> addresses,
        List<Port> ports) {
    public Endpoint {
        addresses = Sorted.copyOf(addresses);
        ports = List.copyOf(ports);
    }

    /** A port of an endpoint, by the name and protocol that the Service gives it. */
    public record Port(String name, Protocol protocol, int port) {}
}
