package li.wlz.kuport.plan;

import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PersistentMap;

/**
 * What this node does for the mappings of one {@link Overlap}.
 *
 * @param accept what clients dial here
 * @param deliver what peers send here
 * @param own what this node's own clients dial elsewhere
 * @param pods the addresses of pods of this node
 * @param rows this node's row of each mapping in which it has a part
 * @param forwarded the families of the pods that this node forwards to
 * @param linked the families of the pods that are reached over this node's link
 */
record Delivered(
        SortedMap<Dialled, Delivery> accept,
        SortedMap<Dialled, Delivery> deliver,
        SortedMap<Dialled, Delivery> own,
        Set<IpAddress> pods,
        Map<ObjectKey, NodeRow> rows,
        Set<IpFamily> forwarded,
        Set<IpFamily> linked) {
    /** There is one for each of ten thousand mappings, mostly, and they stay: small copies. */
    Delivered {
        accept = PersistentMap.copyOf(accept);
        deliver = PersistentMap.copyOf(deliver);
        own = PersistentMap.copyOf(own);
        pods = Set.copyOf(pods);
        rows = Map.copyOf(rows);
        forwarded = Set.copyOf(forwarded);
        linked = Set.copyOf(linked);
    }
}
