package li.wlz.kuport.datapath;

import java.util.Locale;
import java.util.OptionalInt;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.nft.Hook;

/**
 * The names of our table's chains and sets, and where its base chains sort.
 *
 * <p>Chains and sets are private to the table: another release may rename them, and the table is then changed to fit.
 */
final class RulesetLayout {
    /** The family digit ends a name that exists for both: {@code accept4}, {@code accept-ranges6}. */
    static String name(String stem, IpFamily family) {
        return stem + family.digit();
    }

    /** Single ports are in hash maps, ranges in interval maps, since the latter are slow to change. */
    static String name(String stem, Dialled dialled) {
        return name(
                dialled.ports().isSingle() ? stem : stem + RANGES,
                dialled.address().family());
    }

    static final String RANGES = "-ranges";

    /** Map: the peer's MAC to the chain that writes its index into the connection's mark. */
    static final String PEER = "peer";

    /** Map: the interface that a client came in by to the same. */
    static final String UPLINK = "uplink";

    /** Map: the connection's mark to the chain that writes its index into the packet's mark. */
    static final String RETURN_ROUTE = "return-route";

    /** Set: the addresses of the link's outer packets, this node's own included. */
    static final String UNDERLAY = "underlay";

    /** Set: each pod's address twice, for packets of a pod to itself. */
    static final String PODS = "pods";

    /** Maps: what is dialled on this node, to what is done with it. */
    static final String ACCEPTED = "accepted";

    /** Maps: what is dialled on this node, to where it goes. */
    static final String ACCEPT = "accept";

    /** Maps: what peers send, to where it goes. */
    static final String DELIVER = "deliver";

    /** Maps: what clients of this node dial elsewhere, to what is done with it. */
    static final String OWNED = "owned";

    /** Maps: what clients of this node dial elsewhere, to where it goes. */
    static final String OWN = "own";

    /** Sets: a pod and a protocol whose connections leave with a mapped address. */
    static final String OPENERS = "openers";

    /** Maps: the same, to that address. */
    static final String EGRESS = "egress";

    /** Maps: the same, to the chain that has them leave by another uplink than the node's own routes say. */
    static final String WAYS = "ways";

    private static final String MARK_CHAIN = "mark-";
    private static final String ROUTE_CHAIN = "route-";

    /** After connection tracking (-200) has seen the dialled address, before firewalls in filter prerouting (Talos: -110). */
    static final Hook STEER_HOOK = Hook.accepting("filter", "prerouting", -120);

    /** Before any other nat chain (-100), wherever among filter chains: nat chains all run at -100. */
    static final Hook DELIVER_HOOK = Hook.accepting("nat", "prerouting", -119);

    /** After every translation of the destination, before routing. */
    static final Hook WAY_OUT_HOOK = Hook.accepting("filter", "prerouting", -90);

    /** As {@link #DELIVER_HOOK}, for this node's own clients. */
    static final Hook DELIVER_OUT_HOOK = Hook.accepting("nat", "output", -101);

    /** Before other firewalls' forward chains (0): what we refuse must not have been accepted by them. */
    static final Hook FORWARD_HOOK = Hook.accepting("filter", "forward", -10);

    static final Hook INPUT_HOOK = Hook.accepting("filter", "input", -10);

    /** After what others do to marks in mangle (-150), and of the type that has the packet routed anew. */
    static final Hook REPLY_OUT_HOOK = Hook.accepting("route", "output", -140);

    /** Before every masquerade (100). */
    static final Hook KEEP_SOURCE_HOOK = Hook.accepting("nat", "postrouting", 90);

    /** The last look at a packet: where it really leaves is known, and others have read its mark. */
    static final Hook LEAVE_HOOK = Hook.accepting("filter", "postrouting", 110);

    private RulesetLayout() {}

    /** The chain that writes an index into the connection's mark. */
    static String markChain(int index) {
        return MARK_CHAIN + hex(index);
    }

    /** The chain that writes an index into the packet's mark. */
    static String routeChain(int index) {
        return ROUTE_CHAIN + hex(index);
    }

    private static String hex(int index) {
        return String.format(Locale.ROOT, "%02x", index);
    }

    /** The index whose {@link #markChain} a verdict leads to; empty for other verdicts. */
    static OptionalInt markedIndex(String verdict) {
        String start = "goto " + MARK_CHAIN;
        if (!verdict.startsWith(start) || !verdict.substring(start.length()).matches("[0-9a-f]{2}")) {
            return OptionalInt.empty();
        }
        int index = Integer.parseInt(verdict.substring(start.length()), 16);
        return index == 0 || index == MarkSpace.NO_WAY_BACK ? OptionalInt.empty() : OptionalInt.of(index);
    }
}
