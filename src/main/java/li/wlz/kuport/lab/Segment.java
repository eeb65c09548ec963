package li.wlz.kuport.lab;

import java.util.List;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;

/** One network of the lab in both families; its hosts bear the same number in both. */
public record Segment(Cidr ipv4, Cidr ipv6) {
    static Segment of(String ipv4, String ipv6) {
        return new Segment(Cidr.parse(ipv4), Cidr.parse(ipv6));
    }

    /** The addresses of the host with this number, counted from the network's own address. */
    public DualAddress host(int number) {
        return new DualAddress(plus(ipv4.network(), number), plus(ipv6.network(), number));
    }

    /** The router's addresses: host 1. */
    public DualAddress gateway() {
        return host(1);
    }

    public Cidr of(IpFamily family) {
        return switch (family) {
            case IPV4 -> ipv4;
            case IPV6 -> ipv6;
        };
    }

    public List<Cidr> both() {
        return List.of(ipv4, ipv6);
    }

    private static IpAddress plus(IpAddress address, int number) {
        return new IpAddress(address.family(), address.high(), address.low() + number);
    }
}
