package li.wlz.kuport.datapath;

import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.InterfaceRoute;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodePlan.Link;
import li.wlz.kuport.model.NodePlan.Peer;
import li.wlz.kuport.model.NodePlan.Uplink;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.netlink.Address;
import li.wlz.kuport.netlink.ForwardingEntry;
import li.wlz.kuport.netlink.Neighbour;
import li.wlz.kuport.netlink.Route;
import li.wlz.kuport.netlink.Rule;
import org.jspecify.annotations.Nullable;

/**
 * The link device, addresses, neighbours, routes and rules as they should be.
 *
 * @param link the device; null where there should be none
 * @param addresses of the device
 * @param neighbours on the device: each next hop and link address has its peer's MAC, so that nothing is ever asked
 * @param forwarding where outer packets go, by the peer's MAC
 * @param routes to link addresses, and the tables that replies are routed by
 * @param rules that lead to those tables by the packet's mark
 */
public record Routing(
        @Nullable Link link,
        SortedSet<Address> addresses,
        SortedSet<Neighbour> neighbours,
        SortedSet<ForwardingEntry> forwarding,
        SortedSet<Route> routes,
        SortedSet<Rule> rules) {

    /** What a node without kuport has. */
    static final Routing NOTHING =
            new Routing(null, Sorted.set(), Sorted.set(), Sorted.set(), Sorted.set(), Sorted.set());

    /** RT_SCOPE_LINK: the kernel never picks such an address as the source of what leaves by another device. */
    private static final int LINK_SCOPE = 253;

    /** What the kernel makes of an IPv6 route without a metric (IP6_RT_PRIO_USER); said, so that it reads back as it was written. */
    private static final int METRIC6 = 1024;

    /** The metric of routes of type unreachable: behind every route that a person would make. */
    private static final int LAST_METRIC = 0xff002000;

    public Routing {
        addresses = Sorted.copyOf(addresses);
        neighbours = Sorted.copyOf(neighbours);
        forwarding = Sorted.copyOf(forwarding);
        routes = Sorted.copyOf(routes);
        rules = Sorted.copyOf(rules);
    }

    /** What a plan wants of rtnetlink. */
    static Routing of(Settings settings, NodePlan plan) {
        Builder builder = new Builder(settings, plan);
        Link link = plan.link();
        if (link != null) {
            builder.device(link);
            plan.peers().values().forEach(peer -> builder.peer(link, peer));
        }
        plan.uplinks().values().forEach(builder::uplink);
        return builder.build();
    }

    /** Gathers the parts; sorts them at the end. */
    private static final class Builder {
        private final Settings settings;
        private final NodePlan plan;
        private final SortedSet<Address> addresses = new TreeSet<>();
        private final SortedSet<Neighbour> neighbours = new TreeSet<>();
        private final SortedSet<ForwardingEntry> forwarding = new TreeSet<>();
        private final SortedSet<Rule> rules = new TreeSet<>();

        /** By what the kernel tells routes apart by, since a second of the same key would replace the first. */
        private final Map<RouteKey, Route> routes = new TreeMap<>();

        Builder(Settings settings, NodePlan plan) {
            this.settings = settings;
            this.plan = plan;
        }

        Routing build() {
            return new Routing(plan.link(), addresses, neighbours, forwarding, new TreeSet<>(routes.values()), rules);
        }

        void device(Link link) {
            addresses.add(new Address(Ours.LINK_DEVICE, link.address4(), 32, LINK_SCOPE, Address.PERMANENT));
            if (link.address6() != null) {
                int flags = Address.PERMANENT | Address.NODAD;
                addresses.add(new Address(Ours.LINK_DEVICE, link.address6(), 128, 0, flags));
            }
        }

        void peer(Link link, Peer peer) {
            forwarding.add(new ForwardingEntry(Ours.LINK_DEVICE, peer.mac(), peer.underlay()));
            // A thinner mesh between the two: what is larger is answered with "fragmentation needed".
            int lockedMtu = peer.mtu() < link.mtu() ? peer.mtu() : 0;
            Stream.concat(peer.linkAddresses().stream(), Stream.of(peer.gateway4(), peer.gateway6()))
                    .filter(address -> hasFamily(link, address.family()))
                    .forEach(a -> neighbours.add(new Neighbour(Ours.LINK_DEVICE, a, peer.mac())));
            for (IpAddress address : peer.linkAddresses()) {
                if (hasFamily(link, address.family())) {
                    route(toPeer(Route.TABLE_MAIN, host(address), null, lockedMtu));
                    // It outlives the device: nobody's default route gets what is meant for the link.
                    route(decision(Route.TABLE_MAIN, Route.Type.UNREACHABLE, host(address), LAST_METRIC));
                }
            }
            Integer index = peer.index();
            if (index != null) {
                for (IpFamily family : IpFamily.values()) {
                    if (hasFamily(link, family)) {
                        int table = settings.marks().table(index);
                        returnTable(family, index);
                        route(toPeer(table, everything(family), peer.gateway(family), lockedMtu));
                    }
                }
            }
        }

        private static boolean hasFamily(Link link, IpFamily family) {
            return family == IpFamily.IPV4 || link.address6() != null;
        }

        private static Route toPeer(int table, Cidr destination, @Nullable IpAddress gateway, int lockedMtu) {
            return new Route(
                    table,
                    Route.Type.UNICAST,
                    destination,
                    Ours.LINK_DEVICE,
                    gateway,
                    gateway != null,
                    metric(destination.family()),
                    Ours.ROUTE_PROTOCOL,
                    lockedMtu,
                    null);
        }

        void uplink(Uplink uplink) {
            int table = settings.marks().table(uplink.index());
            uplink.routes().stream()
                    .map(r -> r.destination().family())
                    .distinct()
                    .forEach(family -> {
                        returnTable(family, uplink.index());
                        // A reply from a pod elsewhere comes in with a link address as source, and is looked up here
                        // where the
                        // kernel checks sources by mark (src_valid_mark).
                        if (plan.link() != null) {
                            route(decision(table, Route.Type.THROW, settings.linkRange(family), metric(family)));
                        }
                    });
            uplink.routes().forEach(r -> route(copy(table, r)));
        }

        private static Route copy(int table, InterfaceRoute route) {
            return new Route(
                    table,
                    Route.Type.UNICAST,
                    route.destination(),
                    route.device(),
                    route.gateway(),
                    route.onlink(),
                    route.metric(),
                    Ours.ROUTE_PROTOCOL,
                    0,
                    route.source());
        }

        /** What every return table has: the rule that leads to it, an end, and a way past it for what pods send. */
        private void returnTable(IpFamily family, int index) {
            int mark = settings.marks().mark(index);
            int table = settings.marks().table(index);
            rules.add(
                    new Rule(family, Ours.RULE_PRIORITY, mark, settings.marks().mask(), table, Ours.ROUTE_PROTOCOL));
            route(decision(table, Route.Type.UNREACHABLE, everything(family), LAST_METRIC));
            // Strict rp_filter looks the pod up by mark, where src_valid_mark is on, and must find it behind its own
            // device.
            for (IpAddress pod : plan.pods()) {
                if (pod.family() == family) {
                    route(decision(table, Route.Type.THROW, host(pod), metric(family)));
                }
            }
        }

        private static Route decision(int table, Route.Type type, Cidr destination, int metric) {
            return new Route(table, type, destination, null, null, false, metric, Ours.ROUTE_PROTOCOL, 0, null);
        }

        private void route(Route route) {
            routes.putIfAbsent(RouteKey.of(route), route);
        }

        private static int metric(IpFamily family) {
            return family == IpFamily.IPV4 ? 0 : METRIC6;
        }

        private static Cidr host(IpAddress address) {
            return new Cidr(address, address.family().bits());
        }

        private static Cidr everything(IpFamily family) {
            return new Cidr(IpAddress.unspecified(family), 0);
        }
    }
}
