package li.wlz.kuport.netlink;

import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.model.IpFamily;

/**
 * The rules of others that the kernel asks before table main's, and the routes that they lead to. Those that lead to table local are
 * left out: it holds this node's own addresses.
 *
 * @param first those that are asked before ours, in that order
 * @param then those that are asked between ours and table main's, in that order
 * @param routes those of the tables that the rules look up
 */
public record PrecedingRules(List<PolicyRule> first, List<PolicyRule> then, List<Route> routes) {
    public static final PrecedingRules NONE = new PrecedingRules(List.of(), List.of(), List.of());

    public PrecedingRules {
        first = List.copyOf(first);
        then = List.copyOf(then);
        routes = List.copyOf(routes);
    }

    public boolean isEmpty() {
        return first.isEmpty() && then.isEmpty();
    }

    /** What packets of ours with a mark meet before our rules. */
    public List<PolicyRule> beforeOurs(IpFamily family) {
        return first.stream().filter(rule -> rule.family() == family).toList();
    }

    /** What packets of ours without a mark meet before table main. */
    public List<PolicyRule> beforeMain(IpFamily family) {
        return Stream.concat(first.stream(), then.stream())
                .filter(rule -> rule.family() == family)
                .toList();
    }
}
