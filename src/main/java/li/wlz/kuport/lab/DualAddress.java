package li.wlz.kuport.lab;

import java.util.List;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;

/** A host's two addresses, one of each family. */
public record DualAddress(IpAddress ipv4, IpAddress ipv6) {
    public DualAddress {
        if (ipv4.family() != IpFamily.IPV4 || ipv6.family() != IpFamily.IPV6) {
            throw new IllegalArgumentException("one of each family, not " + ipv4 + " and " + ipv6);
        }
    }

    static DualAddress of(String ipv4, String ipv6) {
        return new DualAddress(IpAddress.parse(ipv4), IpAddress.parse(ipv6));
    }

    public IpAddress of(IpFamily family) {
        return switch (family) {
            case IPV4 -> ipv4;
            case IPV6 -> ipv6;
        };
    }

    public List<IpAddress> both() {
        return List.of(ipv4, ipv6);
    }
}
