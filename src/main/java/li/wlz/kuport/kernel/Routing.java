package li.wlz.kuport.kernel;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import li.wlz.kuport.ffm.Errno;
import li.wlz.kuport.ffm.NativeException;
import li.wlz.kuport.model.InterfaceAddress;
import li.wlz.kuport.model.InterfaceRoute;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NetworkInterface;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.netlink.Address;
import li.wlz.kuport.netlink.AddressMessages;
import li.wlz.kuport.netlink.Devices;
import li.wlz.kuport.netlink.ForwardingEntry;
import li.wlz.kuport.netlink.Link;
import li.wlz.kuport.netlink.LinkMessages;
import li.wlz.kuport.netlink.Neighbour;
import li.wlz.kuport.netlink.NeighbourMessages;
import li.wlz.kuport.netlink.Route;
import li.wlz.kuport.netlink.RouteMessages;
import li.wlz.kuport.netlink.RoutingState;
import li.wlz.kuport.netlink.Rule;
import li.wlz.kuport.netlink.RuleMessages;
import org.jspecify.annotations.Nullable;

/**
 * What rtnetlink told at one time.
 *
 * @param links every device, in the order of their indexes
 * @param addresses every address, in the kernel's order
 * @param routes those of tables main and local
 * @param ours what is ours
 */
record Routing(List<Link> links, List<Address> addresses, List<Route> routes, RoutingState ours) {

