package li.wlz.kuport.plan;

import java.util.Collection;
import java.util.SortedSet;
import li.wlz.kuport.model.PersistentMap;

/** Things that several have, and which stay as long as one does. */
final class Tally<T extends Comparable<T>> {
    private PersistentMap<T, Integer> counts = PersistentMap.empty();

    void add(Collection<T> things) {
        things.forEach(thing -> counts = counts.with(thing, counts.getOrDefault(thing, 0) + 1));
    }

    void remove(Collection<T> things) {
        for (T thing : things) {
            int left = counts.getOrDefault(thing, 0) - 1;
            counts = left > 0 ? counts.with(thing, left) : counts.without(thing);
        }
    }

    /** What somebody has. */
    SortedSet<T> present() {
        return counts.keys();
    }
}
