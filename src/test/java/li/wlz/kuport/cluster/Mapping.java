package li.wlz.kuport.cluster;

import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapStatus;
import org.jspecify.annotations.Nullable;

/** What a PortMap says of itself at one time. */
record Mapping(PortMap object) {
    static Mapping of(Scene scene, String name) {
        return of(scene.cluster(), scene.namespace(), name);
    }

    static Mapping of(KubernetesCluster cluster, String namespace, String name) {
        return new Mapping(cluster.admin()
                .resources(PortMap.class)
                .inNamespace(namespace)
                .withName(name)
                .require());
    }

    Optional<PortMapStatus> status() {
        return Optional.ofNullable(object.getStatus());
    }

    /** {@code True/Reason}, {@code False/Reason}, or nothing yet. */
    String condition(String type) {
        return status().flatMap(status -> each(status.conditions()).stream()
                        .filter(condition -> condition.getType().equals(type))
                        .findAny())
                .map(condition -> condition.getStatus() + "/" + condition.getReason())
                .orElse("");
    }

    String message(String type) {
        return status().flatMap(status -> each(status.conditions()).stream()
                        .filter(condition -> condition.getType().equals(type))
                        .findAny())
                .map(Condition::getMessage)
                .orElse("");
    }

    /** The pod that is delivered to, or nothing. */
    String pod() {
        return status().map(PortMapStatus::endpoint)
                .map(PortMapStatus.Endpoint::pod)
                .orElse("");
    }

    /** {@code NODE INTERFACE ADDRESS ADDRESS6} each. */
    List<String> published() {
        return status().map(status -> each(status.published()).stream()
                        .map(row -> String.join(
                                " ",
                                String.valueOf(row.node()),
                                String.valueOf(row.interfaceName()),
                                String.valueOf(row.address()),
                                String.valueOf(row.address6())))
                        .toList())
                .orElse(List.of());
    }

    /** {@code NODE ROLE READY} each, by name. */
    List<String> nodes() {
        return status().map(status -> each(status.nodes()).stream()
                        .map(row -> row.name() + " " + row.role() + " " + row.ready())
                        .sorted()
                        .toList())
                .orElse(List.of());
    }

    private static <T> List<T> each(@Nullable List<@Nullable T> list) {
        return list == null
                ? List.of()
                : list.stream()
                        .filter(Objects::nonNull)
                        .map(Objects::requireNonNull)
                        .toList();
    }
}
