package li.wlz.kuport.model;

import java.util.Comparator;
import java.util.Locale;

/** What a packet is addressed to when we look it up: an address, a protocol, and a port or range of ports. */
public record Dialled(IpAddress address, Protocol protocol, PortRange ports) implements Comparable<Dialled> {
    private static final Comparator<Dialled> ORDER = Comparator.comparing(Dialled::address)
            .thenComparing(Dialled::protocol)
            .thenComparing(Dialled::ports);

    /**
     * Reads what {@link #toString} prints.
     *
     * @throws IllegalArgumentException if it is not of that form
     */
    public static Dialled parse(String text) {
        int slash = text.lastIndexOf('/');
        int colon = text.lastIndexOf(':', slash);
        if (slash < 0 || colon < 1) {
            throw new IllegalArgumentException("\"" + text + "\" is not of the form ADDRESS:PORT/PROTOCOL");
        }
        String host = text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        return new Dialled(
                IpAddress.parse(bracketed ? host.substring(1, host.length() - 1) : host),
                Protocol.valueOf(text.substring(slash + 1).toUpperCase(Locale.ROOT)),
                PortRange.parse(text.substring(colon + 1, slash)));
    }

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
