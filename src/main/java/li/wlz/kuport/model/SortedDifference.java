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
 * What makes one sorted collection of another, found in one walk along both.
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
        return wanted == present
                ? new SortedDifference<>(List.of(), List.of())
                : walk(
                        wanted.iterator(),
                        present.iterator(),
                        (a, b) -> a.equals(b) ? 0 : a.compareTo(b),
                        (a, b) -> true);
    }

    /** Compares maps key by key, and the values of keys that both have. */
    @SuppressWarnings("ReferenceEquality") // As above.
    public static <K extends Comparable<K>, V> SortedDifference<Map.Entry<K, V>> of(
            SortedMap<K, V> wanted, SortedMap<K, V> present) {
        return wanted == present
                ? new SortedDifference<>(List.of(), List.of())
                : walk(
                        wanted.entrySet().iterator(),
                        present.entrySet().iterator(),
                        (a, b) -> a.getKey().equals(b.getKey()) ? 0 : a.getKey().compareTo(b.getKey()),
                        (a, b) -> a.getValue().equals(b.getValue()));
    }

    /** Most items are equal, and for most types that is cheaper to see than an order. */
    private static <T> SortedDifference<T> walk(
            Iterator<T> wanted, Iterator<T> present, Comparator<T> order, BiPredicate<T, T> same) {
        List<T> missing = new ArrayList<>();
        List<T> surplus = new ArrayList<>();
        @Nullable T want = next(wanted);
        @Nullable T have = next(present);
        while (want != null || have != null) {
            int side = want == null ? 1 : have == null ? -1 : order.compare(want, have);
            boolean equal = side == 0 && want != null && have != null && same.test(want, have);
            if (side <= 0 && want != null) {
                if (!equal) {
                    missing.add(want);
                }
                want = next(wanted);
            }
            if (side >= 0 && have != null) {
                if (!equal) {
                    surplus.add(have);
                }
                have = next(present);
            }
        }
        return new SortedDifference<>(missing, surplus);
    }

    private static <T> @Nullable T next(Iterator<T> items) {
        return items.hasNext() ? items.next() : null;
    }
}
