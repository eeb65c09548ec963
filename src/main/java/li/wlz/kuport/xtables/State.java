package li.wlz.kuport.xtables;

import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.Target;

/**
 * What all tables of iptables of a node tell.
 *
 * @param listings by place; those without any table, or without a program that could read them, are left out
 * @param closed places that hold chains of ours, and that this process may neither read nor change
 */
public record State(SortedMap<Place, SaveListing> listings, SortedSet<Place> closed) {
    /** Nobody looked, or there is nothing. */
    public static final State NOTHING = new State(Sorted.map());

    public State {
        listings = Sorted.copyOf(listings);
        closed = Sorted.copyOf(closed);
    }

    /** Where every place can be read. */
    public State(SortedMap<Place, SaveListing> listings) {
        this(listings, Sorted.set());
    }

    /** What a person is told of a closed place. */
    public static String told(Place place) {
        return "chains " + SaveListing.OURS + "* are still in " + place.program()
                + ", go on translating, and cannot be removed by this process: it needs the capability NET_RAW beside"
                + " NET_ADMIN, the host's /run/xtables.lock, and the programs of " + place.program();
    }

    /** The listing of a place. */
    public SaveListing listing(Place place) {
        return listings.getOrDefault(place, SaveListing.NOTHING);
    }

    /**
     * The backend that the node's other rules use: the one with a kubelet's mark, else the one with more rules, else the newer.
     *
     * <p>The same choice as https://github.com/kubernetes-sigs/iptables-wrappers makes for kube-proxy and CNIs.
     */
    public Backend inUse() {
        for (Backend backend : Backend.values()) {
            if (listings.entrySet().stream()
                    .anyMatch(
                            e -> e.getKey().backend() == backend && e.getValue().kubernetes())) {
                return backend;
            }
        }
        return rules(Backend.legacy) > rules(Backend.nft) ? Backend.legacy : Backend.nft;
    }

    private int rules(Backend backend) {
        // Ours are where they are because of this very choice.
        return listings.entrySet().stream()
                .filter(e -> e.getKey().backend() == backend)
                .mapToInt(e -> e.getValue().rules()
                        - e.getValue().jumps().size()
                        - e.getValue().chains().values().stream()
                                .mapToInt(rules -> rules.size())
                                .sum())
                .sum();
    }

    /** Where our rules send what is dialled. */
    public SortedMap<Dialled, Target> delivered() {
        SortedMap<Dialled, Target> delivered = new TreeMap<>();
        listings.values().forEach(listing -> delivered.putAll(listing.delivered()));
        return delivered;
    }
}
