package li.wlz.kuport.lab;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a world is to have: {@code Layout.plain().with(SECOND_UPLINK).pods("home2", 2)}.
 *
 * @param pods how many pods each node has
 */
public record Layout(Set<Feature> features, SortedMap<String, Integer> pods) {
    public Layout {
        features = Set.copyOf(features);
        pods = new TreeMap<>(pods);
        for (Map.Entry<String, Integer> entry : pods.entrySet()) {
            if (!List.of("edge", "edge2", "home1", "home2").contains(entry.getKey())) {
                throw new IllegalArgumentException("the lab has no node " + entry.getKey());
            }
            if (entry.getValue() < 0 || entry.getValue() > 9) {
                throw new IllegalArgumentException("a node of the lab has 0 to 9 pods, not " + entry.getValue());
            }
        }
    }

    /** Two clients, edge with one pod, home1 with two and home2 with one, with the usual tables of a node. */
    public static Layout plain() {
        return new Layout(Set.of(), new TreeMap<>(Map.of("edge", 1, "home1", 2, "home2", 1)));
    }

    /** This layout with more features. */
    public Layout with(Feature... more) {
        EnumSet<Feature> all = EnumSet.noneOf(Feature.class);
        all.addAll(features);
        all.addAll(List.of(more));
        if (all.contains(Feature.POINT_TO_POINT_UPLINK)) {
            all.add(Feature.SECOND_UPLINK);
        }
        TreeMap<String, Integer> withEdge2 = new TreeMap<>(pods);
        if (all.contains(Feature.SECOND_PUBLIC_NODE)) {
            withEdge2.putIfAbsent("edge2", 1);
        }
        return new Layout(all, withEdge2);
    }

    /** This layout with another number of pods on a node. */
    public Layout pods(String node, int count) {
        TreeMap<String, Integer> changed = new TreeMap<>(pods);
        changed.put(node, count);
        return new Layout(features, changed);
    }

    boolean has(Feature feature) {
        return features.contains(feature);
    }

    int podsOf(String node) {
        return pods.getOrDefault(node, 0);
    }
}
