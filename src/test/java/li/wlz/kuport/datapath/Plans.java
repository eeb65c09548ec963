package li.wlz.kuport.datapath;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.InterfaceRoute;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.MacAddress;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodePlan.Link;
import li.wlz.kuport.model.NodePlan.Peer;
import li.wlz.kuport.model.NodePlan.Uplink;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.Target;
import org.jspecify.annotations.Nullable;

/** Node plans in few words. */
final class Plans {
    static final Settings SETTINGS = Settings.defaults("edge");
    static final MacAddress MAC = MacAddress.parse("0a:00:00:00:00:0a");
    static final MacAddress PEER_MAC = MacAddress.parse("0a:00:00:00:00:0b");

    static final Link LINK = new Link(MAC, ip("100.64.0.1"), 1370, 4242, 4790, ip("240.0.0.10"), ip("fd6b:7570:77::a"));

    /** A peer with index 1, gateways .1 and ::1, and a link address of each family. */
    static final Peer PEER = peer(1370);

    static final Uplink UPLINK =
            new Uplink(0x81, Sorted.copyOf(List.of(route("203.0.113.0/24", null), route("0.0.0.0/0", "203.0.113.1"))));

    private Plans() {}

    static Peer peer(int mtu) {
        return new Peer(
                PEER_MAC,
                ip("100.64.0.2"),
                mtu,
                1,
                ip("240.0.0.1"),
                ip("fd6b:7570:77::1"),
                Sorted.copyOf(List.of(ip("240.0.0.2"), ip("fd6b:7570:77::2"))));
    }

    static InterfaceRoute route(String destination, @Nullable String gateway) {
        return new InterfaceRoute(
                "eth0", Cidr.parse(destination), gateway == null ? null : ip(gateway), false, 0, null);
    }

    static IpAddress ip(String text) {
        return IpAddress.parse(text);
    }

    /** {@code udp 203.0.113.9 3000-3009}. */
    static Dialled dialled(String text) {
        String[] words = text.split(" ", -1);
        return new Dialled(
                ip(words[1]), Protocol.valueOf(words[0].toUpperCase(Locale.ROOT)), PortRange.parse(words[2]));
    }

    /** {@code 10.244.0.7 3000}. */
    static Target target(String text) {
        String[] words = text.split(" ", -1);
        return new Target(ip(words[0]), PortRange.parse(words[1]));
    }

    /** Deliveries by what is dialled, both as text; an empty target refuses. */
    static SortedMap<Dialled, Delivery> deliveries(Map<String, String> texts) {
        SortedMap<Dialled, Delivery> deliveries = new TreeMap<>();
        texts.forEach(
                (key, to) -> deliveries.put(dialled(key), to.isEmpty() ? Delivery.refuse() : Delivery.to(target(to))));
        return deliveries;
    }

    /** A node with everything: a link, a peer, an uplink, single ports and ranges, in both families. */
    static NodePlan full() {
        return new NodePlan(
                LINK,
                Sorted.copyOf(Map.of("home", PEER)),
                Sorted.copyOf(Map.of("eth0", UPLINK)),
                deliveries(Map.of(
                        "udp 203.0.113.9 3000", "240.0.0.2 3000",
                        "tcp 203.0.113.9 25", "10.244.0.7 2525",
                        "tcp 203.0.113.9 26", "",
                        "tcp 203.0.113.9 80", "203.0.113.9 80",
                        "udp 203.0.113.9 10000-20000", "10.244.0.7 10000-20000",
                        "udp 2001:db8::9 3000", "fd6b:7570:77::2 3000",
                        "tcp 2001:db8::9 9000-9100", "")),
                deliveries(Map.of(
                        "udp 240.0.0.1 3001", "10.244.0.7 3001", "udp 240.0.0.1 4000-4009", "10.244.0.7 4000-4009")),
                deliveries(Map.of("udp 203.0.114.9 3001", "10.244.0.7 3001", "udp 203.0.114.9 3002", "")),
                Sorted.copyOf(List.of(ip("10.244.0.7"), ip("fd00:10:244::7"))),
                NodePlan.Egress.NONE);
    }

    /** A plan of one delivery, with nothing else. */
    static NodePlan accepting(SortedMap<Dialled, Delivery> accept) {
        return new NodePlan(
                null,
                Sorted.map(),
                Sorted.map(),
                accept,
                Sorted.map(),
                Sorted.map(),
                Sorted.set(),
                NodePlan.Egress.NONE);
    }

    static NodePlan with(NodePlan plan, SortedMap<Dialled, Delivery> accept) {
        return new NodePlan(
                plan.link(),
                plan.peers(),
                plan.uplinks(),
                accept,
                plan.deliver(),
                plan.own(),
                plan.pods(),
                NodePlan.Egress.NONE);
    }
}
