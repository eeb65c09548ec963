package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * Settles which mapping has a port that several ask for: the older one, then the one whose namespace and name sort first.
 *
 * <p>Two mappings overlap where node, entry point, protocol and a port are the same, over all accepting nodes of their classes. An
 * interface and a listed address are the same entry point unless that node's report shows the address on another interface.
 */
final class Conflicts {
    private final Placement placement;

    private record Place(String node, Protocol protocol, EntryPoint entryPoint) {}

    /** Mappings that are dialled in the same places. */
    private record Kind(Scope scope, Protocol protocol, List<Place> places) {}

    /** Which kinds enter a place, and which must look there: places that agree in both can share one ledger. */
    private record Use(Set<Integer> enteredBy, Set<Integer> readBy) {}

    /**
     * What a kind of mapping writes and reads.
     *
     * @param own the ledgers of its entry points
     * @param read those, and the ledgers of entry points that may be the same
     */
    private record Desk(List<Ledger> own, List<Ledger> read) {}

    /** Who has which ports of one entry point. What is held never overlaps. */
    private static final class Ledger {
        private final NavigableMap<Integer, PortRequest> byFirstPort = new TreeMap<>();

        @Nullable
        PortRequest holder(PortRange ports) {
            Map.Entry<Integer, PortRequest> before = byFirstPort.floorEntry(ports.last());
            return before != null && before.getValue().ports().last() >= ports.first() ? before.getValue() : null;
        }

        void enter(PortRequest request) {
            byFirstPort.put(request.ports().first(), request);
        }
    }

    Conflicts(Placement placement) {
        this.placement = placement;
    }

    /** The mappings that lose, each with the one that it loses to. */
    Map<ObjectKey, PortRequest> losers(List<Judged> oldestFirst) {
        IdentityHashMap<Scope, Map<Protocol, Desk>> desks = desks(kinds(oldestFirst));
        Map<ObjectKey, PortRequest> losers = new HashMap<>();
        for (Judged claim : oldestFirst) {
            Desk desk = Objects.requireNonNull(Objects.requireNonNull(desks.get(scope(claim)))
                    .get(claim.request().protocol()));
            PortRequest winner = holder(desk.read, claim.request().ports());
            if (winner == null) {
                desk.own.forEach(ledger -> ledger.enter(claim.request()));
            } else {
                losers.put(claim.request().key(), winner);
            }
        }
        return losers;
    }

    /** Whoever claims ports has a class, and so a scope. */
    private static Scope scope(Judged claim) {
        return Objects.requireNonNull(claim.scope());
    }

    private static @Nullable PortRequest holder(List<Ledger> ledgers, PortRange ports) {
        for (Ledger ledger : ledgers) {
            PortRequest holder = ledger.holder(ports);
            if (holder != null) {
                return holder;
            }
        }
        return null;
    }

    private static List<Kind> kinds(List<Judged> claims) {
        IdentityHashMap<Scope, Set<Protocol>> seen = new IdentityHashMap<>();
        List<Kind> kinds = new ArrayList<>();
        for (Judged claim : claims) {
            Protocol protocol = claim.request().protocol();
            if (seen.computeIfAbsent(scope(claim), s -> EnumSet.noneOf(Protocol.class))
                    .add(protocol)) {
                List<Place> places = new ArrayList<>();
                scope(claim)
                        .entryPoints()
                        .forEach((node, points) ->
                                points.forEach(point -> places.add(new Place(node, protocol, point))));
                kinds.add(new Kind(scope(claim), protocol, places));
            }
        }
        return kinds;
    }

    private IdentityHashMap<Scope, Map<Protocol, Desk>> desks(List<Kind> kinds) {
        Map<Place, Set<Place>> overlaps = overlaps(kinds);
        Map<Place, Use> uses = new HashMap<>();
        for (int kind = 0; kind < kinds.size(); kind++) {
            for (Place place : kinds.get(kind).places) {
                use(uses, place).enteredBy.add(kind);
                for (Place other : overlapping(overlaps, place)) {
                    use(uses, other).readBy.add(kind);
                }
            }
        }
        Map<Use, Ledger> ledgers = new HashMap<>();
        IdentityHashMap<Scope, Map<Protocol, Desk>> desks = new IdentityHashMap<>();
        for (Kind kind : kinds) {
            Set<Ledger> own = new LinkedHashSet<>();
            Set<Ledger> read = new LinkedHashSet<>();
            for (Place place : kind.places) {
                own.add(ledgers.computeIfAbsent(use(uses, place), use -> new Ledger()));
                for (Place other : overlapping(overlaps, place)) {
                    read.add(ledgers.computeIfAbsent(use(uses, other), use -> new Ledger()));
                }
            }
            desks.computeIfAbsent(kind.scope, scope -> new EnumMap<>(Protocol.class))
                    .put(kind.protocol, new Desk(List.copyOf(own), List.copyOf(read)));
        }
        return desks;
    }

    private static Use use(Map<Place, Use> uses, Place place) {
        return uses.computeIfAbsent(place, p -> new Use(new HashSet<>(), new HashSet<>()));
    }

    private static Set<Place> overlapping(Map<Place, Set<Place>> overlaps, Place place) {
        return overlaps.getOrDefault(place, Set.of());
    }

    /** For each place those that a packet to it may also be dialled at, itself first. */
    private Map<Place, Set<Place>> overlaps(List<Kind> kinds) {
        Map<String, Set<Place>> byNode = new HashMap<>();
        kinds.forEach(kind -> kind.places.forEach(place ->
                byNode.computeIfAbsent(place.node, n -> new LinkedHashSet<>()).add(place)));
        Map<Place, Set<Place>> overlaps = new HashMap<>();
        byNode.values()
                .forEach(places -> places.forEach(place -> {
                    Set<Place> same = new LinkedHashSet<>(List.of(place));
                    places.stream().filter(other -> mayBeTheSame(place, other)).forEach(same::add);
                    overlaps.put(place, same);
                }));
        return overlaps;
    }

    private boolean mayBeTheSame(Place one, Place other) {
        if (one.protocol != other.protocol) {
            return false;
        }
        return switch (one.entryPoint) {
            case EntryPoint.Interface(String name) ->
                switch (other.entryPoint) {
                    case EntryPoint.Interface(String otherName) -> name.equals(otherName);
                    case EntryPoint.Listed(IpAddress address) -> placement.mayBeOn(one.node, address, List.of(name));
                };
            case EntryPoint.Listed(IpAddress address) ->
                switch (other.entryPoint) {
                    case EntryPoint.Interface(String name) -> placement.mayBeOn(one.node, address, List.of(name));
                    case EntryPoint.Listed(IpAddress otherAddress) -> address.equals(otherAddress);
                };
        };
    }
}
