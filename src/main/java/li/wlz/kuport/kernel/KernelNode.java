package li.wlz.kuport.kernel;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;
import li.wlz.kuport.ffm.Errno;
import li.wlz.kuport.ffm.NativeException;
import li.wlz.kuport.ffm.NetlinkSocket;
import li.wlz.kuport.ffm.NftablesException;
import li.wlz.kuport.kernel.Shortcomings.Library;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Listener;
import li.wlz.kuport.model.MarkIndices;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.netlink.Flow;
import li.wlz.kuport.netlink.Link;
import li.wlz.kuport.netlink.Message;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.nft.ForeignRuleset;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.nft.ListingException;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.reconcile.spi.NodeException;
import li.wlz.kuport.reconcile.spi.NodeException.Refusal;
import li.wlz.kuport.xtables.Restore;
import li.wlz.kuport.xtables.SaveListing;
import li.wlz.kuport.xtables.State;
import org.jspecify.annotations.Nullable;

/**
 * The kernel of the network namespace in which the opening thread lives.
 *
 * <p>Used by that one thread, a platform thread. Before {@link #start}, and should a watch end, nothing that was read is kept.
 */
public final class KernelNode implements Node {
    private static final int NFNLGRP_NFTABLES = 7;

    private final MarkSpace marks;
    private final boolean looksAtXtables;
    private final boolean usesXtables;
    private final Conversation routingConversation;
    private final Conversation netfilterConversation;
    private final Conversation socketConversation;
    private final Library library;
    private final @Nullable Ruleset ruleset;
    private final ConntrackTable conntrack;
    private final BoundSockets boundSockets;
    private final SysctlFiles sysctls = new SysctlFiles(Path.of("/proc/sys/net"));
    private final ConnectionLimit connectionLimit =
            new ConnectionLimit(sysctls, Path.of("/proc/thread-self/net/stat/nf_conntrack"));
    private final Shortcomings shortcomings;
    private final TableWatch tableWatch = new TableWatch(this::tableChanged);
    private final XtablesWatch xtablesWatch = new XtablesWatch(this::xtablesChanged);
    private final RoutingWatch routingWatch;
    private final List<Watch> watches = new ArrayList<>();

    private final AtomicBoolean routingStale = new AtomicBoolean(true);
    private final AtomicBoolean tableStale = new AtomicBoolean(true);
    private final AtomicBoolean xtablesStale = new AtomicBoolean(true);
    private boolean marksStale = true;
    private volatile Runnable dirty = () -> {};

    private @Nullable Routing routing;
    private State xtables = State.NOTHING;
    private Listing table = Listing.NOTHING;
    private ForeignRuleset foreign = ForeignRuleset.NONE;
    private ForeignRuleset legacy = ForeignRuleset.NONE;
    private int foreignGeneration = -1;
    private boolean foreignStale = true;
    private SortedSet<Integer> markedFlows = Sorted.set();
    private @Nullable List<NodeProblem> problems;
    private Optional<NodeProblem> fullness = Optional.empty();
    private boolean fullnessStale = true;

    private KernelNode(Settings settings) {
        marks = settings.marks();
        looksAtXtables = settings.podAnnotations() != null;
        usesXtables = settings.usesIptables();
        routingConversation = new Conversation(KernelNode::routingChannel);
        netfilterConversation = new Conversation(() -> Channel.of(NetlinkSocket.open(NetlinkSocket.NETLINK_NETFILTER)));
        socketConversation = new Conversation(() -> Channel.of(NetlinkSocket.open(NetlinkSocket.NETLINK_SOCK_DIAG)));
        library = Library.open();
        ruleset = library.nftables()
                .map(nftables -> new Ruleset(nftables, netfilterConversation))
                .orElse(null);
        conntrack = new ConntrackTable(netfilterConversation);
        boundSockets = new BoundSockets(socketConversation);
        shortcomings = new Shortcomings(routingConversation, netfilterConversation);
        routingWatch = new RoutingWatch(marks, routingConversation::portId, this::routingChanged);
    }

    private static Channel routingChannel() {
        NetlinkSocket socket = NetlinkSocket.open(NetlinkSocket.NETLINK_ROUTE);
        socket.filterDumps();
        return Channel.of(socket);
    }

