package li.wlz.kuport.datapath;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.SortedDifference;
import li.wlz.kuport.netlink.Link;
import li.wlz.kuport.netlink.Neighbour;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.netlink.Route;
import li.wlz.kuport.netlink.RoutingState;
import org.jspecify.annotations.Nullable;

/** The requests between what rtnetlink has and what it should have. */
final class RoutingDifference {
    /** rp_filter in loose mode: the source must be reachable, by whatever device (Documentation/networking/ip-sysctl). */
    private static final int LOOSE = 2;

    /** The least MTU with which the kernel lets a device have IPv6 (RFC 8200). */
    private static final int IPV6_MINIMUM_MTU = 1280;

    private final Routing wanted;
    private final RoutingState present;
    private final List<Request> before = new ArrayList<>();
    private final List<Request> after = new ArrayList<>();

    private RoutingDifference(Routing wanted, RoutingState present) {
        this.wanted = wanted;
        this.present = present;
    }

    /**
     * What to ask for.
     *
     * @param before what must be there when new rules come into force, in order
     * @param after what may go once they are
     */
    record Requests(List<Request> before, List<Request> after) {
        Requests {
            before = List.copyOf(before);
            after = List.copyOf(after);
        }
    }

    static Requests of(Routing wanted, RoutingState present, int port) {
        // With a device of somebody else's in the way nothing of the link is asked for.
        boolean obstructed = LinkObstacle.find(present, port).isPresent();
        RoutingDifference difference =
                new RoutingDifference(obstructed ? withoutLink(wanted) : wanted, normalised(present));
        difference.compare();
        return new Requests(difference.before, difference.after);
    }

    private static Routing withoutLink(Routing wanted) {
        return new Routing(
                null,
                Sorted.set(),
                Sorted.set(),
                Sorted.set(),
                wanted.routes().stream()
                        .filter(r -> !Ours.LINK_DEVICE.equals(r.device()))
                        .collect(Collectors.toCollection(TreeSet::new)),
                wanted.rules());
    }

    /** The kernel lists IPv6 routes that lead nowhere with the device {@code lo}. */
    private static RoutingState normalised(RoutingState present) {
        SortedSet<Route> routes = present.routes().stream()
                .map(r -> r.type() == Route.Type.UNREACHABLE || r.type() == Route.Type.THROW ? withoutDevice(r) : r)
                .collect(Collectors.toCollection(TreeSet::new));
        return new RoutingState(
                present.links(),
                present.addresses(),
                present.neighbours(),
                present.forwarding(),
                routes,
                present.rules());
    }

    private static Route withoutDevice(Route r) {
        return r.device() == null
                ? r
                : new Route(
                        r.table(),
                        r.type(),
                        r.destination(),
                        null,
                        r.gateway(),
                        r.onlink(),
                        r.metric(),
                        r.protocol(),
                        r.lockedMtu(),
                        r.source());
    }

    private void compare() {
        RoutingState kept = device() ? present : withoutDevice(present);
        addresses(kept);
        forwarding(kept);
        neighbours(kept);
        routes(kept);
        rules(kept);
        Link ours = ours();
        if (wanted.link() == null && ours != null) {
            after.add(new Request.DeleteLink(ours.name()));
        }
    }

    private @Nullable Link ours() {
        return present.link(Ours.LINK_DEVICE)
                .filter(l -> l.alias().equals(Ours.LINK_ALIAS))
                .orElse(null);
    }

    /** Makes or mends the device; answers whether what lay on it is still there. */
    private boolean device() {
        NodePlan.Link link = wanted.link();
        Link ours = ours();
        if (link == null) {
            return true;
        }
        if (ours != null && isSameDevice(link, ours)) {
            mend(link, ours);
            return true;
        }
        if (ours != null) {
            before.add(new Request.DeleteLink(ours.name()));
        }
        before.add(new Request.CreateVxlan(
                Ours.LINK_DEVICE,
                Ours.LINK_ALIAS,
                Ours.LINK_GROUP,
                link.mac(),
                link.mtu(),
                link.vni(),
                link.port(),
                link.underlay()));
        before.add(new Request.SetRpFilter(Ours.LINK_DEVICE, LOOSE));
        before.add(new Request.SetUp(Ours.LINK_DEVICE));
        return false;
    }

