package li.wlz.kuport.model;

import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A PortMap: what a workload asks for, and what its status remembers of the last choice.
 *
 * @param created seconds since the epoch, by the API server's clock
 * @param interfaces narrows what the class gives each node; empty for all of it
 * @param servicePort the name of a port of the Service, or its number in decimal
 * @param currentEndpoint the pod that status names; null without one
 * @param currentServingNode the node that status publishes first; null without one
 * @param rows what each node last said of its part, by node
 */
public record PortRequest(
        ObjectKey key,
        long created,
        long generation,
        String className,
        Protocol protocol,
        PortRange ports,
        List<String> interfaces,
        String serviceName,
        String servicePort,
        @Nullable CurrentEndpoint currentEndpoint,
        @Nullable String currentServingNode,
        SortedMap<String, NodeRow> rows) {

    public PortRequest {
        interfaces = List.copyOf(interfaces);
        rows = Sorted.copyOf(rows);
    }

    /** The Service asked for. */
    public ObjectKey service() {
        return new ObjectKey(key.namespace(), serviceName);
    }

    /** The pod that a mapping is delivered to, as its status remembers it. */
    public record CurrentEndpoint(String node, String pod) {}
}
