package li.wlz.kuport.datapath;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.datapath.Lookup.Placed;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
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
        Map<String, SortedMap<String, String>> changed = new HashMap<>();
        for (Map.Entry<Dialled, Delivery> gone : difference.surplus()) {
            for (Placed placed : lookup.place(gone)) {
                copy(changed, placed).remove(placed.key());
            }
        }
        for (Map.Entry<Dialled, Delivery> fresh : difference.missing()) {
            for (Placed placed : lookup.place(fresh)) {
                copy(changed, placed).put(placed.key(), placed.data());
            }
        }
        changed.forEach((name, entries) -> {
            Elements elements = new Elements(entries);
            // A delivery may change in what no map shows, such as its draining targets.
            if (!SortedDifference.of(entries, entriesOf(name)).isEmpty()) {
                sets.put(name, elements);
            }
        });
        rendered = wanted;
        return Sorted.copyOf(sets);
    }

    private SortedMap<String, String> copy(Map<String, SortedMap<String, String>> changed, Placed placed) {
        return changed.computeIfAbsent(placed.set(), name -> new TreeMap<>(entriesOf(name)));
    }

    private SortedMap<String, String> entriesOf(String name) {
        return sets.getOrDefault(name, Elements.NONE).entries();
    }
}
