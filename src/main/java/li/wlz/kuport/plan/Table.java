package li.wlz.kuport.plan;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import li.wlz.kuport.model.PersistentMap;

/** A map put together from parts that come and go, no two of which have a key in common. */
final class Table<P, K extends Comparable<K>, V> {
    private final Function<P, SortedMap<K, V>> entries;
    private final SortedMap<K, Optional<V>> pending = new TreeMap<>();
    private PersistentMap<K, V> table = PersistentMap.empty();

    Table(Function<P, SortedMap<K, V>> entries) {
        this.entries = entries;
    }

    void remove(P part) {
        entries.apply(part).keySet().forEach(key -> pending.put(key, Optional.empty()));
    }

    void add(P part) {
        entries.apply(part).forEach((key, value) -> pending.put(key, Optional.of(value)));
    }

    /** The map as it is now: parts that are to be removed must be before others with their keys are added. */
    PersistentMap<K, V> now() {
        table = table.with(pending);
        pending.clear();
        return table;
    }
}
