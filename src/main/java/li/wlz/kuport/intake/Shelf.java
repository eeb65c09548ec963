package li.wlz.kuport.intake;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import li.wlz.kuport.crd.Resources.Sourced;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.Problem;

/**
 * The objects of one kind, read and put in order.
 *
 * <p>An object that is handed in again, the same instance, is not read again.
 */
final class Shelf<S, T> {
    private final String kind;
    private final BiFunction<S, String, Reading<T>> reader;
    private IdentityHashMap<S, Reading<T>> remembered = new IdentityHashMap<>();
    private List<Sourced<S>> sources = List.of();
    private SortedMap<ObjectKey, Reading<T>> readings = new TreeMap<>();
    private List<Problem> problems = List.of();

    Shelf(String kind, BiFunction<S, String, Reading<T>> reader) {
        this.kind = kind;
        this.reader = reader;
    }

    /** Reads what is new. */
    void update(List<Sourced<S>> latest) {
        if (sameObjects(sources, latest)) {
            return;
        }
        IdentityHashMap<S, Reading<T>> next = new IdentityHashMap<>(latest.size() * 2);
        List<Reading<T>> all = new ArrayList<>(latest.size());
        for (Sourced<S> source : latest) {
            Reading<T> known = remembered.get(source.object());
            Reading<T> reading = known != null && known.origin().equals(source.origin())
                    ? known
                    : reader.apply(source.object(), source.origin());
            next.put(source.object(), reading);
            all.add(reading);
        }
        remembered = next;
        sources = latest;
        arrange(all);
    }

    @SuppressWarnings(
            "ReferenceEquality") // A source hands out the same instance for as long as the object is the same.
    private static <S> boolean sameObjects(List<Sourced<S>> some, List<Sourced<S>> others) {
        if (some.size() != others.size()) {
            return false;
        }
        for (int i = 0; i < some.size(); i++) {
            Sourced<S> one = some.get(i);
            Sourced<S> other = others.get(i);
            if (one.object() != other.object() || !one.origin().equals(other.origin())) {
                return false;
            }
        }
        return true;
    }

    /** Of two objects with one key, the first by origin counts. */
    private void arrange(List<Reading<T>> all) {
        all.sort(Comparator.comparing(Reading::origin));
        SortedMap<ObjectKey, Reading<T>> byKey = new TreeMap<>();
        List<Problem> found = new ArrayList<>();
        for (Reading<T> reading : all) {
            ObjectKey key = reading.key();
            Reading<T> first = key == null ? null : byKey.putIfAbsent(key, reading);
            if (first == null) {
                found.addAll(reading.problems());
            } else {
                found.add(new Problem(
                        reading.origin(),
                        kind + " " + key,
                        "metadata.name",
                        "is taken by the one in " + place(first) + ", which counts; remove or rename one of the two"));
            }
        }
        readings = byKey;
        problems = List.copyOf(found);
    }

    private static String place(Reading<?> reading) {
        return reading.origin().isEmpty() ? "the cluster" : reading.origin();
    }

    /** What was made of each object; one that could not be made a value is among them, without one. */
    SortedMap<ObjectKey, Reading<T>> readings() {
        return readings;
    }

    List<Problem> problems() {
        return problems;
    }
}
