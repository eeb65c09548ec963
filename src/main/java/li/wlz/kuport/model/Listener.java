package li.wlz.kuport.model;

import org.jspecify.annotations.Nullable;

/**
 * A bound socket of the host: a listening TCP socket or an unconnected UDP one.
 *
 * @param address the unspecified address for a socket that takes any; {@code ::} takes IPv4 too unless {@link #v6Only}
 * @param device the interface it is bound to
 */
public record Listener(
        Protocol protocol,
        IpAddress address,
        int port,
        boolean v6Only,
        @Nullable String device) {
    /** Whether a packet to that address and port would reach this socket. */
    public boolean takes(Protocol protocol, IpAddress destination, int port) {
        if (this.protocol != protocol || this.port != port) {
            return false;
        }
        if (address.isUnspecified()) {
            return address.family() == destination.family() || (address.family() == IpFamily.IPV6 && !v6Only);
        }
        return address.equals(destination);
    }
}
