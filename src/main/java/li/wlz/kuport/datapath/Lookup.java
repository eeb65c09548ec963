package li.wlz.kuport.datapath;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.Target;
import li.wlz.kuport.nft.NamedSet.Shape;
import org.jspecify.annotations.Nullable;

/**
 * The three things that are looked up for a flow's first packet, and the maps that hold them.
 *
 * <p>A map of verdicts tells what to do, a map of targets where to send. Two are needed since nft translates by a map, but neither
 * marks nor refuses by the same one.
 */
enum Lookup {
    /** Clients dial an address of this node. */
    ACCEPT(RulesetLayout.ACCEPTED, RulesetLayout.ACCEPT) {
        @Override
        SortedMap<Dialled, Delivery> of(NodePlan plan) {
            return plan.accept();
        }

        @Override
        String verdict(Dialled dialled, @Nullable Target target) {
            if (target == null) {
                return "goto refused";
            }
            // A pod in the host's network at the address dialled: with nothing to translate, a stand-in would stay in
            // the packet.
            return isUntranslated(dialled, target)
                    ? "goto entered"
                    : "jump " + RulesetLayout.name("claim", dialled.address().family());
        }
    },

    /** Clients of this node dial an address of another. */
    OWN(RulesetLayout.OWNED, RulesetLayout.OWN) {
        @Override
        SortedMap<Dialled, Delivery> of(NodePlan plan) {
            return plan.own();
        }

        @Override
        String verdict(Dialled dialled, @Nullable Target target) {
            return target == null ? "goto refuse" : "jump " + RulesetLayout.markChain(MarkSpace.NO_WAY_BACK);
        }
    },

    /** Peers send to a link address. What has no entry is refused by the chains behind, so no verdict is needed. */
    DELIVER(null, RulesetLayout.DELIVER) {
        @Override
        SortedMap<Dialled, Delivery> of(NodePlan plan) {
            return plan.deliver();
        }

        @Override
        String verdict(Dialled dialled, @Nullable Target target) {
            throw new IllegalStateException("there is no map of verdicts for what peers send");
        }
    };

    private final @Nullable String verdicts;
    private final String targets;

    Lookup(@Nullable String verdicts, String targets) {
        this.verdicts = verdicts;
        this.targets = targets;
    }

    /** An element of one of the maps. */
    record Placed(String set, String key, String data) {}

    /** What a plan wants looked up. */
    abstract SortedMap<Dialled, Delivery> of(NodePlan plan);

    abstract String verdict(Dialled dialled, @Nullable Target target);

    /** The names and shapes of this lookup's maps. */
    SortedMap<String, Shape> shapes() {
        SortedMap<String, Shape> shapes = new TreeMap<>();
        for (IpFamily family : IpFamily.values()) {
            String address = family == IpFamily.IPV4 ? "ipv4_addr" : "ipv6_addr";
            String key = address + " . inet_proto . inet_service";
            for (String kind : List.of("", RulesetLayout.RANGES)) {
                boolean ranges = !kind.isEmpty();
                if (verdicts != null) {
                    shapes.put(RulesetLayout.name(verdicts + kind, family), new Shape(key, "verdict", ranges, 0));
                }
                // A range keeps its ports' numbers.
                String data = ranges ? address : address + " . inet_service";
                shapes.put(RulesetLayout.name(targets + kind, family), new Shape(key, data, ranges, 0));
            }
        }
        return shapes;
    }

    /** The names of the maps that say what to do. */
    List<String> verdictMaps() {
        return shapes().entrySet().stream()
                .filter(e -> e.getValue().data().equals("verdict"))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The elements that a delivery needs. */
    List<Placed> place(Map.Entry<Dialled, Delivery> entry) {
        Dialled dialled = entry.getKey();
        Target target = entry.getValue().target();
        String key = dialled.address() + " . " + dialled.protocol().lowerCase() + " . " + dialled.ports();
        List<Placed> placed = new ArrayList<>();
        if (verdicts != null) {
            placed.add(new Placed(RulesetLayout.name(verdicts, dialled), key, verdict(dialled, target)));
        }
        if (target != null && !isUntranslated(dialled, target)) {
            String data = dialled.ports().isSingle()
                    ? target.address() + " . " + target.ports()
                    : target.address().toString();
            placed.add(new Placed(RulesetLayout.name(targets, dialled), key, data));
        }
        return placed;
    }

    private static boolean isUntranslated(Dialled dialled, Target target) {
        return target.address().equals(dialled.address()) && target.ports().equals(dialled.ports());
    }
}