    /**
     * Whether the device differs at most in what can be changed in place. One that was too short for IPv6 would get it back as the
     * kernel gives it to any device, with an address of the kernel's own.
     */
    private static boolean isSameDevice(NodePlan.Link link, Link ours) {
        Link.Vxlan vxlan = ours.vxlan();
        return vxlan != null
                && vxlan.vni() == link.vni()
                && vxlan.port() == link.port()
                && !vxlan.learning()
                && link.mac().equals(ours.mac())
                && ours.group() == Ours.LINK_GROUP
                && (vxlan.local() == null
                        || vxlan.local().family() == link.underlay().family())
                && (ours.mtu() >= IPV6_MINIMUM_MTU || link.mtu() < IPV6_MINIMUM_MTU);
    }

    private void mend(NodePlan.Link link, Link ours) {
        if (ours.vxlan() != null && !link.underlay().equals(ours.vxlan().local())) {
            before.add(new Request.SetVxlanLocal(ours.name(), link.underlay()));
        }
        if (ours.mtu() != link.mtu()) {
            before.add(new Request.SetMtu(ours.name(), link.mtu()));
        }
        if (ours.rpFilter() != LOOSE) {
            before.add(new Request.SetRpFilter(ours.name(), LOOSE));
        }
        if (!ours.up()) {
            before.add(new Request.SetUp(ours.name()));
        }
    }

    /** What is left when the device goes: its neighbours, addresses and routes go with it. */
    private static RoutingState withoutDevice(RoutingState present) {
        return new RoutingState(
                present.links(),
                Sorted.set(),
                Sorted.set(),
                Sorted.set(),
                present.routes().stream()
                        .filter(r -> !Ours.LINK_DEVICE.equals(r.device()))
                        .collect(Collectors.toCollection(TreeSet::new)),
                present.rules());
    }

    private void addresses(RoutingState kept) {
        var difference = SortedDifference.of(wanted.addresses(), kept.addresses());
        difference.missing().forEach(a -> before.add(new Request.AddAddress(a)));
        difference.surplus().forEach(a -> after.add(new Request.DeleteAddress(a)));
    }

    private void forwarding(RoutingState kept) {
        var difference = SortedDifference.of(wanted.forwarding(), kept.forwarding());
        difference.missing().forEach(e -> before.add(new Request.AddForwardingEntry(e)));
        difference.surplus().forEach(e -> after.add(new Request.DeleteForwardingEntry(e)));
    }

    private void neighbours(RoutingState kept) {
        var difference = SortedDifference.of(wanted.neighbours(), kept.neighbours());
        Set<?> replaced = difference.missing().stream().map(Neighbour::address).collect(Collectors.toSet());
        difference.missing().forEach(n -> before.add(new Request.AddNeighbour(n)));
        difference.surplus().stream()
                .filter(n -> !replaced.contains(n.address()))
                .forEach(n -> after.add(new Request.DeleteNeighbour(n)));
    }

    private void routes(RoutingState kept) {
        var difference = SortedDifference.of(wanted.routes(), kept.routes());
        Set<RouteKey> replaced = difference.missing().stream().map(RouteKey::of).collect(Collectors.toSet());
        difference.missing().forEach(r -> before.add(new Request.AddRoute(r)));
        difference.surplus().stream()
                .filter(r -> !replaced.contains(RouteKey.of(r)))
                .forEach(r -> after.add(new Request.DeleteRoute(r)));
    }

    private void rules(RoutingState kept) {
        var difference = SortedDifference.of(wanted.rules(), kept.rules());
        // Rules last: a table is full when the first packet is led to it. They also go first.
        difference.missing().forEach(r -> before.add(new Request.AddRule(r)));
        difference.surplus().forEach(r -> after.addFirst(new Request.DeleteRule(r)));
    }
}
