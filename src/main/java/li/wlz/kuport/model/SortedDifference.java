package li.wlz.kuport.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What makes one sorted collection of another, found in one walk along both, which passes over what they share (see
 * {@link PersistentMap}).
 *
 * @param missing what is wanted and not there, in order
 * @param surplus what is there and not wanted, in order; a key whose value differs is in both
 */
public record SortedDifference<T>(List<T> missing, List<T> surplus) {
    public SortedDifference {
        missing = List.copyOf(missing);
        surplus = List.copyOf(surplus);
    }

    public boolean isEmpty() {
        return missing.isEmpty() && surplus.isEmpty();
    }

    /** Compares sets by their order alone: two items that sort alike are the same. */
    @SuppressWarnings("ReferenceEquality") // The same object needs no walk, and an idle pass compares the same objects.
    public static <T extends Comparable<T>> SortedDifference<T> of(SortedSet<T> wanted, SortedSet<T> present) {
        if (wanted == present) {
            return new SortedDifference<>(List.of(), List.of());
        }
        if (wanted instanceof PersistentMap.Keys<T> one && present instanceof PersistentMap.Keys<T> other) {
            SortedDifference<Map.Entry<T, Object>> entries = of(one.map(), other.map(), (a, b) -> true);
            return new SortedDifference<>(keys(entries.missing), keys(entries.surplus));
        }
        return walk(
                wanted.iterator(),
                present.iterator(),
                () -> {},
                (a, b) -> a.equals(b) ? 0 : a.compareTo(b),
                (a, b) -> true);
    }

    private static <T> List<T> keys(List<Map.Entry<T, Object>> entries) {
        return entries.stream().map(Map.Entry::getKey).toList();
    }

    /** Compares maps key by key, and the values of keys that both have. */
    public static <K extends Comparable<K>, V> SortedDifference<Map.Entry<K, V>> of(
            SortedMap<K, V> wanted, SortedMap<K, V> present) {
        return of(wanted, present, (a, b) -> a.getValue().equals(b.getValue()));
    }

    @SuppressWarnings("ReferenceEquality") // As above.
    private static <K extends Comparable<K>, V> SortedDifference<Map.Entry<K, V>> of(
            SortedMap<K, V> wanted, SortedMap<K, V> present, BiPredicate<Map.Entry<K, V>, Map.Entry<K, V>> same) {
        if (wanted == present) {
            return new SortedDifference<>(List.of(), List.of());
        }
        Comparator<Map.Entry<K, V>> order =
                (a, b) -> a.getKey().equals(b.getKey()) ? 0 : a.getKey().compareTo(b.getKey());
        if (wanted instanceof PersistentMap<K, V> one && present instanceof PersistentMap<K, V> other) {
            PersistentMap.Walk<K, V> mine = one.walk();
            PersistentMap.Walk<K, V> theirs = other.walk();
            return walk(mine, theirs, () -> PersistentMap.Walk.skipShared(mine, theirs), order, same);
        }
        return walk(wanted.entrySet().iterator(), present.entrySet().iterator(), () -> {}, order, same);
    }

    /**
     * Walks along both. Most items are equal, and for most types that is cheaper to see than an order.
     *
     * @param skip passes over what both are about to come to and share
     */
    private static <T> SortedDifference<T> walk(
            Iterator<T> wanted, Iterator<T> present, Runnable skip, Comparator<T> order, BiPredicate<T, T> same) {
        List<T> missing = new ArrayList<>();
        List<T> surplus = new ArrayList<>();
        skip.run();
        @Nullable T want = next(wanted);
        @Nullable T have = next(present);
        while (want != null || have != null) {
            int side = want == null ? 1 : have == null ? -1 : order.compare(want, have);
            boolean equal = side == 0 && want != null && have != null && same.test(want, have);
            if (want != null && side <= 0 && !equal) {
                missing.add(want);
            }
            if (have != null && side >= 0 && !equal) {
                surplus.add(have);
            }
            if (side == 0) {
                skip.run();
            }
            want = side <= 0 ? next(wanted) : want;
            have = side >= 0 ? next(present) : have;
        }
        return new SortedDifference<>(missing, surplus);
    }

    private static <T> @Nullable T next(Iterator<T> items) {
        return items.hasNext() ? items.next() : null;
    }
}
