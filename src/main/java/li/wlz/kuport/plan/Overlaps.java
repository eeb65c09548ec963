package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;

/** All PortMaps, by who overlaps with whom. One that claims no ports is by itself. */
final class Overlaps {
    private static final Comparator<Ruling> BY_FIRST_PORT = Comparator.comparing(Ruling::request, (one, other) -> {
        int byProtocol = one.protocol().compareTo(other.protocol());
        return byProtocol != 0 ? byProtocol : one.ports().compareTo(other.ports());
    });

    /** Those that claim ports: they do not touch each other. */
    private final Map<Protocol, NavigableMap<Integer, Overlap>> byFirstPort = new EnumMap<>(Protocol.class);

    /**
     * What is other than before.
     *
     * @param gone those that are no more, or in which something was decided otherwise
     * @param fresh those that are new, or in which something was decided otherwise
     */
    record Changes(Set<Overlap> gone, Set<Overlap> fresh) {}

    Overlaps() {
        for (Protocol protocol : Protocol.values()) {
            byFirstPort.put(protocol, new TreeMap<>());
        }
    }

    /** Takes some PortMaps out and puts others in: only those that these touch are put together anew. */
    Changes exchange(Collection<Ruling> went, Collection<Ruling> came) {
        Set<Overlap> gone = new LinkedHashSet<>();
        went.forEach(ruling -> gone.add(ruling.overlap()));
        Set<Overlap> fresh = new LinkedHashSet<>();
        List<Ruling> claiming = new ArrayList<>();
        for (Ruling ruling : came) {
            if (ruling.alone().verdict().claims()) {
                claiming.add(ruling);
                gone.addAll(at(ruling.request().protocol(), ruling.request().ports()));
            } else {
                fresh.add(new Overlap(List.of(ruling)));
            }
        }
        Set<Ruling> without = Set.copyOf(went);
        for (Overlap overlap : gone) {
            byFirstPort(overlap.protocol()).remove(overlap.ports().first(), overlap);
            overlap.members().stream()
                    .filter(member -> !without.contains(member))
                    .forEach(claiming::add);
        }
        fresh.addAll(join(claiming));
        return new Changes(gone, fresh);
    }

    private NavigableMap<Integer, Overlap> byFirstPort(Protocol protocol) {
        return byFirstPort.getOrDefault(protocol, new TreeMap<>());
    }

    /** Those with one of these ports. */
    Collection<Overlap> at(Protocol protocol, PortRange ports) {
        NavigableMap<Integer, Overlap> all = byFirstPort(protocol);
        Map.Entry<Integer, Overlap> before = all.floorEntry(ports.first());
        int from = before != null && before.getValue().ports().overlaps(ports) ? before.getKey() : ports.first();
        return all.subMap(from, true, ports.last(), true).values();
    }

    private Set<Overlap> join(List<Ruling> claiming) {
        Set<Overlap> joined = new LinkedHashSet<>();
        List<Ruling> together = new ArrayList<>();
        int last = 0;
        for (Ruling ruling : claiming.stream().sorted(BY_FIRST_PORT).toList()) {
            PortRange ports = ruling.request().ports();
            boolean touches = !together.isEmpty()
                    && together.getFirst().request().protocol()
                            == ruling.request().protocol()
                    && ports.first() <= last;
            if (!touches && !together.isEmpty()) {
                joined.add(add(together));
                together = new ArrayList<>();
                last = 0;
            }
            together.add(ruling);
            last = Math.max(last, ports.last());
        }
        if (!together.isEmpty()) {
            joined.add(add(together));
        }
        return joined;
    }

    private Overlap add(List<Ruling> together) {
        Overlap overlap = new Overlap(together);
        byFirstPort(overlap.protocol()).put(overlap.ports().first(), overlap);
        return overlap;
    }
}
