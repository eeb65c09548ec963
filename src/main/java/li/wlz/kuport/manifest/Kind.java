package li.wlz.kuport.manifest;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapClass;
import li.wlz.kuport.crd.PortMapNode;

/** The kinds of objects that a folder may hold. */
enum Kind {
    PORT_MAP("PortMap", PortMap.GROUP + "/" + PortMap.VERSION, PortMap.class),
    PORT_MAP_CLASS("PortMapClass", PortMap.GROUP + "/" + PortMap.VERSION, PortMapClass.class),
    PORT_MAP_NODE("PortMapNode", PortMap.GROUP + "/" + PortMap.VERSION, PortMapNode.class),
    NODE("Node", "v1", Node.class),
    SERVICE("Service", "v1", Service.class),
    ENDPOINT_SLICE("EndpointSlice", "discovery.k8s.io/v1", EndpointSlice.class),
    NAMESPACE("Namespace", "v1", Namespace.class),
    POD("Pod", "v1", Pod.class);

    /** All of them, for messages. */
    static final String ALL = Arrays.stream(values()).map(k -> k.kind).collect(Collectors.joining(", "));

    private final String kind;
    private final String apiVersion;
    private final Class<? extends HasMetadata> type;

    Kind(String kind, String apiVersion, Class<? extends HasMetadata> type) {
        this.kind = kind;
        this.apiVersion = apiVersion;
        this.type = type;
    }

    /** The kind of that name, whatever its API version. */
    static Optional<Kind> named(String name) {
        return Arrays.stream(values()).filter(k -> k.kind.equals(name)).findFirst();
    }

    String apiVersion() {
        return apiVersion;
    }

    Class<? extends HasMetadata> type() {
        return type;
    }

    /** Whether people write it for kuport, so that a field that we do not know is their mistake. */
    boolean isOurs() {
        return apiVersion.startsWith(PortMap.GROUP + "/");
    }

    @Override
    public String toString() {
        return kind;
    }
}
