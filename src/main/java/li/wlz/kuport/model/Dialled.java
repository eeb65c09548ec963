package li.wlz.kuport.model;

import java.util.Locale;

    @Override
    public int compareTo(Dialled other) {
        // Written out, since maps of ten thousands are ordered by it in every pass.
        int byAddress = address.compareTo(other.address);
        if (byAddress != 0) {
            return byAddress;
        }
        int byProtocol = protocol.compareTo(other.protocol);
        return byProtocol != 0 ? byProtocol : ports.compareTo(other.ports);
    }

    /** {@code 203.0.113.9:3000/udp}, {@code [2001:db8::9]:10000-20000/udp}. */
    @Override
    public String toString() {
        String host = address.family() == IpFamily.IPV4 ? address.toString() : "[" + address + "]";
        return host + ":" + ports + "/" + protocol.lowerCase();
    }
}
