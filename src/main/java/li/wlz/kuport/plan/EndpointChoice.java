package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import li.wlz.kuport.model.PortRequest;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the one pod that the PortMaps of one namespace, Service and class are delivered to.
 *
 * <p>Pods fall into four ranks: ready before ending, and in each, on an accepting node before elsewhere. Within a rank the smallest
 * name counts, on accepting nodes the node's name first. The current pod stays while no rank above its own has a pod.
 */
final class EndpointChoice {
    private final Set<String> acceptingNodes;

    EndpointChoice(Set<String> acceptingNodes) {
        this.acceptingNodes = acceptingNodes;
    }

    /**
     * The pod; it lists at least the port of the oldest mapping whose port any pod lists.
     *
     * @param oldestFirst the accepted mappings that share it
     * @return null where no pod can take any of them
     */
    @Nullable
    Pod choose(List<Accepted> oldestFirst, List<Pod> pods) {
        for (Accepted mapping : oldestFirst) {
            List<Pod> eligible = new ArrayList<>();
            for (Pod pod : pods) {
                if (pod.eligible() && pod.ports(mapping.request(), mapping.servicePort()) != null) {
                    eligible.add(pod);
                }
            }
            if (!eligible.isEmpty()) {
                return best(eligible, current(oldestFirst));
            }
        }
        return null;
    }

    private static PortRequest.@Nullable CurrentEndpoint current(List<Accepted> oldestFirst) {
        for (Accepted mapping : oldestFirst) {
            if (mapping.request().currentEndpoint() != null) {
                return mapping.request().currentEndpoint();
            }
        }
        return null;
    }

    private Pod best(List<Pod> eligible, PortRequest.@Nullable CurrentEndpoint current) {
        Pod best = eligible.size() == 1
                ? eligible.getFirst()
                : eligible.stream()
                        .min(Comparator.comparingInt(this::rank)
                                .thenComparing(pod -> accepts(pod) ? pod.node() : "")
                                .thenComparing(Pod::name)
                                .thenComparing(Pod::node))
                        .orElseThrow();
        if (current == null || best.is(current)) {
            return best;
        }
        return eligible.stream()
                .filter(pod -> pod.is(current) && rank(pod) == rank(best))
                .findFirst()
                .orElse(best);
    }

    private int rank(Pod pod) {
        return (pod.endpoint().ready() ? 0 : 2) + (accepts(pod) ? 0 : 1);
    }

    private boolean accepts(Pod pod) {
        return acceptingNodes.contains(pod.node());
    }
}
