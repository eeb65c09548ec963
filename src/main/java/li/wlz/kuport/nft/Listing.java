package li.wlz.kuport.nft;

import java.util.List;
import java.util.SortedMap;
import li.wlz.kuport.model.Sorted;

/**
 * Our table as the kernel lists it: what {@link Table} is compared with.
 *
 * <p>A rule is known by its comment alone, which ends in a hash of the rule's text (see {@link Rule}), so nothing here looks
 * into expressions.
 *
 * @param present whether there is such a table at all
 * @param chains by name
 * @param sets maps and sets, by name
 * @param strangers what else is there that we never make: flow tables, named counters, flags of the table
 */
public record Listing(
        boolean present,
        SortedMap<String, ListedChain> chains,
        SortedMap<String, NamedSet> sets,
        List<String> strangers) {

    /** No table. */
    public static final Listing NOTHING = new Listing(false, Sorted.map(), Sorted.map(), List.of());

    public Listing {
        chains = Sorted.copyOf(chains);
        sets = Sorted.copyOf(sets);
        strangers = List.copyOf(strangers);
    }

    /**
     * Reads what {@code nft -j list table inet kuport} prints. Numbers may come as numbers or, where nft knows one, as a name;
     * output without our table is {@link #NOTHING}.
     *
     * @throws ListingException if the text is no such listing
     */
    public static Listing parse(String json) {
        return new ListingReader().read(json);
    }

    /**
     * A chain.
     *
     * @param hook where packets enter it; {@link Hook#NONE} for a chain that is only jumped to
     * @param comments those of its rules, in order; empty for a rule without
     */
    public record ListedChain(Hook hook, List<String> comments) {
        public ListedChain {
            comments = List.copyOf(comments);
        }
    }
}
