package li.wlz.kuport.netlink;

import java.util.Comparator;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.MacAddress;

/** A permanent neighbour: {@code ip neigh replace ADDRESS lladdr MAC dev DEVICE nud permanent}. */
public record Neighbour(String device, IpAddress address, MacAddress mac) implements Comparable<Neighbour> {
    private static final Comparator<Neighbour> ORDER = Comparator.comparing(Neighbour::device)
            .thenComparing(Neighbour::address)
            .thenComparing(Neighbour::mac);

    @Override
    public int compareTo(Neighbour other) {
        return ORDER.compare(this, other);
    }
}
