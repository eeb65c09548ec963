package li.wlz.kuport.netlink;

import java.util.Comparator;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * A route, as {@code ip route show table all} prints it; a multipath route is read as one of these for each next hop.
 *
 * @param table the id of the routing table
 * @param type what happens to a packet that matches
 * @param device where it leaves; null for types that need none
 * @param gateway null where the destination is on the link
 * @param onlink RTNH_F_ONLINK: the gateway is taken to be on the link though no route says so
 * @param metric RTA_PRIORITY: the lower is preferred
 * @param protocol rtm_protocol: who made it
 * @param lockedMtu RTAX_MTU, locked; 0 for none
 * @param source the preferred source address
 */
public record Route(
        int table,
        Type type,
        Cidr destination,
        @Nullable String device,
        @Nullable IpAddress gateway,
        boolean onlink,
        int metric,
        int protocol,
        int lockedMtu,
        @Nullable IpAddress source)
        implements Comparable<Route> {

    /** RT_TABLE_MAIN and RT_TABLE_LOCAL of linux/rtnetlink.h. */
    public static final int TABLE_MAIN = 254;

    public static final int TABLE_LOCAL = 255;

    private static final Comparator<Route> ORDER = Comparator.comparing(Route::table, Integer::compareUnsigned)
            .thenComparing(r -> r.destination().network())
            .thenComparingInt(r -> r.destination().prefixLength())
            .thenComparing(Route::metric, Integer::compareUnsigned)
            .thenComparing(Route::toString);

    /** Route types, RTN_* of linux/rtnetlink.h. */
    public enum Type {
        UNICAST(1),
        LOCAL(2),
        BROADCAST(3),
        ANYCAST(4),
        MULTICAST(5),
        BLACKHOLE(6),
        UNREACHABLE(7),
        PROHIBIT(8),
        THROW(9);

        private final int number;

        Type(int number) {
            this.number = number;
        }

        public int number() {
            return number;
        }
    }

    @Override
    public int compareTo(Route other) {
        return ORDER.compare(this, other);
    }
}
