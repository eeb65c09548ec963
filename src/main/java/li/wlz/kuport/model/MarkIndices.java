package li.wlz.kuport.model;

import java.util.SortedMap;
import java.util.SortedSet;

/**
 * The indices of marks that the kernel shows as taken. The kernel is the record: a number never moves under a living flow.
 *
 * @param peers by the MAC address of the peer's link device
 * @param uplinks by interface
 * @param resting free ones that connection tracking entries still bear
 */
public record MarkIndices(
        SortedMap<MacAddress, Integer> peers, SortedMap<String, Integer> uplinks, SortedSet<Integer> resting) {
    public static final MarkIndices NONE = new MarkIndices(Sorted.map(), Sorted.map(), Sorted.set());

    public MarkIndices {
        peers = Sorted.copyOf(peers);
        uplinks = Sorted.copyOf(uplinks);
        resting = Sorted.copyOf(resting);
    }
}
