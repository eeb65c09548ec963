package li.wlz.kuport.model;

import org.jspecify.annotations.Nullable;

/**
 * One entry of a pod's annotation: a port of the node that the pod wants.
 *
 * @param address the node's address to answer on; null for the one that is detected
 * @param port on the node
 * @param podPort in the pod
 */
public record PodEntry(@Nullable IpAddress address, int port, int podPort, Protocol protocol) {
    public PodEntry {
        PortRange.of(port);
        PortRange.of(podPort);
    }
}