    /**
     * Opens the sockets.
     *
     * @throws NodeException if the kernel has not even netlink
     */
    public static KernelNode open(Settings settings) {
        return refusals(() -> new KernelNode(settings));
    }

    /** Without the permission to change anything there is nothing to watch for: every reading is a new one. */
    @Override
    public void start(Runnable dirty) {
        this.dirty = dirty;
        refusals(() -> {
            if (!may()) {
                return watches;
            }
            watch("rtnetlink-watch", NetlinkSocket.NETLINK_ROUTE, RoutingWatch.GROUPS);
            watch("nftables-watch", NetlinkSocket.NETLINK_NETFILTER, NFNLGRP_NFTABLES);
            return watches;
        });
        watches.forEach(Watch::start);
    }

    private void watch(String name, int protocol, int... groups) {
        Channel channel = Channel.of(NetlinkSocket.open(protocol, groups));
        watches.add(
                protocol == NetlinkSocket.NETLINK_ROUTE
                        ? new Watch(name, channel, routingWatch::take, this::routingChanged)
                        : new Watch(name, channel, this::nftablesChanged, this::nftablesLost));
    }

    private void routingChanged() {
        routingStale.set(true);
        dirty.run();
    }

    private void nftablesChanged(Message message) {
        tableWatch.take(message);
        if (usesXtables) {
            xtablesWatch.take(message);
        }
    }

    private void nftablesLost() {
        tableWatch.forget();
        xtablesStale.set(true);
        tableChanged();
    }

    private void xtablesChanged() {
        xtablesStale.set(true);
        dirty.run();
    }

    private void tableChanged() {
        tableStale.set(true);
        dirty.run();
    }

    private boolean watching() {
        return !watches.isEmpty() && watches.stream().allMatch(Watch::isAwake);
    }

    @Override
    public Observation observe() {
        return refusals(() -> {
            if (!watching()) {
                routingStale.set(true);
                tableStale.set(true);
                xtablesStale.set(true);
                marksStale = true;
            }
            Routing now = routing();
            State tables = xtables();
            List<Listener> listeners = boundSockets.read(now.devices());
            List<NodeProblem> found = new ArrayList<>(problems());
            found.addAll(Xtables.foreign(tables, listeners.stream().anyMatch(KernelNode::isForeign)));
            fullness().ifPresent(found::add);
            found.addAll(Xtables.left(tables));
            NodeFacts facts = new NodeFacts(
                    now.interfaces(),
                    now.interfaceRoutes(),
                    listeners,
                    MarkIndices.NONE,
                    Sorted.set(),
                    sysctls.read(),
                    found);
            return new Observation(facts, table(), foreign(), now.preceding(), now.ours(), tables, markedFlows());
        });
    }

    /** The older pod NAT controller listens on all addresses at this port, we never do. */
    private static boolean isForeign(Listener listener) {
        return listener.takes(Protocol.TCP, IpAddress.unspecified(IpFamily.IPV4), 8484);
    }

    private State xtables() {
        xtables = ifStale(
                xtablesStale,
                xtables,
                () -> may() && (looksAtXtables || xtablesHaveOurs()) ? Xtables.read(usesXtables) : State.NOTHING);
        return xtables;
    }

    /** What is known, or what is read instead if that may be another by now. What could not be read stays stale. */
    private static <T> T ifStale(AtomicBoolean stale, @Nullable T known, Supplier<T> read) {
        boolean fresh = !stale.getAndSet(false);
        if (fresh && known != null) {
            return known;
        }
        try {
            return read.get();
        } catch (RuntimeException e) {
            stale.set(true);
            throw e;
        }
    }

    /** An agent without annotations looks no further than this, since the programs of iptables take their time. */
    private boolean xtablesHaveOurs() {
        return Xtables.legacyHoldsOurs()
                || foreign().chains().stream().anyMatch(chain -> chain.name().startsWith(SaveListing.OURS));
    }

    private List<NodeProblem> problems() {
        List<NodeProblem> known = problems;
        if (known == null) {
            known = shortcomings.find(library.nftables(), library.reason());
            problems = known;
        }
        return known;
    }

    /** Looked at no oftener than {@link #distrust} asks: what comes and goes between two passes is no news. */
    private Optional<NodeProblem> fullness() {
        if (fullnessStale) {
            fullness = connectionLimit.problem();
            fullnessStale = false;
        }
        return fullness;
    }

