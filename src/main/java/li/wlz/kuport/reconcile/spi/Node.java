package li.wlz.kuport.reconcile.spi;

import java.util.List;
import java.util.SortedSet;
import java.util.function.Predicate;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.netlink.Flow;
import li.wlz.kuport.netlink.PrecedingRules;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.netlink.RoutingState;
import li.wlz.kuport.nft.ForeignRuleset;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.xtables.Restore;
import li.wlz.kuport.xtables.State;

/** This node's kernel: read, watched and changed. Used by one thread. */
public interface Node extends AutoCloseable {
    /** So many entries of the connection tracking table take about 2 MiB of memory. */
    int FORGOTTEN_AT_ONCE = 10_000;

    /**
     * Begins to watch.
     *
     * @param dirty called, from any thread, whenever {@link #observe} may answer differently for a reason other than a change
     *     made through this object; it returns at once
     */
    void start(Runnable dirty);

    /**
     * What the kernel has now. Cheap where nothing was reported to have changed: what was read, or written, last is kept.
     *
     * @throws NodeException if the kernel refuses to tell
     */
    Observation observe();

    /** Forgets what was kept, so that the next {@link #observe} reads all of it from the kernel. */
    void distrust();

    /**
     * Makes changes to links, addresses, neighbours, routes and rules. Each is tried, whatever becomes of those before it.
     *
     * @throws NodeException that names each change that was refused
     */
    void send(List<Request> requests);

    /**
     * Runs an nft script as one transaction: all of it or nothing.
     *
     * @param after how the table lists once the script has run; kept instead of reading it back
     * @throws NodeException if the kernel refuses the script
     */
    void run(String script, Listing after);

    /**
     * Changes rules in the tables of iptables, each table as one transaction.
     *
     * @throws NodeException if one is refused
     */
    default void restore(List<Restore> restores) {
        throw new NodeException("this node has no tables of iptables");
    }

    /**
     * The connection tracking table's TCP and UDP entries. They may be more than there is memory for: the table is read through, and
     * what is not wanted is not kept.
     *
     * @param wanted asked of each entry; it may be asked twice, if the table has to be read anew
     * @param most how many entries to keep
     * @throws NodeException if the kernel refuses to tell
     */
    FoundFlows flows(Predicate<Flow> wanted, int most);

    /**
     * Deletes single entries of the connection tracking table; one that is gone already is no error.
     *
     * @throws NodeException that names each entry that was refused
     */
    void forget(List<Flow> flows);

    /**
     * Deletes all such entries of the connection tracking table, as many at once as {@link #FORGOTTEN_AT_ONCE}, and looks once more:
     * packets that were on their way may have made new ones.
     *
     * @return how many there were
     * @throws NodeException if the kernel refuses to tell, or to delete any
     */
    default int forget(Predicate<Flow> astray) {
        FoundFlows found = flows(astray, FORGOTTEN_AT_ONCE);
        int all = found.all();
        for (int rounds = all / FORGOTTEN_AT_ONCE + 2; rounds > 0 && found.all() > 0; rounds--) {
            forget(found.some());
            found = flows(astray, FORGOTTEN_AT_ONCE);
        }
        return all;
    }

    @Override
    void close();

    /**
     * Entries of the connection tracking table.
     *
     * @param some of them: all, if they are no more than was asked for
     * @param all how many there are
     */
    record FoundFlows(List<Flow> some, int all) {
        public FoundFlows {
            some = List.copyOf(some);
        }
    }

    /**
     * What a kernel has.
     *
     * @param facts what decisions depend on; its {@code indices} and {@code opened} are left empty, since they are read from
     *     the rest
     * @param table our nftables table
     * @param foreign the chains of others that packets of ours may meet, as of the last {@link #distrust}
     * @param preceding the rules of others that the kernel asks before ours, or before table main
     * @param routing what is ours in rtnetlink
     * @param xtables what the tables of iptables tell; nothing where no annotations of pods are served
     * @param markedFlows the connection marks that entries bear, for telling which indices rest; read only at the start and
     *     after flows were forgotten
     */
    record Observation(
            NodeFacts facts,
            Listing table,
            ForeignRuleset foreign,
            PrecedingRules preceding,
            RoutingState routing,
            State xtables,
            SortedSet<Integer> markedFlows) {}
}
