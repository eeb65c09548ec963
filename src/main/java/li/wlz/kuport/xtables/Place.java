package li.wlz.kuport.xtables;

import java.util.Comparator;
import li.wlz.kuport.model.IpFamily;

/** Where rules of iptables are: each backend has its tables for each family. */
public record Place(Backend backend, IpFamily family) implements Comparable<Place> {
    private static final Comparator<Place> ORDER =
            Comparator.comparing(Place::backend).thenComparing(Place::family);

    @Override
    public int compareTo(Place other) {
        return ORDER.compare(this, other);
    }

    /** {@code iptables-nft}, {@code ip6tables-legacy}. */
    public String program() {
        return (family == IpFamily.IPV4 ? "iptables-" : "ip6tables-") + backend;
    }

    /** {@code iptables-nft-save}, {@code ip6tables-legacy-restore}. */
    public String program(String verb) {
        return program() + "-" + verb;
    }
}
