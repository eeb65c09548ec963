package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.ProgrammedReason;
import org.jspecify.annotations.Nullable;

/** Gives each accepted mapping its pod and its serving nodes. */
final class Mappings {
    private final Services services;
    private final SortedMap<String, ClusterNode> nodes;
    private final ServingNode servingNode;
    private final Map<ObjectKey, Pods> pods = new HashMap<>();

    /** The mappings that share one pod. */
    private record Group(ObjectKey service, String className) {}

    Mappings(Services services, SortedMap<String, ClusterNode> nodes, Health health) {
        this.services = services;
        this.nodes = nodes;
        this.servingNode = new ServingNode(health);
    }

    /** The mappings, in the order given. */
    List<Mapping> of(List<Judged> oldestFirst) {
        List<Accepted> accepted = oldestFirst.stream().map(Mappings::accepted).toList();
        Map<Group, List<Accepted>> groups = new HashMap<>();
        for (Accepted mapping : accepted) {
            groups.computeIfAbsent(group(mapping), g -> new ArrayList<>(1)).add(mapping);
        }
        Map<Group, Optional<Pod>> chosen = new HashMap<>();
        List<Mapping> mappings = new ArrayList<>(accepted.size());
        for (Accepted mapping : accepted) {
            Group group = group(mapping);
            List<Accepted> siblings = Objects.requireNonNull(groups.get(group));
            Pods candidates = candidates(group.service);
            Optional<Pod> pod =
                    chosen.computeIfAbsent(group, g -> Optional.ofNullable(choose(siblings, candidates.pods())));
            mappings.add(decide(mapping, siblings, candidates, pod.orElse(null)));
        }
        return mappings;
    }

    private static Accepted accepted(Judged judged) {
        return new Accepted(
                judged.request(), Objects.requireNonNull(judged.scope()), Objects.requireNonNull(judged.servicePort()));
    }

    private static Group group(Accepted mapping) {
        return new Group(mapping.request().service(), mapping.request().className());
    }

    private Pods candidates(ObjectKey service) {
        return pods.computeIfAbsent(service, s -> Pods.of(services.endpoints(s), nodes));
    }

    private static @Nullable Pod choose(List<Accepted> siblings, List<Pod> pods) {
        return new EndpointChoice(
                        siblings.getFirst().scope().classNodes().offers().keySet())
                .choose(siblings, pods);
    }

    private Mapping decide(Accepted mapping, List<Accepted> siblings, Pods candidates, @Nullable Pod pod) {
        Pod taken = pod != null && lists(pod, mapping) ? pod : null;
        return new Mapping(
                mapping,
                taken,
                taken == null ? lack(mapping, pod, candidates) : null,
                draining(mapping, pod, candidates),
                servingNode.choose(mapping, pod, siblings));
    }

    private static boolean lists(Pod pod, Accepted mapping) {
        return pod.ports(mapping.request(), mapping.servicePort()) != null;
    }

    private static List<Pod> draining(Accepted mapping, @Nullable Pod current, Pods candidates) {
        if (candidates.pods().isEmpty() || (candidates.pods().size() == 1 && current != null)) {
            return List.of();
        }
        return candidates.pods().stream()
                .filter(pod -> !pod.equals(current) && lists(pod, mapping))
                .toList();
    }

    private static Finding lack(Accepted mapping, @Nullable Pod pod, Pods candidates) {
        String service = "Service " + mapping.request().service();
        if (pod != null) {
            return new Finding(
                    ProgrammedReason.NoReadyEndpoint,
                    pod + ", which the PortMaps of " + service + " share, does not list "
                            + ServicePorts.describe(List.of(mapping.servicePort())));
        }
        if (!candidates.unsupported().isEmpty()) {
            return new Finding(
                    ProgrammedReason.EndpointUnsupported,
                    service + " has no endpoint that can be delivered to: "
                            + candidates.unsupported().getFirst());
        }
        return new Finding(
                ProgrammedReason.NoReadyEndpoint,
                service + " has no ready endpoint with port "
                        + ServicePorts.describe(List.of(mapping.servicePort())) + "; "
                        + (candidates.pods().isEmpty()
                                ? "no pod is behind it"
                                : candidates.pods().size() + " not ready: "
                                        + candidates.pods().getFirst()));
    }
}
