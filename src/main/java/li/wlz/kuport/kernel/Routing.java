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
import java.util.stream.Stream;
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
import li.wlz.kuport.netlink.Message;
import li.wlz.kuport.netlink.Neighbour;
import li.wlz.kuport.netlink.NeighbourMessages;
import li.wlz.kuport.netlink.PolicyRule;
import li.wlz.kuport.netlink.PrecedingRules;
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
 * @param preceding the rules of others that are asked before ours, or before table main
 */
record Routing(
        List<Link> links, List<Address> addresses, List<Route> routes, RoutingState ours, PrecedingRules preceding) {

    /** Reads everything; a change meanwhile is reported by the watch, after which it is read again. */
    static Routing read(Conversation conversation) {
        List<Link> links = conversation.dumpEach(LinkMessages.dump(), "devices", LinkMessages::decode);
        Devices devices = new Known(links);
        List<Address> addresses = conversation.dumpEach(
                AddressMessages.dump(), "addresses", message -> AddressMessages.decode(message, devices));
        List<Route> routes = new ArrayList<>();
        List<Route> ourRoutes = new ArrayList<>();
        List<Rule> rules = new ArrayList<>();
        List<PolicyRule> first = new ArrayList<>();
        List<PolicyRule> then = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            routes.addAll(routes(conversation, family, RouteMessages.dumpTable(family, Route.TABLE_MAIN), devices));
            routes.addAll(routes(conversation, family, RouteMessages.dumpTable(family, Route.TABLE_LOCAL), devices));
            ourRoutes.addAll(
                    routes(conversation, family, RouteMessages.dumpProtocol(family, Ours.ROUTE_PROTOCOL), devices));
            List<Asked> asked = rules(conversation, family);
            asked.stream().filter(Asked::isOurs).flatMap(a -> a.byMark.stream()).forEach(rules::add);
            List<PolicyRule> preceding = beforeMain(asked);
            int ours = beforeOurs(asked);
            first.addAll(preceding.subList(0, ours));
            then.addAll(preceding.subList(ours, preceding.size()));
        }
        // A kernel that does not filter dumps has sent more than was asked for.
        routes.removeIf(route -> route.table() != Route.TABLE_MAIN && route.table() != Route.TABLE_LOCAL);
        ourRoutes.removeIf(route -> route.protocol() != Ours.ROUTE_PROTOCOL);
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
        return new Routing(
                links,
                addresses,
                routes,
                ours,
                new PrecedingRules(
                        first,
                        then,
                        targets(conversation, Stream.concat(first.stream(), then.stream()), routes, devices)));
    }

    /** Those of the tables that rules look up; table main has been read already. */
    private static List<Route> targets(
            Conversation conversation, Stream<PolicyRule> rules, List<Route> read, Devices devices) {
        List<Route> routes = new ArrayList<>();
        rules.filter(rule -> rule.action() == PolicyRule.Action.LOOKUP)
                .map(rule -> new Lookup(rule.family(), rule.target()))
                .distinct()
                .forEach(lookup -> (lookup.table == Route.TABLE_MAIN
                                ? read
                                : tableIfAny(conversation, lookup.family, lookup.table, devices))
                        .stream().filter(lookup::has).forEach(routes::add));
        return routes;
    }

    private record Lookup(IpFamily family, int table) {
        boolean has(Route route) {
            return route.table() == table && route.destination().family() == family;
        }
    }

    /** A table that nothing was ever put into is none (ENOENT). */
    private static List<Route> tableIfAny(Conversation conversation, IpFamily family, int table, Devices devices) {
        try {
            return routes(conversation, family, RouteMessages.dumpTable(family, table), devices);
        } catch (NativeException e) {
            if (e.errno() == Errno.ENOENT) {
                return List.of();
            }
            throw e;
        }
    }

    private static List<Route> routes(Conversation conversation, IpFamily family, byte[] request, Devices devices) {
        return conversation.dump(request, "routes", message -> RouteMessages.decode(message, devices)).stream()
                // Asked for a family that it lacks, the kernel sends those of all others.
                .filter(route -> route.destination().family() == family)
                .toList();
    }

    /** A rule as ours are, which pick a table by mark, and as any may be. */
    private record Asked(Optional<Rule> byMark, Optional<PolicyRule> policy) {
        static Optional<Asked> of(Message message) {
            return Optional.of(new Asked(RuleMessages.decode(message), RuleMessages.decodePolicy(message)));
        }

        boolean isOurs() {
            return byMark.filter(rule -> rule.protocol() == Ours.ROUTE_PROTOCOL).isPresent();
        }
    }

    /** In the order in which the kernel asks them. */
    private static List<Asked> rules(Conversation conversation, IpFamily family) {
        try {
            return conversation.dumpEach(RuleMessages.dump(family), "rules", Asked::of);
        } catch (NativeException e) {
            if (e.errno() == Errno.EAFNOSUPPORT) {
                return List.of();
            }
            throw e;
        }
    }

    /** Those of others that the kernel asks before the one that leads to table main. */
    private static List<PolicyRule> beforeMain(List<Asked> asked) {
        return foreign(asked.stream()).takeWhile(rule -> !rule.isMain()).toList();
    }

    /** How many of those come before ours; where ours are not there yet, they will come behind all of their priority. */
    private static int beforeOurs(List<Asked> asked) {
        int last = asked.size() - 1;
        while (last >= 0 && !asked.get(last).isOurs()) {
            last--;
        }
        List<Asked> before = last < 0 ? asked : asked.subList(0, last);
        return (int) foreign(before.stream())
                .takeWhile(rule -> Integer.compareUnsigned(rule.priority(), Ours.RULE_PRIORITY) <= 0)
                .takeWhile(rule -> !rule.isMain())
                .count();
    }

    private static Stream<PolicyRule> foreign(Stream<Asked> asked) {
        return asked.filter(a -> !a.isOurs())
                .flatMap(a -> a.policy.stream())
                .filter(rule -> rule.action() != PolicyRule.Action.LOOKUP || rule.target() != Route.TABLE_LOCAL);
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
