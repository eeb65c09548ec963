package li.wlz.kuport.netlink;

import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.MacAddress;
import org.jspecify.annotations.Nullable;

/**
 * A network device, as {@code ip -d link show} prints it.
 *
 * @param kind IFLA_INFO_KIND: {@code vxlan}, {@code veth}; empty for a device without
 * @param alias IFLA_IFALIAS; empty without
 * @param rpFilter {@code net.ipv4.conf.NAME.rp_filter}; -1 where the kernel did not say
 * @param flags IFF_*
 * @param vxlan its VXLAN settings; null for a device of another kind
 */
public record Link(
        String name,
        int index,
        String kind,
        String alias,
        int group,
        int mtu,
        int flags,
        @Nullable MacAddress mac,
        int rpFilter,
        @Nullable Vxlan vxlan) {

    /** IFF_UP and IFF_LOOPBACK of linux/if.h. */
    public static final int IFF_UP = 0x1;

    public static final int IFF_LOOPBACK = 0x8;

    public boolean up() {
        return (flags & IFF_UP) != 0;
    }

    public boolean loopback() {
        return (flags & IFF_LOOPBACK) != 0;
    }

    /**
     * What makes a VXLAN device.
     *
     * @param local the source of outer packets; null where the kernel chooses
     * @param learning whether it learns addresses from what it receives
     */
    public record Vxlan(int vni, int port, @Nullable IpAddress local, boolean learning) {}
}
