package li.wlz.kuport.ffm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;

/** C structures and constants as the headers have them; LayoutTest compares each with what the C compiler says. */
final class Layouts {
    /** {@code struct sockaddr_nl} of linux/netlink.h. */
    static final StructLayout SOCKADDR_NL = MemoryLayout.structLayout(
            JAVA_SHORT.withName("nl_family"),
            JAVA_SHORT.withName("nl_pad"),
            JAVA_INT.withName("nl_pid"),
            JAVA_INT.withName("nl_groups"));

    static final long NL_FAMILY = offset(SOCKADDR_NL, "nl_family");
    static final long NL_PID = offset(SOCKADDR_NL, "nl_pid");

    /** {@code struct pollfd} of poll.h. */
    static final StructLayout POLLFD = MemoryLayout.structLayout(
            JAVA_INT.withName("fd"), JAVA_SHORT.withName("events"), JAVA_SHORT.withName("revents"));

    static final long POLL_FD = offset(POLLFD, "fd");
    static final long POLL_EVENTS = offset(POLLFD, "events");

    /** {@code struct ipt_getinfo} of linux/netfilter_ipv4/ip_tables.h, the same as {@code struct ip6t_getinfo}. */
    static final StructLayout IPT_GETINFO = MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(32, JAVA_BYTE).withName("name"),
            JAVA_INT.withName("valid_hooks"),
            MemoryLayout.sequenceLayout(5, JAVA_INT).withName("hook_entry"),
            MemoryLayout.sequenceLayout(5, JAVA_INT).withName("underflow"),
            JAVA_INT.withName("num_entries"),
            JAVA_INT.withName("size"));

    static final long INFO_SIZE = offset(IPT_GETINFO, "size");

    /** {@code struct ipt_get_entries} of linux/netfilter_ipv4/ip_tables.h, the same as {@code struct ip6t_get_entries}; the entries follow. */
    static final StructLayout IPT_GET_ENTRIES = MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(32, JAVA_BYTE).withName("name"),
            JAVA_INT.withName("size"),
            MemoryLayout.paddingLayout(4));

    static final long ENTRIES_SIZE = offset(IPT_GET_ENTRIES, "size");

    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int AF_NETLINK = 16;
    static final int SOCK_DGRAM = 2;
    static final int SOCK_RAW = 3;
    static final int SOCK_CLOEXEC = 0x80000;
    static final int SOL_SOCKET = 1;
    static final int SO_RCVBUF = 8;
    static final int SO_RCVBUFFORCE = 33;
    static final int SOL_IP = 0;
    static final int SOL_IPV6 = 41;
    static final int IPT_SO_GET_INFO = 64;
    static final int IPT_SO_GET_ENTRIES = 65;
    static final int SOL_NETLINK = 270;
    static final int NETLINK_ADD_MEMBERSHIP = 1;
    static final int NETLINK_CAP_ACK = 10;
    static final int NETLINK_EXT_ACK = 11;
    static final int NETLINK_GET_STRICT_CHK = 12;
    static final int MSG_TRUNC = 0x20;
    static final int MSG_DONTWAIT = 0x40;
    static final short POLLIN = 0x1;
    static final int EFD_CLOEXEC = 0x80000;
    static final int O_RDONLY = 0;
    static final int O_CLOEXEC = 0x80000;
    static final int CLONE_NEWNET = 0x40000000;

    private Layouts() {}

    private static long offset(StructLayout struct, String field) {
        return struct.byteOffset(PathElement.groupElement(field));
    }
}
