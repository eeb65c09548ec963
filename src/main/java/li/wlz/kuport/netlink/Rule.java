package li.wlz.kuport.netlink;

import java.util.Comparator;
import li.wlz.kuport.model.IpFamily;

/**
 * A rule of the routing policy that picks a table by packet mark: {@code ip rule add pref 90 fwmark MARK/MASK lookup TABLE}.
 *
 * @param protocol FRA_PROTOCOL: who made it
 */
public record Rule(IpFamily family, int priority, int mark, int mask, int table, int protocol)
        implements Comparable<Rule> {
    private static final Comparator<Rule> ORDER = Comparator.comparing(Rule::family)
            .thenComparing(Rule::priority, Integer::compareUnsigned)
            .thenComparing(Rule::mark, Integer::compareUnsigned)
            .thenComparing(Rule::mask, Integer::compareUnsigned)
            .thenComparing(Rule::table, Integer::compareUnsigned)
            .thenComparingInt(Rule::protocol);

    @Override
    public int compareTo(Rule other) {
        return ORDER.compare(this, other);
    }
}
