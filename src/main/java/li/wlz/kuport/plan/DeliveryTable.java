package li.wlz.kuport.plan;

import java.util.Map;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.PersistentMap;
import li.wlz.kuport.model.PortRange;

/** What one map of the datapath is to hold. Entries never overlap: the kernel refuses a transaction in which some do. */
final class DeliveryTable {
    private static final int HIGHEST_PORT = 65535;

    private PersistentMap<Dialled, Delivery> entries;

    /** An empty one. */
    DeliveryTable() {
        this(PersistentMap.empty());
    }

    /** One that begins with entries that do not overlap. */
    DeliveryTable(PersistentMap<Dialled, Delivery> entries) {
        this.entries = entries;
    }

    /**
     * Adds an entry unless it overlaps one that is there. Who comes first wins, so mappings are added oldest first.
     *
     * <p>Conflicts are settled before, by what nodes report; what is seen here is that a report lags behind the node.
     *
     * @return whether it was added
     */
    boolean add(Dialled dialled, Delivery delivery) {
        int last = dialled.ports().last();
        Map.Entry<Dialled, Delivery> before = entries.floorEntry(
                new Dialled(dialled.address(), dialled.protocol(), new PortRange(last, HIGHEST_PORT)));
        if (before != null
                && before.getKey().protocol() == dialled.protocol()
                && before.getKey().address().equals(dialled.address())
                && before.getKey().ports().overlaps(dialled.ports())) {
            return false;
        }
        entries = entries.with(dialled, delivery);
        return true;
    }

    PersistentMap<Dialled, Delivery> entries() {
        return entries;
    }
}
