package li.wlz.kuport.plan;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the accepting nodes that forward a mapping.
 *
 * <p>Single: the pod's node if it accepts; else the current one; else the one that mappings of the same Service have; else the first
 * by name. Multi: all. Healthy ones only, as long as there is one.
 */
final class ServingNode {
    private final Health health;
    private final IdentityHashMap<Scope, Able> ableByScope = new IdentityHashMap<>();

    /** The nodes that may serve a scope: the healthy ones, or all where none is. */
    private record Able(List<String> nodes, boolean healthy) {}

    ServingNode(Health health) {
        this.health = health;
    }

    /**
     * The choice for one mapping.
     *
     * @param siblings the current nodes of the mappings that share its endpoint, those of the oldest first: ports of one session
     *     should be dialled at one node
     */
    Serving choose(Accepted mapping, @Nullable Pod pod, List<String> siblings) {
        Able able = able(mapping.scope());
        if (able.nodes.isEmpty()) {
            return Serving.NOBODY;
        }
        return switch (mapping.scope().portClass().servingMode()) {
            case Single -> new Serving(List.of(single(mapping, pod, siblings, able.nodes)), able.healthy);
            case Multi -> new Serving(able.nodes, able.healthy);
        };
    }

    private Able able(Scope scope) {
        return ableByScope.computeIfAbsent(scope, s -> {
            Set<String> accepting = s.entryPoints().keySet();
            List<String> healthy = health.among(accepting);
            return new Able(healthy.isEmpty() ? List.copyOf(accepting) : healthy, !healthy.isEmpty());
        });
    }

    private static String single(Accepted mapping, @Nullable Pod pod, List<String> siblings, List<String> able) {
        if (pod != null && able.contains(pod.node())) {
            return pod.node();
        }
        String current = mapping.request().currentServingNode();
        if (current != null && able.contains(current)) {
            return current;
        }
        for (String theirs : siblings) {
            if (able.contains(theirs)) {
                return theirs;
            }
        }
        return able.getFirst();
    }
}
