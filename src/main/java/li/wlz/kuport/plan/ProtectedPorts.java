package li.wlz.kuport.plan;

import java.util.List;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Settings;
import org.jspecify.annotations.Nullable;

/** The ports that a node needs for itself, which a class must allow by name. */
final class ProtectedPorts {
    /** The port that WireGuard's tools and most meshes use. What it really is on a node the other agents do not know. */
    private static final int WIREGUARD = 51820;

    private record Entry(Protocol protocol, PortRange ports, String use) {}

    private final List<Entry> entries;

    ProtectedPorts(Settings settings) {
        entries = List.of(
                new Entry(Protocol.TCP, PortRange.of(22), "SSH"),
                new Entry(Protocol.TCP, PortRange.of(6443), "the Kubernetes API server"),
                new Entry(Protocol.TCP, PortRange.of(10250), "the kubelet"),
                new Entry(Protocol.UDP, PortRange.of(settings.linkPort()), "kuport's own link"),
                new Entry(Protocol.UDP, PortRange.of(WIREGUARD), "WireGuard"),
                new Entry(Protocol.TCP, settings.nodePorts(), "the cluster's node ports"),
                new Entry(Protocol.UDP, settings.nodePorts(), "the cluster's node ports"));
    }

    /** Why the ports may not be taken, in a sentence; null where they may. */
    @Nullable
    String objection(Protocol protocol, PortRange ports, PortClass portClass) {
        for (Entry entry : entries) {
            if (entry.protocol != protocol || !entry.ports.overlaps(ports)) {
                continue;
            }
            PortRange touched = new PortRange(
                    Math.max(entry.ports.first(), ports.first()), Math.min(entry.ports.last(), ports.last()));
            if (!covers(portClass.ports().allowProtected(), touched)) {
                return what(ports, touched) + " is protected, since " + entry.use
                        + " may need it and the node could be cut off; choose another, or have " + touched
                        + " listed under ports.allowProtected of PortMapClass " + portClass.name();
            }
        }
        return null;
    }

    private static String what(PortRange ports, PortRange touched) {
        return (touched.isSingle() ? "port " : "port range ")
                + touched
                + (ports.equals(touched) ? "" : ", part of " + ports + ",");
    }

    /** Whether every port of a range is in one of the others. */
    static boolean covers(List<PortRange> allowed, PortRange ports) {
        int next = ports.first();
        for (PortRange range : allowed.stream().sorted().toList()) {
            if (range.contains(next)) {
                next = range.last() + 1;
            }
        }
        return next > ports.last();
    }
}
