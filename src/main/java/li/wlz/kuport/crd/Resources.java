package li.wlz.kuport.crd;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.List;

/**
 * All objects that decisions are made from, as they were read. Nobody changes an object once it is in here, and a source hands
 * out the same instance for as long as the object is unchanged, so that what was made of it may be kept by identity.
 */
public record Resources(
        List<Sourced<PortMap>> portMaps,
        List<Sourced<PortMapClass>> portMapClasses,
        List<Sourced<PortMapNode>> portMapNodes,
        List<Sourced<Node>> nodes,
        List<Sourced<Service>> services,
        List<Sourced<EndpointSlice>> endpointSlices,
        List<Sourced<Namespace>> namespaces,
        List<Sourced<Pod>> pods) {

    public static final Resources NONE =
            new Resources(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of());

    public Resources {
        portMaps = List.copyOf(portMaps);
        portMapClasses = List.copyOf(portMapClasses);
        portMapNodes = List.copyOf(portMapNodes);
        nodes = List.copyOf(nodes);
        services = List.copyOf(services);
        endpointSlices = List.copyOf(endpointSlices);
        namespaces = List.copyOf(namespaces);
        pods = List.copyOf(pods);
    }

    /**
     * An object and where it came from.
     *
     * @param origin the file it stands in; empty where it comes from the API server
     */
    public record Sourced<T>(T object, String origin) {}
}
