package li.wlz.kuport.model;

import java.util.List;
import java.util.SortedMap;

/**
 * What users and the cluster say, checked: everything that decisions are made from, other than this node's own facts.
 *
 * @param rowsShared whether agents see each other's rows of status: true in a cluster, false where all read a folder, which
 *     nobody writes back
 * @param namespaceLabels the labels of each namespace
 * @param services their ports, by name
 * @param endpoints the pods behind each service, by the service's name
 * @param pods those that ask for ports of their own node by an annotation
 * @param refused PortMaps that could not be made values of, with the reason that their status gets
 */
public record World(
        boolean rowsShared,
        SortedMap<String, ClusterNode> nodes,
        SortedMap<String, NodeReport> nodeReports,
        SortedMap<String, SortedMap<String, String>> namespaceLabels,
        SortedMap<String, PortClass> classes,
        SortedMap<ObjectKey, PortRequest> portMaps,
        List<Refusal> refused,
        SortedMap<ObjectKey, List<ServicePort>> services,
        SortedMap<ObjectKey, List<Endpoint>> endpoints,
        SortedMap<ObjectKey, PodRequest> pods) {

    public World {
        nodes = Sorted.copyOf(nodes);
        nodeReports = Sorted.copyOf(nodeReports);
        namespaceLabels = Sorted.copyOf(namespaceLabels);
        classes = Sorted.copyOf(classes);
        portMaps = Sorted.copyOf(portMaps);
        refused = List.copyOf(refused);
        services = Sorted.copyOf(services);
        endpoints = Sorted.copyOf(endpoints);
        pods = Sorted.copyOf(pods);
    }

    /**
     * A port of a Service.
     *
     * @param name empty where the Service has a single, unnamed port
     */
    public record ServicePort(String name, Protocol protocol, int port) {}

    /**
     * A PortMap that {@code intake} refuses.
     *
     * @param generation of the object that was refused
     */
    public record Refusal(ObjectKey key, long generation, AcceptedReason reason, String message) {}
}
