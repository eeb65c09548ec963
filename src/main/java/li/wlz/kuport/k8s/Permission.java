package li.wlz.kuport.k8s;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.crd.PortMap;

/**
 * Something that the agent must be allowed to do at the API server.
 *
 * @param group the API group; empty for the core one
 * @param resource in the plural, with the subresource after a slash
 */
public record Permission(String group, String resource, String verb) {
    /** All that an agent asks of the API server: the content of its ClusterRole. */
    public static List<Permission> of(Demand demand) {
        List<Permission> permissions = new ArrayList<>();
        if (demand.portMaps()) {
            permissions.addAll(portMaps());
        } else {
            if (demand.classes()) {
                permissions.addAll(
                        of(PortMap.GROUP, "portmapclasses", "list", "watch").toList());
                permissions.addAll(of("", "namespaces", "list", "watch").toList());
            }
            permissions.addAll(of("", "nodes", "list", "watch").toList());
            permissions.addAll(of("", "events", "create", "patch").toList());
        }
        if (demand.podsOf() != null) {
            permissions.addAll(of("", "pods", "list", "watch").toList());
        }
        return List.copyOf(permissions);
    }

    private static List<Permission> portMaps() {
        return Stream.of(
                        of(PortMap.GROUP, "portmaps", "list", "watch"),
                        of(PortMap.GROUP, "portmaps/status", "patch"),
                        of(PortMap.GROUP, "portmapclasses", "list", "watch"),
                        of(PortMap.GROUP, "portmapclasses/status", "patch"),
                        of(PortMap.GROUP, "portmapnodes", "list", "watch", "create", "patch"),
                        of(PortMap.GROUP, "portmapnodes/status", "patch"),
                        of("", "nodes", "list", "watch"),
                        of("", "services", "list", "watch"),
                        of("", "namespaces", "list", "watch"),
                        of("discovery.k8s.io", "endpointslices", "list", "watch"),
                        of("", "events", "create", "patch"))
                .flatMap(permissions -> permissions)
                .toList();
    }

    private static Stream<Permission> of(String group, String resource, String... verbs) {
        return Stream.of(verbs).map(verb -> new Permission(group, resource, verb));
    }

    /** {@code patch portmaps/status in kuport.wlz.li}. */
    @Override
    public String toString() {
        return verb + " " + resource + (group.isEmpty() ? "" : " in " + group);
    }
}
