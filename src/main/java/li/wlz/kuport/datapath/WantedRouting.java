package li.wlz.kuport.datapath;

import java.util.SortedSet;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.netlink.Address;
import li.wlz.kuport.netlink.ForwardingEntry;
import li.wlz.kuport.netlink.Neighbour;
import li.wlz.kuport.netlink.Route;
import li.wlz.kuport.netlink.Rule;
import org.jspecify.annotations.Nullable;

/** Everything that rtnetlink should have of ours; what is ours and not here should go. */
record WantedRouting(
        NodePlan.@Nullable Link link,
        SortedSet<Address> addresses,
        SortedSet<ForwardingEntry> forwarding,
        SortedSet<Neighbour> neighbours,
        SortedSet<Route> routes,
        SortedSet<Rule> rules) {
    /** Nothing at all: what a cleaned node has. */
    static final WantedRouting NOTHING =
            new WantedRouting(null, Sorted.set(), Sorted.set(), Sorted.set(), Sorted.set(), Sorted.set());

    WantedRouting {
        addresses = Sorted.copyOf(addresses);
        forwarding = Sorted.copyOf(forwarding);
        neighbours = Sorted.copyOf(neighbours);
        routes = Sorted.copyOf(routes);
        rules = Sorted.copyOf(rules);
    }
}
