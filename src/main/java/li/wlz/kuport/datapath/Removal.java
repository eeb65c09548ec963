package li.wlz.kuport.datapath;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.netlink.Flow;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.netlink.RoutingState;
import li.wlz.kuport.netlink.Rule;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.xtables.Restore;
import li.wlz.kuport.xtables.State;

/**
 * What takes everything of kuport's off a node, whatever flags it was made with: it is known by the table's and the device's name
 * and by our protocol number.
 *
 * @param table whether there is a table to delete
 * @param restores what removes our chains from the tables of iptables
 * @param requests what removes links, routes and rules; the table goes first, so that nothing is sent to what is gone
 */
public record Removal(boolean table, List<Restore> restores, List<Request> requests) {
    /** Deletes the table. */
    public static final String SCRIPT = "delete table inet " + Ours.TABLE + "\n";

    public Removal {
        requests = List.copyOf(requests);
        restores = List.copyOf(restores);
    }

    /** What must go of what is there, of the tables of iptables too. */
    public static Removal of(Listing table, RoutingState routing, State xtables) {
        return new Removal(
                !table.equals(Listing.NOTHING),
                XtablesRuleset.restores(MarkSpace.DEFAULT, NodePlan.EMPTY, false, xtables),
                RoutingDifference.of(Routing.NOTHING, routing, 0).after());
    }

    /**
     * Tells the entries of connection tracking that were ours: without rules they would go on being translated.
     *
     * @param usual the marks to look for beside those that the ip rules tell of
     */
    public static Predicate<Flow> flows(MarkSpace usual, RoutingState routing) {
        Set<MarkSpace> spaces = Stream.concat(
                        Stream.of(usual), routing.rules().stream().flatMap(Removal::space))
                .collect(Collectors.toSet());
        return flow ->
                spaces.stream().anyMatch(space -> space.index(flow.mark()).isPresent());
    }

    /** The marks that a rule of ours was made with. */
    private static Stream<MarkSpace> space(Rule rule) {
        int base = rule.mark() & ~0xff;
        return base != 0 && (rule.mask() & 0xff) == 0xff && (base & ~rule.mask()) == 0
                ? Stream.of(new MarkSpace(base, rule.mask()))
                : Stream.empty();
    }
}
