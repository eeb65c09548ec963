package li.wlz.kuport.datapath;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MacAddress;
import li.wlz.kuport.model.MarkIndices;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.Target;
import li.wlz.kuport.netlink.Neighbour;
import li.wlz.kuport.netlink.Route;
import li.wlz.kuport.netlink.RoutingState;
import li.wlz.kuport.nft.Elements;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.nft.NamedSet;

/** Tells from the kernel's state what an agent before us, or we ourselves, decided: the kernel is the record. */
final class ReadBack {
    private ReadBack() {}

    /**
     * The indices in use. The table's maps say it; where they are lost, the return tables still do.
     *
     * @param connectionMarks what connection tracking entries bear
     */
    static MarkIndices indices(
            MarkSpace marks, Listing table, RoutingState routing, SortedSet<Integer> connectionMarks) {
        SortedMap<MacAddress, Integer> peers = new TreeMap<>();
        SortedMap<String, Integer> uplinks = new TreeMap<>();
        each(table, RulesetLayout.PEER, (mac, index) -> peers.put(MacAddress.parse(mac), index));
        each(table, RulesetLayout.UPLINK, (name, index) -> uplinks.put(name.replace("\"", ""), index));
        for (Route route : routing.routes()) {
            OptionalInt index = indexOfTable(marks, route);
            String device = route.device();
            if (index.isEmpty() || device == null || route.type() != Route.Type.UNICAST) {
                continue;
            }
            if (!device.equals(Ours.LINK_DEVICE)) {
                putIfNew(uplinks, device, index.getAsInt());
            } else if (route.gateway() != null) {
                routing.neighbours().stream()
                        .filter(n -> n.address().equals(route.gateway()))
                        .map(Neighbour::mac)
                        .forEach(mac -> putIfNew(peers, mac, index.getAsInt()));
            }
        }
        TreeSet<Integer> resting = new TreeSet<>();
        connectionMarks.forEach(mark -> marks.index(mark).ifPresent(resting::add));
        resting.remove(MarkSpace.NO_WAY_BACK);
        resting.removeAll(peers.values());
        resting.removeAll(uplinks.values());
        return new MarkIndices(peers, uplinks, resting);
    }

    private static <K> void putIfNew(SortedMap<K, Integer> taken, K key, int index) {
        if (!taken.containsValue(index)) {
            taken.putIfAbsent(key, index);
        }
    }

    private static OptionalInt indexOfTable(MarkSpace marks, Route route) {
        OptionalInt index = marks.index(route.table());
        return index.isPresent() && marks.table(index.getAsInt()) == route.table() ? index : OptionalInt.empty();
    }

    private static void each(Listing table, String map, BiConsumer<String, Integer> taken) {
        elements(table, map)
                .entries()
                .forEach((key, verdict) ->
                        RulesetLayout.markedIndex(verdict).ifPresent(index -> taken.accept(key, index)));
    }

    /** What our table has a decision for, a refusal included. */
    static SortedSet<Dialled> opened(Listing table) {
        TreeSet<Dialled> opened = new TreeSet<>();
        for (String map : Lookup.ACCEPT.verdictMaps()) {
            for (Map.Entry<String, String> entry :
                    elements(table, map).entries().entrySet()) {
                dialled(entry.getKey()).ifPresent(opened::add);
            }
        }
        return Sorted.copyOf(opened);
    }

    /** Where single ports that clients dial are sent to. */
    static SortedMap<Dialled, Target> delivered(Listing table) {
        TreeMap<Dialled, Target> delivered = new TreeMap<>();
        for (IpFamily family : IpFamily.values()) {
            elements(table, RulesetLayout.name(RulesetLayout.ACCEPT, family))
                    .entries()
                    .forEach((key, data) -> dialled(key)
                            .ifPresent(dialled -> target(data).ifPresent(target -> delivered.put(dialled, target))));
        }
        return Sorted.copyOf(delivered);
    }

    /** Reads {@code 10.244.1.10 . 8080}; empty for what somebody else put there. */
    private static Optional<Target> target(String data) {
        String[] parts = data.split(" \\. ", -1);
        if (parts.length != 2) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Target(IpAddress.parse(parts[0]), PortRange.parse(parts[1])));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    static Elements elements(Listing table, String name) {
        NamedSet set = table.sets().get(name);
        return set == null ? Elements.NONE : set.elements();
    }

    /** Reads {@code 203.0.113.9 . udp . 3000-3009}; empty for what somebody else put there. */
    private static Optional<Dialled> dialled(String key) {
        String[] parts = key.split(" \\. ", -1);
        if (parts.length != 3) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Dialled(
                    IpAddress.parse(parts[0]),
                    Protocol.valueOf(parts[1].toUpperCase(Locale.ROOT)),
                    PortRange.parse(parts[2])));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
