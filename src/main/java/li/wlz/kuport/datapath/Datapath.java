package li.wlz.kuport.datapath;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Predicate;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.PersistentMap;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.SortedDifference;
import li.wlz.kuport.model.Target;
import li.wlz.kuport.netlink.Flow;
import li.wlz.kuport.netlink.PrecedingRules;
import li.wlz.kuport.netlink.RoutingState;
import li.wlz.kuport.nft.Chain;
import li.wlz.kuport.nft.Elements;
import li.wlz.kuport.nft.ForeignRuleset;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.nft.NamedSet;
import li.wlz.kuport.nft.Table;
import li.wlz.kuport.xtables.State;
import org.jspecify.annotations.Nullable;

/**
 * A node's plan in the kernel's terms: what the kernel should have, and what must change for it.
 *
 * <p>Each answer depends on the arguments alone. An object remembers its last answers, so that a change among ten thousand mappings
 * costs what it changes; it is for one thread.
 */
public final class Datapath {
    private final Settings settings;
    private final Map<Lookup, LookupElements> lookups = new EnumMap<>(Lookup.class);
    private @Nullable Wanted last;

    public Datapath(Settings settings) {
        this.settings = settings;
        for (Lookup lookup : Lookup.values()) {
            lookups.put(lookup, new LookupElements(lookup));
        }
    }

    /** What the kernel of the plan's node should have. */
    public Wanted wanted(NodePlan plan) {
        SortedMap<String, NamedSet> sets = RulesetSets.of(settings, plan);
        lookups.forEach((lookup, elements) -> {
            SortedMap<String, Elements> rendered = elements.render(lookup.of(plan));
            lookup.shapes()
                    .forEach((name, shape) ->
                            sets.put(name, new NamedSet(shape, rendered.getOrDefault(name, Elements.NONE))));
        });
        Table table = settings.usesIptables() ? new Table(Sorted.map(), Sorted.map()) : new Table(chains(plan), sets);
        Wanted wanted = new Wanted(plan, table, routing(plan));
        last = wanted;
        return wanted;
    }

    /** The last ones where the plan differs in its mappings alone: these are in sets. */
    private SortedMap<String, Chain> chains(NodePlan plan) {
        Wanted before = last;
        return before != null && waysAreAlike(before.plan(), plan)
                ? before.table().chains()
                : Ruleset.chains(settings, plan);
    }

    private Routing routing(NodePlan plan) {
        Wanted before = last;
        return before != null
                        && waysAreAlike(before.plan(), plan)
                        && before.plan().pods().equals(plan.pods())
                ? before.routing()
                : Routing.of(settings, plan);
    }

    private static boolean waysAreAlike(NodePlan one, NodePlan other) {
        return Objects.equals(one.link(), other.link())
                && one.peers().equals(other.peers())
                && one.uplinks().equals(other.uplinks())
                && one.egress().equals(other.egress());
    }

    /** As {@link #changes(Wanted, Listing, RoutingState, State)}, where the tables of iptables have nothing of ours. */
    public Changes changes(Wanted wanted, Listing table, RoutingState routing) {
        return changes(wanted, table, routing, State.NOTHING);
    }

    /** What must change for the kernel to have what is wanted; empty where it has. */
    public Changes changes(Wanted wanted, Listing table, RoutingState routing, State xtables) {
        RoutingDifference.Requests requests = RoutingDifference.of(wanted.routing(), routing, settings.linkPort());
        return new Changes(
                requests.before(),
                settings.usesIptables() ? withoutTable(table) : wanted.table().difference(table),
                settings.usesIptables() ? Listing.NOTHING : wanted.table().listing(),
                XtablesRuleset.restores(settings.marks(), wanted.plan(), settings.usesIptables(), xtables),
                requests.after());
    }

    private static Optional<String> withoutTable(Listing table) {
        return table.present() ? Optional.of(Removal.SCRIPT) : Optional.empty();
    }

    /** As below, where the tables of iptables have nothing of ours. */
    public NodeFacts complete(
            NodeFacts facts, Listing table, RoutingState routing, SortedSet<Integer> connectionMarks) {
        return complete(facts, table, routing, State.NOTHING, connectionMarks);
    }

    /**
     * A node's facts, completed by what the kernel tells of earlier passes: indices that are taken, ports that are open, and
     * devices of others that are in the way of ours.
     *
     * @param connectionMarks what connection tracking entries bear
     */
    public NodeFacts complete(
            NodeFacts facts, Listing table, RoutingState routing, State xtables, SortedSet<Integer> connectionMarks) {
        NodeFacts complete = facts.with(
                ReadBack.indices(settings.marks(), table, routing, connectionMarks),
                settings.usesIptables() ? Sorted.copyOf(xtables.delivered().keySet()) : opened(table));
        return LinkObstacle.find(routing, settings.linkPort())
                .map(complete::with)
                .orElse(complete);
    }

    /** What the rules of others do to this plan's packets, as far as it is certain. */
    public SortedSet<NodeProblem> interference(
            NodePlan plan, NodeFacts facts, ForeignRuleset foreign, PrecedingRules preceding) {
        if (foreign.chains().isEmpty() && preceding.isEmpty()) {
            return Sorted.set();
        }
        SortedSet<NodeProblem> problems = Interference.of(settings.marks(), plan, facts, foreign);
        problems.addAll(Precedence.of(settings.marks(), plan, facts, preceding));
        return problems;
    }

    /** The last answer's keys where its maps are what is there, which saves reading them. */
    private SortedSet<Dialled> opened(Listing table) {
        Wanted wanted = last;
        return wanted != null && isSame(wanted.table().listing(), table)
                ? PersistentMap.copyOf(wanted.plan().accept()).keys()
                : ReadBack.opened(table);
    }

    /**
     * Where the kernel sends what is dialled: what a pod that asks by an annotation has already. Empty where none may ask.
     */
    public SortedMap<Dialled, Target> delivered(Listing table, State xtables) {
        if (settings.podAnnotations() == null) {
            return Sorted.map();
        }
        // Whichever flavor had them before: a change of it is no new beginning.
        SortedMap<Dialled, Target> delivered = new TreeMap<>(xtables.delivered());
        delivered.putAll(ReadBack.delivered(table));
        return delivered;
    }

    private static boolean isSame(Listing one, Listing other) {
        return Lookup.ACCEPT.verdictMaps().stream()
                .allMatch(name -> SortedDifference.of(
                                ReadBack.elements(one, name).entries(),
                                ReadBack.elements(other, name).entries())
                        .isEmpty());
    }

    /**
     * Tells the entries of connection tracking that no longer fit the plan, to be deleted one by one once its rules are in force. It
     * may be asked of any TCP or UDP entry, whoever it belongs to.
     */
    public Predicate<Flow> stale(NodePlan plan) {
        return StaleFlows.of(settings.marks(), plan);
    }
}
