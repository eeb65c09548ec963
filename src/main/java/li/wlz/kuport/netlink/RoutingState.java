package li.wlz.kuport.netlink;

import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import li.wlz.kuport.model.Sorted;

/**
 * What is ours in rtnetlink, as it is: the link device and all that bears our protocol number or lies on our device.
 *
 * @param links every device of the node: a foreign one may be in our way
 * @param addresses those of our link device
 * @param neighbours permanent ones on our link device
 * @param forwarding the forwarding database of our link device
 * @param routes with our protocol number
 * @param rules with our protocol number
 */
public record RoutingState(
        List<Link> links,
        SortedSet<Address> addresses,
        SortedSet<Neighbour> neighbours,
        SortedSet<ForwardingEntry> forwarding,
        SortedSet<Route> routes,
        SortedSet<Rule> rules) {
    public static final RoutingState NOTHING =
            new RoutingState(List.of(), Sorted.set(), Sorted.set(), Sorted.set(), Sorted.set(), Sorted.set());

    public RoutingState {
        links = List.copyOf(links);
        addresses = Sorted.copyOf(addresses);
        neighbours = Sorted.copyOf(neighbours);
        forwarding = Sorted.copyOf(forwarding);
        routes = Sorted.copyOf(routes);
        rules = Sorted.copyOf(rules);
    }

    /** The device of that name. */
    public Optional<Link> link(String name) {
        return links.stream().filter(l -> l.name().equals(name)).findFirst();
    }
}
