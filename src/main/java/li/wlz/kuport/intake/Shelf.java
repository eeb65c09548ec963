package li.wlz.kuport.intake;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import li.wlz.kuport.crd.Resources.Sourced;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PersistentMap;
import li.wlz.kuport.model.Problem;
import li.wlz.kuport.model.World.Refusal;

/**
 * The objects of one kind, read and put in order.
 *
 * <p>An object that is handed in again, the same instance, is not read again, and the order is changed only where objects came or
 * went: among ten thousand a change costs what it touches.
 */
final class Shelf<S, T> {
    private final String kind;
    private final BiFunction<S, String, Reading<T>> reader;
    private List<Sourced<S>> sources = List.of();
    private final IdentityHashMap<S, Reading<T>> remembered = new IdentityHashMap<>();

    /** The readings that count, and of them those with a value and those with a refusal. */
    private final TreeMap<ObjectKey, Reading<T>> readings = new TreeMap<>();

    private PersistentMap<ObjectKey, T> values = PersistentMap.empty();

    /** What changes the values, and has not yet. */
    private final SortedMap<ObjectKey, Optional<T>> pending = new TreeMap<>();

    private final TreeMap<ObjectKey, Refusal> refusals = new TreeMap<>();
    private final Set<ObjectKey> changed = new HashSet<>();
    private List<Problem> problems = List.of();

    /** How many of them have problems. */
    private int troubled;

    /** Whether two objects have one key. */
    private boolean contested;

    Shelf(String kind, BiFunction<S, String, Reading<T>> reader) {
        this.kind = kind;
        this.reader = reader;
    }

    /** Reads what is new. */
    void update(List<Sourced<S>> latest) {
        changed.clear();
        int first = 0;
        int oldEnd = sources.size();
        int end = latest.size();
        while (first < oldEnd && first < end && same(sources.get(first), latest.get(first))) {
            first++;
        }
        while (oldEnd > first && end > first && same(sources.get(oldEnd - 1), latest.get(end - 1))) {
            oldEnd--;
            end--;
        }
        if (first < oldEnd || first < end) {
            replace(sources.subList(first, oldEnd), latest.subList(first, end), latest);
        }
        sources = latest;
    }

    @SuppressWarnings(
            "ReferenceEquality") // A source hands out the same instance for as long as the object is the same.
    private static <S> boolean same(Sourced<S> one, Sourced<S> other) {
        return one == other || (one.object() == other.object() && one.origin().equals(other.origin()));
    }

    private void replace(List<Sourced<S>> before, List<Sourced<S>> after, List<Sourced<S>> all) {
        IdentityHashMap<S, Reading<T>> known = new IdentityHashMap<>();
        for (Sourced<S> source : before) {
            known.put(source.object(), Objects.requireNonNull(remembered.remove(source.object())));
        }
        List<Reading<T>> came = new ArrayList<>();
        for (Sourced<S> source : after) {
            Reading<T> reading = known.get(source.object());
            if (reading != null && reading.origin().equals(source.origin())) {
                known.remove(source.object());
            } else {
                reading = reader.apply(source.object(), source.origin());
                came.add(reading);
            }
            remembered.put(source.object(), reading);
        }
        if (contested || !exchange(known.values(), came)) {
            arrange(all);
        } else {
            problems = troubled == 0 ? List.of() : problems(all);
        }
        values = values.with(pending);
        pending.clear();
    }

    /** Takes some out and puts some in; false, with the work half done, where two objects turn out to have one key. */
    private boolean exchange(Collection<Reading<T>> went, List<Reading<T>> came) {
        went.forEach(this::remove);
        for (Reading<T> reading : came) {
            if (!put(reading)) {
                return false;
            }
        }
        return true;
    }

    private void remove(Reading<T> reading) {
        troubled -= reading.problems().isEmpty() ? 0 : 1;
        ObjectKey key = reading.key();
        if (key != null) {
            readings.remove(key);
            pending.put(key, Optional.empty());
            refusals.remove(key);
            changed.add(key);
        }
    }

    /** Puts a reading in its place; false where that is taken. */
    private boolean put(Reading<T> reading) {
        ObjectKey key = reading.key();
        if (key != null && readings.putIfAbsent(key, reading) != null) {
            return false;
        }
        troubled += reading.problems().isEmpty() ? 0 : 1;
        if (key != null) {
            changed.add(key);
            if (reading.value() != null) {
                pending.put(key, Optional.of(reading.value()));
            }
            if (reading.refusal() != null) {
                refusals.put(key, reading.refusal());
            }
        }
        return true;
    }

    private List<Reading<T>> byOrigin(List<Sourced<S>> all) {
        return all.stream()
                .map(source -> Objects.requireNonNull(remembered.get(source.object())))
                .sorted(Comparator.comparing(Reading::origin))
                .toList();
    }

    private List<Problem> problems(List<Sourced<S>> all) {
        return byOrigin(all).stream()
                .flatMap(reading -> reading.problems().stream())
                .toList();
    }

    /** Puts all in order anew: of two objects with one key, the first by origin counts. */
    private void arrange(List<Sourced<S>> all) {
        changed.addAll(readings.keySet());
        readings.clear();
        pending.clear();
        values.keySet().forEach(key -> pending.put(key, Optional.empty()));
        refusals.clear();
        troubled = 0;
        contested = false;
        List<Problem> found = new ArrayList<>();
        for (Reading<T> reading : byOrigin(all)) {
            if (put(reading)) {
                found.addAll(reading.problems());
            } else {
                contested = true;
                found.add(taken(reading));
            }
        }
        problems = List.copyOf(found);
    }

    private Problem taken(Reading<T> reading) {
        Reading<T> first = reading.key() == null ? null : readings.get(reading.key());
        String place = first == null || first.origin().isEmpty() ? "the cluster" : first.origin();
        return new Problem(
                reading.origin(),
                kind + " " + reading.key(),
                "metadata.name",
                "is taken by the one in " + place + ", which counts; remove or rename one of the two");
    }

    /** The refusals of those that have no value. */
    SortedMap<ObjectKey, Refusal> refusals() {
        return Collections.unmodifiableSortedMap(refusals);
    }

    /** The values that were made. */
    SortedMap<ObjectKey, T> values() {
        return values;
    }

    /** The keys under which something else stands, or nothing any more, since the update before the last. */
    Set<ObjectKey> changed() {
        return Collections.unmodifiableSet(changed);
    }

    List<Problem> problems() {
        return problems;
    }
}