    /** Reads everything; a change meanwhile is reported by the watch, after which it is read again. */
    static Routing read(Conversation conversation) {
        List<Link> links = conversation.dumpEach(LinkMessages.dump(), "devices", LinkMessages::decode);
        Devices devices = new Known(links);
        List<Address> addresses = conversation.dumpEach(
                AddressMessages.dump(), "addresses", message -> AddressMessages.decode(message, devices));
        List<Route> routes = new ArrayList<>();
        List<Route> ourRoutes = new ArrayList<>();
        List<Rule> rules = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            routes.addAll(routes(conversation, family, RouteMessages.dumpTable(family, Route.TABLE_MAIN), devices));
            routes.addAll(routes(conversation, family, RouteMessages.dumpTable(family, Route.TABLE_LOCAL), devices));
            ourRoutes.addAll(
                    routes(conversation, family, RouteMessages.dumpProtocol(family, Ours.ROUTE_PROTOCOL), devices));
            rules.addAll(rules(conversation, family));
        }
        // A kernel that does not filter dumps has sent more than was asked for.
        routes.removeIf(route -> route.table() != Route.TABLE_MAIN && route.table() != Route.TABLE_LOCAL);
        ourRoutes.removeIf(route -> route.protocol() != Ours.ROUTE_PROTOCOL);
        rules.removeIf(rule -> rule.protocol() != Ours.ROUTE_PROTOCOL);
        @Nullable Link link = ourLink(links).orElse(null);
        RoutingState ours = new RoutingState(
                links,
                sorted(addresses.stream()
                        .filter(a -> link != null && a.device().equals(link.name()))
                        .toList()),
                sorted(link == null ? List.of() : neighbours(conversation, link, devices)),
                sorted(link == null ? List.of() : forwarding(conversation, link, devices)),
                sorted(ourRoutes),
                sorted(rules));
        return new Routing(links, addresses, routes, ours);
    }

    private static List<Route> routes(Conversation conversation, IpFamily family, byte[] request, Devices devices) {
        return conversation.dump(request, "routes", message -> RouteMessages.decode(message, devices)).stream()
                // Asked for a family that it lacks, the kernel sends those of all others.
                .filter(route -> route.destination().family() == family)
                .toList();
    }

    private static List<Rule> rules(Conversation conversation, IpFamily family) {
        try {
            return conversation.dumpEach(RuleMessages.dump(family), "rules", RuleMessages::decode);
        } catch (NativeException e) {
            if (e.errno() == Errno.EAFNOSUPPORT) {
                return List.of();
            }
            throw e;
        }
    }

    private static List<Neighbour> neighbours(Conversation conversation, Link link, Devices devices) {
        return conversation
                .dumpEach(
                        NeighbourMessages.dumpNeighbours(link.index()),
                        "neighbours",
                        message -> NeighbourMessages.decodeNeighbour(message, devices))
                .stream()
                .filter(neighbour -> neighbour.device().equals(link.name()))
                .toList();
    }

    private static List<ForwardingEntry> forwarding(Conversation conversation, Link link, Devices devices) {
        return conversation
                .dumpEach(
                        NeighbourMessages.dumpForwarding(link.index()),
                        "the forwarding database",
                        message -> NeighbourMessages.decodeForwarding(message, devices))
                .stream()
                .filter(entry -> entry.device().equals(link.name()))
                .toList();
    }

    private static <T extends Comparable<T>> SortedSet<T> sorted(List<T> values) {
        return new TreeSet<>(values);
    }

    /** Our link device; a device of its name without our alias is somebody else's. */
    Optional<Link> ourLink() {
        return ourLink(links);
    }

    private static Optional<Link> ourLink(List<Link> links) {
        return links.stream()
                .filter(link ->
                        link.name().equals(Ours.LINK_DEVICE) && link.alias().equals(Ours.LINK_ALIAS))
                .findFirst();
    }

    /** The devices with their addresses, by name. */
    List<NetworkInterface> interfaces() {
        Map<String, List<InterfaceAddress>> held = new HashMap<>();
        for (Address address : addresses) {
            held.computeIfAbsent(address.device(), device -> new ArrayList<>()).add(held(address));
        }
        return links.stream()
                .map(link -> new NetworkInterface(
                        link.name(),
                        link.index(),
                        link.mtu(),
                        link.up(),
                        link.loopback(),
                        Math.max(link.rpFilter(), 0),
                        held.getOrDefault(link.name(), List.of())))
                .sorted(Comparator.comparing(NetworkInterface::name))
                .toList();
    }

    private static InterfaceAddress held(Address address) {
        int flags = address.flags();
        // The bit means something else, "secondary", on an IPv4 address.
        boolean temporary = address.address().family() == IpFamily.IPV6 && (flags & Address.TEMPORARY) != 0;
        return new InterfaceAddress(
                address.address(),
                address.prefixLength(),
                temporary,
                (flags & Address.DEPRECATED) != 0,
                (flags & (Address.TENTATIVE | Address.DADFAILED)) != 0,
                (flags & Address.PERMANENT) == 0);
    }

    /** The routes of table main by which packets leave, and the blocks that a {@code local} route gives to a loopback device. */
    List<InterfaceRoute> interfaceRoutes() {
        Set<String> loopbacks =
                links.stream().filter(Link::loopback).map(Link::name).collect(Collectors.toSet());
        SortedSet<InterfaceRoute> told = new TreeSet<>();
        for (Route route : routes) {
            String device = route.device();
            boolean leaves = route.table() == Route.TABLE_MAIN && route.type() == Route.Type.UNICAST;
            boolean local = route.type() == Route.Type.LOCAL
                    && loopbacks.contains(String.valueOf(device))
                    && !route.destination().network().isLoopback();
            if (device != null && (leaves || local)) {
                told.add(new InterfaceRoute(
                        device, route.destination(), route.gateway(), route.onlink(), route.metric(), route.source()));
            }
        }
        return List.copyOf(told);
    }

    /** The devices by name and index. */
    Devices devices() {
        return new Known(links);
    }

    private static final class Known implements Devices {
        private final Map<String, Integer> indexes = new HashMap<>();
        private final Map<Integer, String> names = new HashMap<>();

        Known(List<Link> links) {
            for (Link link : links) {
                indexes.put(link.name(), link.index());
                names.put(link.index(), link.name());
            }
        }

        @Override
        public OptionalInt index(String name) {
            Integer index = indexes.get(name);
            return index == null ? OptionalInt.empty() : OptionalInt.of(index);
        }

        @Override
        public Optional<String> name(int index) {
            return Optional.ofNullable(names.get(index));
        }
    }
}
