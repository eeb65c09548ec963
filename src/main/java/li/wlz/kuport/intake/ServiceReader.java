package li.wlz.kuport.intake;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.World;
import org.jspecify.annotations.Nullable;

/** Reads Services and Namespaces, of which decisions need little. */
final class ServiceReader {
    static final String KIND = "Service";
    static final String NAMESPACE_KIND = "Namespace";

    /** The label that Kubernetes gives every namespace: its name. */
    private static final String NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name";

    private ServiceReader() {}

    /** The Service's ports of the protocols that are delivered. */
    static Reading<List<World.ServicePort>> read(Service service, String origin) {
        Metadata meta = Metadata.namespaced(KIND, service, origin);
        List<World.ServicePort> ports = new ArrayList<>();
        List<? extends @Nullable ServicePort> written = service.getSpec() == null
                ? List.of()
                : Written.list(service.getSpec().getPorts());
        for (int i = 0; i < written.size(); i++) {
            World.ServicePort port = port("spec.ports[" + i + "]", written.get(i), meta.mistakes());
            if (port != null) {
                ports.add(port);
            }
        }
        return Reading.of(origin, meta.key(), List.copyOf(ports), meta.mistakes());
    }

    private static World.@Nullable ServicePort port(String field, @Nullable ServicePort port, Mistakes mistakes) {
        Integer number = port == null ? null : port.getPort();
        if (port == null || number == null || !Ports.isPort(number)) {
            mistakes.add(
                    field + ".port", (number == null ? "is missing" : number + " is not a port") + "; " + Ports.RULE);
            return null;
        }
        Protocol protocol = protocol(port.getProtocol());
        return protocol == null
                ? null
                : new World.ServicePort(port.getName() == null ? "" : port.getName(), protocol, number);
    }

    /** The protocol of a Service's port, TCP where it does not say; null for one that is not delivered. */
    static @Nullable Protocol protocol(@Nullable String name) {
        if (name == null || name.isEmpty()) {
            return Protocol.TCP;
        }
        for (Protocol protocol : Protocol.values()) {
            if (protocol.name().equals(name)) {
                return protocol;
            }
        }
        return null;
    }

    /** The namespace's labels; the one with its name is there though a file may leave it out. */
    static Reading<SortedMap<String, String>> readNamespace(Namespace namespace, String origin) {
        Metadata meta = Metadata.clusterScoped(NAMESPACE_KIND, namespace, origin);
        SortedMap<String, String> labels = new TreeMap<>(meta.labels());
        if (meta.key() != null) {
            labels.put(NAMESPACE_NAME_LABEL, meta.key().name());
        }
        return Reading.of(origin, meta.key(), Sorted.copyOf(labels), meta.mistakes());
    }
}
