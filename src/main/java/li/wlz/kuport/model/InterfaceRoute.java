package li.wlz.kuport.model;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A route by which packets leave by an interface; one next hop of a multipath route counts as a route.
 *
 * @param gateway null where the destination is on the link, or the interface is point-to-point
 * @param onlink whether the gateway is taken to be on the link though no route says so
 * @param metric the lower is preferred
 * @param source the preferred source address
 */
public record InterfaceRoute(
        String device,
        Cidr destination,
        @Nullable IpAddress gateway,
        boolean onlink,
        int metric,
        @Nullable IpAddress source)
        implements Comparable<InterfaceRoute> {
    private static final Comparator<InterfaceRoute> ORDER = Comparator.comparing(InterfaceRoute::device)
            .thenComparing(r -> r.destination().network())
            .thenComparingInt(r -> r.destination().prefixLength())
            .thenComparingInt(InterfaceRoute::metric)
            .thenComparing(InterfaceRoute::toString);

    @Override
    public int compareTo(InterfaceRoute other) {
        return ORDER.compare(this, other);
    }
}
