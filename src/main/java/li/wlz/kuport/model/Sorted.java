package li.wlz.kuport.model;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Makes the sorted, unmodifiable collections that values are made of: the same content always renders to the same bytes. */
public final class Sorted {
    private Sorted() {}

    public static <K extends Comparable<K>, V> SortedMap<K, V> map() {
        return Collections.emptySortedMap();
    }

    public static <T extends Comparable<T>> SortedSet<T> set() {
        return Collections.emptySortedSet();
    }

    /** The map itself where it never changes anyway. */
    public static <K extends Comparable<K>, V> SortedMap<K, V> copyOf(Map<K, V> map) {
        if (map instanceof PersistentMap<K, V> persistent) {
            return persistent;
        }
        return Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }

    /** As of maps. */
    public static <T extends Comparable<T>> SortedSet<T> copyOf(Collection<T> items) {
        if (items instanceof PersistentMap.Keys<T> persistent) {
            return persistent;
        }
        return Collections.unmodifiableSortedSet(new TreeSet<>(items));
    }
}
