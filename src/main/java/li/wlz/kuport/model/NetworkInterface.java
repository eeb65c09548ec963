package li.wlz.kuport.model;

import java.util.List;

/**
 * A network interface of this node.
 *
 * @param mtu in bytes
 * @param up whether it is administratively up
 * @param loopback whether it is a loopback device
 * @param rpFilter {@code net.ipv4.conf.NAME.rp_filter}: 0 off, 1 strict, 2 loose; the greater of this and {@code all} counts
 * @param addresses in the kernel's order
 */
public record NetworkInterface(
        String name, int index, int mtu, boolean up, boolean loopback, int rpFilter, List<InterfaceAddress> addresses) {

    public NetworkInterface {
        addresses = List.copyOf(addresses);
    }

    public boolean holds(IpAddress address) {
        return addresses.stream().anyMatch(a -> a.address().equals(address));
    }
}
