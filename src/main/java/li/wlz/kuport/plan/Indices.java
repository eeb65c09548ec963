package li.wlz.kuport.plan;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Hands out the indices of marks: who has one keeps it, others get the lowest free one.
 *
 * <p>An index that somebody gives up in this pass is not handed on in it: the kernel still has its rule, and flows may bear it.
 */
final class Indices {
    private final int first;
    private final int last;

    Indices(int first, int last) {
        this.first = first;
        this.last = last;
    }

    /**
     * The index of each who wants one, in the order given; those who get none are left out.
     *
     * @param taken what the kernel shows as taken
     * @param resting free ones that flows still bear
     */
    <K> Map<K, Integer> allocate(Collection<K> wanted, Map<K, Integer> taken, SortedSet<Integer> resting) {
        Map<K, Integer> allocated = new LinkedHashMap<>();
        SortedSet<Integer> given = new TreeSet<>();
        for (K key : wanted) {
            Integer kept = taken.get(key);
            if (kept != null && first <= kept && kept <= last && given.add(kept)) {
                allocated.put(key, kept);
            }
        }
        TreeSet<Integer> blocked = new TreeSet<>(given);
        blocked.addAll(taken.values());
        blocked.addAll(resting);
        int next = first;
        for (K key : List.copyOf(wanted)) {
            if (allocated.containsKey(key)) {
                continue;
            }
            while (blocked.contains(next)) {
                next++;
            }
            if (next > last) {
                break;
            }
            allocated.put(key, next++);
        }
        return allocated;
    }
}