    private boolean may() {
        return problems().stream().noneMatch(problem -> problem.reason() == NodeReason.PermissionMissing);
    }

    private Routing routing() {
        Routing now = ifStale(routingStale, routing, () -> {
            Routing read = Routing.read(routingConversation);
            routingWatch.linkIs(read.ourLink().map(Link::index).orElse(0));
            return read;
        });
        routing = now;
        return now;
    }

    private Listing table() {
        if (ruleset == null || !may()) {
            return Listing.NOTHING;
        }
        Listing known = table;
        table = ifStale(tableStale, known, () -> {
            Listing listed = ruleset.list();
            // Where nothing is other than was thought, the very same maps save comparing them.
            return listed.equals(known) ? known : listed;
        });
        return table;
    }

    /** Read no oftener than {@link #distrust} asks, since kube-proxy changes its tables all day, and only if anything changed. */
    private ForeignRuleset foreign() {
        if (ruleset == null || !may()) {
            return ForeignRuleset.NONE;
        }
        if (foreignStale) {
            int generation = ruleset.generation();
            if (generation != foreignGeneration) {
                foreign = ruleset.foreign();
                foreignGeneration = generation;
            }
            // Changes of these have no number.
            legacy = Xtables.legacy();
            foreignStale = false;
        }
        return legacy.equals(ForeignRuleset.NONE) ? foreign : foreign.with(legacy);
    }

    private SortedSet<Integer> markedFlows() {
        if (marksStale && may()) {
            markedFlows = conntrack.marks(marks);
            marksStale = false;
        }
        return markedFlows;
    }

    @Override
    public void distrust() {
        routingStale.set(true);
        tableStale.set(true);
        xtablesStale.set(true);
        fullnessStale = true;
        foreignStale = true;
        marksStale = true;
        // A module may have been loaded since; what was there does not go.
        if (problems != null && !problems.isEmpty()) {
            problems = null;
        }
    }

    @Override
    public void send(List<Request> requests) {
        RoutingChanges changes = new RoutingChanges(routingConversation);
        // Whatever becomes of them, what is there afterwards is the kernel's word.
        routingStale.set(true);
        List<Refusal> refused = new ArrayList<>();
        for (Request request : requests) {
            try {
                changes.make(request).ifPresent(refused::add);
            } catch (NativeException | NodeException e) {
                refused.add(new Refusal(request, isForbidden(e), request + ": " + e.getMessage()));
            }
        }
        if (!refused.isEmpty()) {
            throw new NodeException(refused);
        }
    }

    @Override
    public void run(String script, Listing after) {
        Ruleset rules = ruleset;
        if (rules == null) {
            throw new NodeException(library.reason());
        }
        tableWatch.begin();
        OptionalInt made = OptionalInt.empty();
        try {
            Ruleset.Commit commit = refusals(() -> rules.run(script));
            made = commit.made();
            table = after;
            if (!commit.alone()) {
                tableChanged();
            }
        } catch (NodeException e) {
            // Either what was kept is wrong, or the kernel lacks something: look before the next try.
            tableStale.set(true);
            throw e;
        } finally {
            tableWatch.end(made);
        }
    }

    @Override
    public void restore(List<Restore> restores) {
        xtablesStale.set(true);
        restores.forEach(Xtables::restore);
    }

    @Override
    public FoundFlows flows(Predicate<Flow> wanted, int most) {
        return refusals(() -> conntrack.flows(wanted, most));
    }

    @Override
    public void forget(List<Flow> flows) {
        marksStale = true;
        conntrack.delete(flows);
    }

    private static boolean isForbidden(RuntimeException e) {
        return e instanceof NativeException refusal && refusal.errno() == Errno.EPERM;
    }

    /** Turns the refusals of the rooms below into the one that this room's callers know. */
    private static <T> T refusals(Supplier<T> work) {
        try {
            return work.get();
        } catch (NativeException | NftablesException | ListingException e) {
            throw new NodeException(String.valueOf(e.getMessage()), isForbidden(e), e);
        }
    }

    @Override
    public void close() {
        watches.forEach(Watch::close);
        if (ruleset != null) {
            ruleset.close();
        }
        routingConversation.close();
        netfilterConversation.close();
        socketConversation.close();
    }
}
