package li.wlz.kuport.datapath;

import java.util.Comparator;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.netlink.Route;

/** What the kernel tells routes apart by: of two with the same key, {@code ip route replace} leaves the second. */
record RouteKey(int table, Cidr destination, int metric) implements Comparable<RouteKey> {
    private static final Comparator<RouteKey> ORDER = Comparator.comparing(RouteKey::table, Integer::compareUnsigned)
            .thenComparing(k -> k.destination().network())
            .thenComparingInt(k -> k.destination().prefixLength())
            .thenComparing(RouteKey::metric, Integer::compareUnsigned);

    static RouteKey of(Route route) {
        return new RouteKey(route.table(), route.destination(), route.metric());
    }

    @Override
    public int compareTo(RouteKey other) {
        return ORDER.compare(this, other);
    }
}
