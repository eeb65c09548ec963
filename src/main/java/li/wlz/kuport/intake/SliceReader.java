package li.wlz.kuport.intake;

import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointConditions;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import li.wlz.kuport.intake.SliceReader.Slice;
import li.wlz.kuport.model.Endpoint.Port;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.Protocol;
import org.jspecify.annotations.Nullable;

/** Makes a {@link Slice} of an EndpointSlice. */
final class SliceReader {
    static final String KIND = "EndpointSlice";

    /** The label by which a slice names its Service. */
    private static final String SERVICE_LABEL = "kubernetes.io/service-name";

    /** One EndpointSlice: endpoints of one family behind one Service. */
    record Slice(ObjectKey service, List<Member> members) {}

    /**
     * An endpoint as one slice lists it.
     *
     * @param pod null where it is no pod of the slice's namespace
     * @param address null in a slice of host names
     */
    record Member(
            @Nullable String pod,
            @Nullable String node,
            boolean ready,
            boolean serving,
            boolean terminating,
            @Nullable IpAddress address,
            List<Port> ports) {}

    private final Mistakes mistakes;
    private final String namespace;
    private final List<Port> ports;

    private SliceReader(Mistakes mistakes, String namespace, EndpointSlice slice) {
        this.mistakes = mistakes;
        this.namespace = namespace;
        this.ports = ports(Written.list(slice.getPorts()));
    }

    static Reading<Slice> read(EndpointSlice slice, String origin) {
        Metadata meta = Metadata.namespaced(KIND, slice, origin);
        String service = meta.labels().get(SERVICE_LABEL);
        // Without the label it belongs to no Service, which is allowed.
        if (meta.key() == null || service == null) {
            return Reading.of(origin, meta.key(), null, meta.mistakes());
        }
        SliceReader reader = new SliceReader(meta.mistakes(), meta.key().namespace(), slice);
        Slice read = new Slice(
                new ObjectKey(meta.key().namespace(), service),
                reader.members(Written.list(slice.getEndpoints()), "FQDN".equals(slice.getAddressType())));
        return Reading.of(origin, meta.key(), read, meta.mistakes());
    }

    private List<Port> ports(List<? extends @Nullable EndpointPort> written) {
        List<Port> read = new ArrayList<>();
        for (int i = 0; i < written.size(); i++) {
            EndpointPort port = written.get(i);
            Integer number = port == null ? null : port.getPort();
            // A port without a number stands for all of them, which a mapping cannot be made to.
            if (port == null || number == null) {
                continue;
            }
            Protocol protocol = ServiceReader.protocol(port.getProtocol());
            if (!Ports.isPort(number)) {
                mistakes.add("ports[" + i + "].port", number + " is not a port; " + Ports.RULE);
            } else if (protocol != null) {
                read.add(new Port(port.getName() == null ? "" : port.getName(), protocol, number));
            }
        }
        return List.copyOf(read);
    }

    private List<Member> members(List<? extends @Nullable Endpoint> written, boolean hostNames) {
        List<Member> read = new ArrayList<>();
        for (int i = 0; i < written.size(); i++) {
            Endpoint endpoint = written.get(i);
            IpAddress address = endpoint == null || hostNames ? null : address(i, endpoint);
            if (endpoint != null && (address != null || hostNames)) {
                read.add(member(endpoint, address));
            }
        }
        return List.copyOf(read);
    }

    /** All addresses of an endpoint are alike; Kubernetes itself uses the first. */
    private @Nullable IpAddress address(int index, Endpoint endpoint) {
        String field = "endpoints[" + index + "].addresses";
        if (endpoint.getAddresses() == null || endpoint.getAddresses().isEmpty()) {
            mistakes.add(field, "is empty; an endpoint has an address");
            return null;
        }
        String text = endpoint.getAddresses().getFirst();
        Optional<IpAddress> address = text == null ? Optional.empty() : IpAddress.tryParse(text);
        if (address.isEmpty()) {
            mistakes.add(
                    field + "[0]",
                    (text == null ? "is empty" : Text.quoted(text) + " is not an address")
                            + "; write the pod's address");
            return null;
        }
        IpAddress found = address.get();
        if (found.isUnspecified() || found.isLoopback() || found.isLinkLocal() || found.isMulticast()) {
            mistakes.add(field + "[0]", found + " cannot be an endpoint's; write the pod's address");
            return null;
        }
        return found;
    }

    private Member member(Endpoint endpoint, @Nullable IpAddress address) {
        EndpointConditions conditions = endpoint.getConditions();
        Boolean ready = conditions == null ? null : conditions.getReady();
        Boolean serving = conditions == null ? null : conditions.getServing();
        boolean isReady = ready == null || ready;
        return new Member(
                pod(endpoint.getTargetRef()),
                endpoint.getNodeName(),
                isReady,
                serving == null ? isReady : serving,
                conditions != null && Boolean.TRUE.equals(conditions.getTerminating()),
                address,
                ports);
    }

    /** The pod's name; a slice does not speak for pods of other namespaces. */
    private @Nullable String pod(@Nullable ObjectReference target) {
        if (target == null || !"Pod".equals(target.getKind()) || target.getName() == null) {
            return null;
        }
        boolean ours = target.getNamespace() == null || target.getNamespace().equals(namespace);
        return ours && Names.isObjectName(target.getName()) ? target.getName() : null;
    }
}
