package li.wlz.kuport.datapath;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.MarkSpace.Hex;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.nft.Elements;
import li.wlz.kuport.nft.NamedSet;
import li.wlz.kuport.nft.NamedSet.Shape;

/** The sets of our table that do not grow with the mappings: peers, uplinks, return routes, pods. */
final class RulesetSets {
    /** As many as there are indices: a set whose size is known gets the kernel's fastest hash. */
    private static final int INDICES = 256;

    private RulesetSets() {}

    /** The sets for a plan, by name. */
    static SortedMap<String, NamedSet> of(Settings settings, NodePlan plan) {
        SortedMap<String, NamedSet> sets = new TreeMap<>();
        sets.put(RulesetLayout.PEER, set("ether_addr", "verdict", INDICES, peers(plan)));
        sets.put(RulesetLayout.UPLINK, set("ifname", "verdict", INDICES, uplinkElements(plan)));
        sets.put(RulesetLayout.RETURN_ROUTE, set("mark", "verdict", INDICES, returnRoutes(settings, plan)));
        sets.put(RulesetLayout.UNDERLAY, set(type(settings.underlayFamily()), "", 0, underlays(plan)));
        for (IpFamily family : IpFamily.values()) {
            String pair = type(family) + " . " + type(family);
            sets.put(RulesetLayout.name(RulesetLayout.PODS, family), set(pair, "", 0, pods(plan, family)));
        }
        if (!plan.egress().sources().isEmpty()) {
            egress(plan, sets);
        }
        if (!plan.egress().ways().isEmpty()) {
            ways(plan, sets);
        }
        return sets;
    }

    private static void egress(NodePlan plan, SortedMap<String, NamedSet> sets) {
        for (IpFamily family : IpFamily.values()) {
            SortedMap<String, String> sources = new TreeMap<>();
            SortedMap<String, String> openers = new TreeMap<>();
            plan.egress().sources().forEach((opener, source) -> {
                if (opener.pod().family() == family) {
                    String key = opener.pod() + " . " + opener.protocol().lowerCase();
                    sources.put(key, source.toString());
                    openers.put(key, "");
                }
            });
            String key = type(family) + " . inet_proto";
            sets.put(RulesetLayout.name(RulesetLayout.EGRESS, family), set(key, type(family), 0, sources));
            sets.put(RulesetLayout.name(RulesetLayout.OPENERS, family), set(key, "", 0, openers));
        }
    }

    private static void ways(NodePlan plan, SortedMap<String, NamedSet> sets) {
        for (IpFamily family : IpFamily.values()) {
            SortedMap<String, String> ways = new TreeMap<>();
            plan.egress().ways().forEach((opener, index) -> {
                if (opener.pod().family() == family) {
                    ways.put(
                            opener.pod() + " . " + opener.protocol().lowerCase(),
                            "goto " + RulesetLayout.routeChain(index));
                }
            });
            sets.put(
                    RulesetLayout.name(RulesetLayout.WAYS, family),
                    set(type(family) + " . inet_proto", "verdict", 0, ways));
        }
    }

    private static NamedSet set(String key, String data, int size, SortedMap<String, String> elements) {
        return new NamedSet(new Shape(key, data, false, size), new Elements(elements));
    }

    private static String type(IpFamily family) {
        return family == IpFamily.IPV4 ? "ipv4_addr" : "ipv6_addr";
    }

    /** The index of each uplink whose name nft takes in quotes as it is; replies by others are routed like any packet. */
    static SortedMap<String, Integer> uplinks(NodePlan plan) {
        SortedMap<String, Integer> uplinks = new TreeMap<>();
        plan.uplinks().forEach((name, uplink) -> {
            if (name.matches("[!-~&&[^\"*\\\\]]{1,15}")) {
                uplinks.put(name, uplink.index());
            }
        });
        return uplinks;
    }

    private static SortedMap<String, String> peers(NodePlan plan) {
        SortedMap<String, String> elements = new TreeMap<>();
        // A peer that accepts nothing sends replies only; what it sends otherwise is refused, not dropped as a
        // stranger's.
        plan.peers()
                .values()
                .forEach(peer ->
                        elements.put(peer.mac().toString(), peer.index() == null ? "accept" : mark(peer.index())));
        return elements;
    }

    private static SortedMap<String, String> uplinkElements(NodePlan plan) {
        SortedMap<String, String> elements = new TreeMap<>();
        uplinks(plan).forEach((name, index) -> elements.put('"' + name + '"', mark(index)));
        return elements;
    }

    private static String mark(int index) {
        return "goto " + RulesetLayout.markChain(index);
    }

    private static SortedMap<String, String> returnRoutes(Settings settings, NodePlan plan) {
        MarkSpace marks = settings.marks();
        SortedMap<String, String> elements = new TreeMap<>();
        indices(plan)
                .forEach(index -> elements.put(Hex.of(marks.mark(index)), "goto " + RulesetLayout.routeChain(index)));
        return elements;
    }

    /** The indices that have a way back. */
    static Stream<Integer> indices(NodePlan plan) {
        return Stream.concat(
                plan.peers().values().stream().map(NodePlan.Peer::index).flatMap(Stream::ofNullable),
                uplinks(plan).values().stream());
    }

    private static SortedMap<String, String> underlays(NodePlan plan) {
        SortedMap<String, String> elements = new TreeMap<>();
        if (plan.link() != null) {
            elements.put(plan.link().underlay().toString(), "");
            plan.peers().values().forEach(peer -> elements.put(peer.underlay().toString(), ""));
        }
        return elements;
    }

    private static SortedMap<String, String> pods(NodePlan plan, IpFamily family) {
        SortedMap<String, String> elements = new TreeMap<>();
        for (IpAddress pod : plan.pods()) {
            if (pod.family() == family) {
                elements.put(pod + " . " + pod, "");
            }
        }
        return elements;
    }
}
