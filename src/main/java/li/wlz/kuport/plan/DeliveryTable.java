package li.wlz.kuport.plan;

import java.util.NavigableMap;
import java.util.TreeMap;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.PortRange;

/** What one map of the datapath is to hold. Entries never overlap: the kernel refuses a transaction in which some do. */
final class DeliveryTable {
    private static final int HIGHEST_PORT = 65535;

    private final NavigableMap<Dialled, Delivery> entries = new TreeMap<>();

    /**
     * Adds an entry unless it overlaps one that is there. Who comes first wins, so mappings are added oldest first.
     *
     * <p>Conflicts are settled before, by what nodes report; what is seen here is that a report lags behind the node.
     *
     * @return whether it was added
     */
    boolean add(Dialled dialled, Delivery delivery) {
        int last = dialled.ports().last();
        Dialled before =
                entries.floorKey(new Dialled(dialled.address(), dialled.protocol(), new PortRange(last, HIGHEST_PORT)));
        if (before != null
                && before.protocol() == dialled.protocol()
                && before.address().equals(dialled.address())
                && before.ports().overlaps(dialled.ports())) {
            return false;
        }
        entries.put(dialled, delivery);
        return true;
    }

    NavigableMap<Dialled, Delivery> entries() {
        return entries;
    }
}
