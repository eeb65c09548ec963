package li.wlz.kuport.model;

import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A pod that asks for ports of its node by an annotation.
 *
 * @param uid of the object; empty where it has none, as in a folder
 * @param created seconds since the epoch, by the API server's clock
 * @param node the node it runs on
 * @param addresses by family; empty until it has one
 * @param ready whether new clients may be sent to it
 * @param ending whether it is being deleted
 * @param entries what it asks for, in the order written; empty where the annotation is refused
 * @param mistake why the annotation is refused as a whole; null where it is not
 */
public record PodRequest(
        ObjectKey key,
        String uid,
        long created,
        String node,
        SortedMap<IpFamily, IpAddress> addresses,
        boolean ready,
        boolean ending,
        boolean hostNetwork,
        List<PodEntry> entries,
        @Nullable String mistake) {
    public PodRequest {
        addresses = Sorted.copyOf(addresses);
        entries = List.copyOf(entries);
    }
}
