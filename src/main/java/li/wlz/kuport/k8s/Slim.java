package li.wlz.kuport.k8s;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import li.wlz.kuport.crd.PortMap;
import org.jspecify.annotations.Nullable;

/**
 * Copies of objects that hold what decisions need and nothing else.
 *
 * <p>That keeps the agent small, and makes two versions of an object equal that differ in nothing that matters, such as a Node
 * and the same Node a heartbeat later. The informer goes on to read the resourceVersion of what it handed in, so that stays.
 */
final class Slim {
    /** The label by which an EndpointSlice names its Service. */
    static final String SERVICE_LABEL = "kubernetes.io/service-name";

    private Slim() {}

    /** One of our own kinds: whole, without what other programs keep in its metadata. */
    static <T extends CustomResource<?, ?>> T own(T object) {
        ObjectMeta meta = object.getMetadata();
        object.setMetadata(named(meta)
                .withUid(meta.getUid())
                .withCreationTimestamp(meta.getCreationTimestamp())
                .withDeletionTimestamp(meta.getDeletionTimestamp())
                .withGeneration(meta.getGeneration())
                .withResourceVersion(meta.getResourceVersion())
                .withOwnerReferences(meta.getOwnerReferences())
                .build());
        return object;
    }

    static Node node(Node node) {
        NodeStatus status = node.getStatus();
        return new NodeBuilder()
                .withMetadata(named(node.getMetadata())
                        .withUid(node.getMetadata().getUid())
                        .withCreationTimestamp(node.getMetadata().getCreationTimestamp())
                        .withLabels(node.getMetadata().getLabels())
                        .withAnnotations(ours(node.getMetadata().getAnnotations()))
                        .build())
                .withNewSpec()
                .withPodCIDRs(
                        node.getSpec() == null ? List.of() : node.getSpec().getPodCIDRs())
                .endSpec()
                .withNewStatus()
                .withAddresses(status == null ? List.of() : status.getAddresses())
                .withConditions(
                        status == null
                                ? List.of()
                                : status.getConditions().stream()
                                        .filter(c -> "Ready".equals(c.getType()))
                                        .map(Slim::condition)
                                        .toList())
                .endStatus()
                .build();
    }

    private static NodeCondition condition(NodeCondition condition) {
        return new NodeConditionBuilder()
                .withType(condition.getType())
                .withStatus(condition.getStatus())
                .build();
    }

    private static @Nullable Map<String, String> ours(@Nullable Map<String, String> annotations) {
        Map<String, String> ours = new TreeMap<>();
        if (annotations != null) {
            annotations.forEach((name, value) -> {
                if (name.startsWith(PortMap.GROUP + "/")) {
                    ours.put(name, value);
                }
            });
        }
        return ours;
    }

    /** Of a pod without the annotation the name alone, so that nothing that happens to it is a change. */
    static Pod pod(Pod pod, String annotation) {
        ObjectMeta meta = pod.getMetadata();
        String value =
                meta.getAnnotations() == null ? null : meta.getAnnotations().get(annotation);
        if (value == null) {
            return new PodBuilder().withMetadata(named(meta).build()).build();
        }
        PodStatus status = pod.getStatus();
        return new PodBuilder()
                .withMetadata(named(meta)
                        .withUid(meta.getUid())
                        .withCreationTimestamp(meta.getCreationTimestamp())
                        .withDeletionTimestamp(meta.getDeletionTimestamp())
                        .withAnnotations(Map.of(annotation, value))
                        .build())
                .withNewSpec()
                .withNodeName(pod.getSpec().getNodeName())
                .withHostNetwork(pod.getSpec().getHostNetwork())
                .endSpec()
                .withNewStatus()
                .withPhase(status == null ? null : status.getPhase())
                .withPodIP(status == null ? null : status.getPodIP())
                .withPodIPs(status == null ? List.of() : status.getPodIPs())
                .withConditions(
                        status == null
                                ? List.of()
                                : status.getConditions().stream()
                                        .filter(c -> "Ready".equals(c.getType()))
                                        .map(c -> new PodConditionBuilder()
                                                .withType(c.getType())
                                                .withStatus(c.getStatus())
                                                .build())
                                        .toList())
                .endStatus()
                .build();
    }

    static Namespace namespace(Namespace namespace) {
        return new NamespaceBuilder()
                .withMetadata(named(namespace.getMetadata())
                        .withLabels(namespace.getMetadata().getLabels())
                        .build())
                .build();
    }

    static Service service(Service service) {
        List<ServicePort> ports =
                service.getSpec() == null ? List.of() : service.getSpec().getPorts();
        return new ServiceBuilder()
                .withMetadata(named(service.getMetadata()).build())
                .withNewSpec()
                .withPorts(ports.stream()
                        .map(port -> new ServicePortBuilder()
                                .withName(port.getName())
                                .withProtocol(port.getProtocol())
                                .withPort(port.getPort())
                                .build())
                        .toList())
                .endSpec()
                .build();
    }

    static EndpointSlice slice(EndpointSlice slice) {
        String service = serviceOf(slice);
        return new EndpointSliceBuilder()
                .withMetadata(named(slice.getMetadata())
                        .withLabels(service == null ? Map.of() : Map.of(SERVICE_LABEL, service))
                        .build())
                .withAddressType(slice.getAddressType())
                .withPorts(slice.getPorts())
                .withEndpoints(slice.getEndpoints().stream().map(Slim::endpoint).toList())
                .build();
    }

    /** The Service that a slice belongs to; null for none. */
    static @Nullable String serviceOf(EndpointSlice slice) {
        Map<String, String> labels = slice.getMetadata().getLabels();
        return labels == null ? null : labels.get(SERVICE_LABEL);
    }

    private static Endpoint endpoint(Endpoint endpoint) {
        return new EndpointBuilder()
                .withAddresses(endpoint.getAddresses())
                .withConditions(endpoint.getConditions())
                .withNodeName(endpoint.getNodeName())
                .withTargetRef(target(endpoint.getTargetRef()))
                .build();
    }

    private static @Nullable ObjectReference target(@Nullable ObjectReference target) {
        if (target == null) {
            return null;
        }
        return new ObjectReferenceBuilder()
                .withKind(target.getKind())
                .withNamespace(target.getNamespace())
                .withName(target.getName())
                .build();
    }

    private static ObjectMetaBuilder named(ObjectMeta meta) {
        return new ObjectMetaBuilder().withNamespace(meta.getNamespace()).withName(meta.getName());
    }
}
