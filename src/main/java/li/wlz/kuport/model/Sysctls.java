package li.wlz.kuport.model;

/**
 * The kernel settings that delivery depends on. Read, never written, except those of our own device.
 *
 * @param forwarding4 {@code net.ipv4.ip_forward}
 * @param forwarding6 {@code net.ipv6.conf.all.forwarding}
 * @param ipv6 whether the kernel has IPv6 at all, and it is not disabled for new devices
 * @param rpFilterAll {@code net.ipv4.conf.all.rp_filter}
 * @param ephemeralPorts {@code net.ipv4.ip_local_port_range}
 */
public record Sysctls(
        boolean forwarding4, boolean forwarding6, boolean ipv6, int rpFilterAll, PortRange ephemeralPorts) {}
