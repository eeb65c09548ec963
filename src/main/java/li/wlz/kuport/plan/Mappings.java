package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.ProgrammedReason;
import org.jspecify.annotations.Nullable;

/** Gives each accepted mapping its pod and its serving nodes. */
final class Mappings {
    private final Services services;
    private final SortedMap<String, ClusterNode> nodes;
    private final ServingNode servingNode;

    /** What mappings that share a pod have in common: namespace and name of their Service, and their class. */
    private record GroupKey(String namespace, String service, String className) {}

    /** Mappings that share a pod, oldest first. */
    private static final class Group {
        private final List<Accepted> members = new ArrayList<>(1);
        private Pods candidates = Pods.NONE;
        private @Nullable Pod pod;

        /** The nodes that the members' statuses name, each once. */
        private List<String> currentNodes = List.of();
    }

    Mappings(Services services, SortedMap<String, ClusterNode> nodes, Health health) {
        this.services = services;
        this.nodes = nodes;
        this.servingNode = new ServingNode(health);
    }

    /** The mappings, in the order given. */
    List<Mapping> of(List<Judged> oldestFirst) {
        Map<GroupKey, Group> groups = new LinkedHashMap<>();
        List<Group> groupOf = new ArrayList<>(oldestFirst.size());
        List<Accepted> accepted = new ArrayList<>(oldestFirst.size());
        for (Judged judged : oldestFirst) {
            Accepted mapping = accepted(judged);
            PortRequest request = mapping.request();
            Group group = groups.computeIfAbsent(
                    new GroupKey(request.key().namespace(), request.serviceName(), request.className()),
                    key -> new Group());
            group.members.add(mapping);
            groupOf.add(group);
            accepted.add(mapping);
        }
        groups.values().forEach(this::choose);
        List<Mapping> mappings = new ArrayList<>(accepted.size());
        for (int i = 0; i < accepted.size(); i++) {
            mappings.add(decide(accepted.get(i), groupOf.get(i)));
        }
        return mappings;
    }

    private static Accepted accepted(Judged judged) {
        return new Accepted(
                judged.request(), Objects.requireNonNull(judged.scope()), Objects.requireNonNull(judged.servicePort()));
    }

    private void choose(Group group) {
        Accepted oldest = group.members.getFirst();
        group.candidates = Pods.of(services.endpoints(oldest.request().service()), nodes);
        group.pod = new EndpointChoice(oldest.scope().classNodes().offers().keySet())
                .choose(group.members, group.candidates.pods());
        group.currentNodes = group.members.stream()
                .map(member -> member.request().currentServingNode())
                .filter(Objects::nonNull)
                .distinct()
                .toList();
    }

    private Mapping decide(Accepted mapping, Group group) {
        Pod pod = group.pod;
        Pod taken = pod != null && lists(pod, mapping) ? pod : null;
        return new Mapping(
                mapping,
                taken,
                taken == null ? lack(mapping, pod, group.candidates) : null,
                draining(mapping, pod, group.candidates),
                servingNode.choose(mapping, pod, group.currentNodes));
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
