package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.ProgrammedReason;
import li.wlz.kuport.model.World;
import org.jspecify.annotations.Nullable;

/** Gives each accepted mapping its pod and its serving nodes. */
final class Mappings {
    private final World world;
    private final Scopes scopes;
    private final ServingNode servingNode;
    private final Map<ObjectKey, Pods> pods = new HashMap<>();

    private record Group(ObjectKey service, String className) {}

    Mappings(World world, Scopes scopes, Health health) {
        this.world = world;
        this.scopes = scopes;
        this.servingNode = new ServingNode(health);
    }

    /** The mappings whose verdict is that they are accepted, oldest first. */
    List<Mapping> of(SortedMap<ObjectKey, Verdict> verdicts) {
        Map<Group, List<Accepted>> groups = new LinkedHashMap<>();
        for (PortRequest request : world.portMaps().values()) {
            if (Objects.requireNonNull(verdicts.get(request.key())).accepted()) {
                groups.computeIfAbsent(new Group(request.service(), request.className()), g -> new ArrayList<>(1))
                        .add(accepted(request));
            }
        }
        List<Mapping> mappings = new ArrayList<>();
        groups.values().forEach(group -> {
            group.sort((one, other) -> Accepted.OLDEST_FIRST.compare(one.request(), other.request()));
            decide(group, mappings);
        });
        mappings.sort((one, other) -> Accepted.OLDEST_FIRST.compare(one.request(), other.request()));
        return mappings;
    }

    private Accepted accepted(PortRequest request) {
        World.ServicePort port = ServicePorts.find(
                Objects.requireNonNull(world.services().get(request.service())),
                request.protocol(),
                request.servicePort());
        return new Accepted(request, Objects.requireNonNull(scopes.of(request)), Objects.requireNonNull(port));
    }

    private void decide(List<Accepted> group, List<Mapping> mappings) {
        Accepted oldest = group.getFirst();
        Pods candidates = pods.computeIfAbsent(
                oldest.request().service(),
                service -> Pods.of(world.endpoints().getOrDefault(service, List.of()), world.nodes()));
        Pod pod = new EndpointChoice(oldest.scope().classNodes().offers().keySet()).choose(group, candidates.pods());
        for (Accepted mapping : group) {
            Pod taken = pod != null && lists(pod, mapping) ? pod : null;
            mappings.add(new Mapping(
                    mapping,
                    taken,
                    taken == null ? lack(mapping, pod, candidates) : null,
                    draining(mapping, pod, candidates),
                    servingNode.choose(mapping, pod, group)));
        }
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
