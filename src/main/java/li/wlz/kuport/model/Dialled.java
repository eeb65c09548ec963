package li.wlz.kuport.model;

import java.util.Comparator;

/** What a packet is addressed to when we look it up: an address, a protocol, and a port or range of ports. */
public record Dialled(IpAddress address, Protocol protocol, PortRange ports) implements Comparable<Dialled> {
    private static final Comparator<Dialled> ORDER = Comparator.comparing(Dialled::address)
            .thenComparing(Dialled::protocol)
            .thenComparing(Dialled::ports);

    @Override
    public int compareTo(Dialled other) {
        return ORDER.compare(this, other);
    }

    /** {@code 203.0.113.9:3000/udp}, {@code [2001:db8::9]:10000-20000/udp}. */
    @Override
    public String toString() {
        String host = address.family() == IpFamily.IPV4 ? address.toString() : "[" + address + "]";
        return host + ":" + ports + "/" + protocol.lowerCase();
    }
}
