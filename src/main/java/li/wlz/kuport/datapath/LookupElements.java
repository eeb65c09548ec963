package li.wlz.kuport.datapath;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import li.wlz.kuport.datapath.Lookup.Placed;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.PersistentMap;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.SortedDifference;
import li.wlz.kuport.nft.Elements;

/**
 * Renders a lookup's maps, and remembers the last result so that only what changed since is rendered.
 *
 * <p>The answer depends on the argument alone; what is remembered only makes it cheaper. Maps that did not change are the same
 * objects as before, by which others know at once that there is nothing to compare.
 */
final class LookupElements {
    private final Lookup lookup;
    private SortedMap<Dialled, Delivery> rendered = Sorted.map();
    private final SortedMap<String, Elements> sets = new TreeMap<>();

    LookupElements(Lookup lookup) {
        this.lookup = lookup;
        lookup.shapes().keySet().forEach(name -> sets.put(name, Elements.NONE));
    }

    /** The elements of each map, by name. */
    SortedMap<String, Elements> render(SortedMap<Dialled, Delivery> wanted) {
        SortedDifference<Map.Entry<Dialled, Delivery>> difference = SortedDifference.of(wanted, rendered);
        Set<Placed> gone = placed(difference.surplus());
        Set<Placed> fresh = placed(difference.missing());
        Map<String, SortedMap<String, Optional<String>>> changed = new HashMap<>();
        // What is in both stays: a delivery may change in what no map shows, such as its draining targets.
        gone.stream()
                .filter(p -> !fresh.contains(p))
                .forEach(p -> changes(changed, p).put(p.key(), Optional.empty()));
        fresh.stream()
                .filter(p -> !gone.contains(p))
                .forEach(p -> changes(changed, p).put(p.key(), Optional.of(p.data())));
        changed.forEach((name, changes) -> sets.put(
                name, new Elements(PersistentMap.copyOf(entriesOf(name)).with(changes))));
        rendered = wanted;
        return Sorted.copyOf(sets);
    }

    private Set<Placed> placed(List<Map.Entry<Dialled, Delivery>> deliveries) {
        return deliveries.stream().flatMap(d -> lookup.place(d).stream()).collect(Collectors.toSet());
    }

    private static SortedMap<String, Optional<String>> changes(
            Map<String, SortedMap<String, Optional<String>>> changed, Placed placed) {
        return changed.computeIfAbsent(placed.set(), name -> new TreeMap<>());
    }

    private SortedMap<String, String> entriesOf(String name) {
        return sets.getOrDefault(name, Elements.NONE).entries();
    }
}
