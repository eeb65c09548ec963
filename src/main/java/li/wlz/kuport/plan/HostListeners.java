package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedSet;
import java.util.TreeMap;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Listener;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;
import org.jspecify.annotations.Nullable;

/** The host's own sockets, which must not lose their ports unasked. */
final class HostListeners {
    private final Map<Protocol, NavigableMap<Integer, List<Listener>>> byPort = new EnumMap<>(Protocol.class);
    private final SortedSet<Dialled> opened;
    private final PortRange ephemeral;

    /**
     * What the host listens on among some ports.
     *
     * @param refusing those whose port the mapping may not take
     * @param named those that it takes packets from, which people should know
     */
    record Found(List<Listener> refusing, List<Listener> named) {
        static final Found NOTHING = new Found(List.of(), List.of());
    }

    HostListeners(NodeFacts facts) {
        this.opened = facts.opened();
        this.ephemeral = facts.sysctls().ephemeralPorts();
        for (Listener listener : facts.listeners()) {
            byPort.computeIfAbsent(listener.protocol(), protocol -> new TreeMap<>())
                    .computeIfAbsent(listener.port(), port -> new ArrayList<>())
                    .add(listener);
        }
    }

    /**
     * Looks for sockets that get packets to what is dialled. In the ephemeral range one of UDP is likely some program's momentary
     * source port.
     *
     * @param device the interface that holds the address
     * @param allowedPorts those that a mapping may take from them
     */
    Found at(Dialled dialled, @Nullable String device, List<PortRange> allowedPorts) {
        PortRange ports = dialled.ports();
        NavigableMap<Integer, List<Listener>> within = byPort.getOrDefault(
                        dialled.protocol(), Collections.emptyNavigableMap())
                .subMap(ports.first(), true, ports.last(), true);
        if (within.isEmpty()) {
            return Found.NOTHING;
        }
        boolean open = opened.contains(dialled);
        List<Listener> refusing = new ArrayList<>();
        List<Listener> named = new ArrayList<>();
        within.forEach((port, listeners) -> {
            boolean allowed = ProtectedPorts.covers(allowedPorts, PortRange.of(port));
            boolean momentary = dialled.protocol() == Protocol.UDP && ephemeral.contains(port) && !isTunnel(listeners);
            if (open && momentary) {
                return;
            }
            // A range of thousands would never be free of momentary ones. Where the mapping was first it stays.
            boolean yields = open || allowed || (momentary && !ports.isSingle());
            listeners.stream()
                    .filter(l -> l.takes(dialled.protocol(), dialled.address(), port))
                    .filter(l -> l.device() == null || l.device().equals(device))
                    .forEach(l -> (yields ? named : refusing).add(l));
        });
        return new Found(refusing, named);
    }

    /**
     * Whether a port was chosen, not handed out: a socket of each family has the same. So do WireGuard, in the kernel and out of it,
     * and what is made of it, whose loss could cut the node off. WireGuard itself is not asked: it would tell its keys as well.
     */
    private static boolean isTunnel(List<Listener> listeners) {
        return listeners.stream()
                        .filter(listener -> listener.address().isUnspecified())
                        .map(listener -> listener.address().family())
                        .distinct()
                        .count()
                == IpFamily.values().length;
    }

    /** The sockets as a person reads them: {@code 0.0.0.0:80, [::]:443}. */
    static String describe(List<Listener> listeners) {
        return Words.list(
                listeners.stream()
                        .map(l -> (l.address().toString().indexOf(':') >= 0
                                        ? "[" + l.address() + "]"
                                        : l.address().toString())
                                + ":" + l.port())
                        .distinct()
                        .sorted()
                        .toList(),
                "none");
    }
}
