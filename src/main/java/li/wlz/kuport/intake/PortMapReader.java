package li.wlz.kuport.intake;

import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapSpec;
import li.wlz.kuport.crd.PortMapSpec.ServiceRef;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.World.Refusal;
import org.jspecify.annotations.Nullable;

/** Makes a {@link PortRequest} of a PortMap. */
final class PortMapReader {
    static final String KIND = "PortMap";

    private final Metadata meta;
    private final ObjectKey key;
    private @Nullable Refusal refusal;

    private PortMapReader(Metadata meta, ObjectKey key) {
        this.meta = meta;
        this.key = key;
    }

    static Reading<PortRequest> read(PortMap portMap, String origin) {
        Metadata meta = Metadata.namespaced(KIND, portMap, origin);
        ObjectKey key = meta.key();
        // One that is being deleted counts as gone: nothing of it needs to be cleaned up first.
        if (key == null || meta.deleted()) {
            return Reading.of(origin, null, null, meta.mistakes());
        }
        PortMapReader reader = new PortMapReader(meta, key);
        PortRequest request = reader.request(portMap);
        return new Reading<>(
                origin, key, request, reader.refusal, meta.mistakes().problems());
    }

    /** The checks go by the order of {@link AcceptedReason}, so that the first refusal is the one that counts. */
    private @Nullable PortRequest request(PortMap portMap) {
        PortMapSpec spec = portMap.getSpec();
        if (spec == null) {
            meta.mistakes().add("spec", "is missing; it needs className, protocol, port and serviceRef");
            return null;
        }
        Protocol protocol = protocol(spec.protocol());
        String className = className(spec.className());
        PortRange ports = ports(spec.port(), spec.endPort());
        List<String> interfaces = interfaces(Written.list(spec.interfaces()));
        ServiceRef service = Objects.requireNonNullElse(spec.serviceRef(), new ServiceRef(null, null));
        String serviceName = serviceName(service.name());
        String servicePort = servicePort(service.port());
        if (protocol == null
                || className == null
                || ports == null
                || interfaces == null
                || serviceName == null
                || servicePort == null) {
            return null;
        }
        PortMapMemory memory = PortMapMemory.of(portMap.getStatus());
        return new PortRequest(
                key,
                meta.created(),
                meta.generation(),
                className,
                protocol,
                ports,
                interfaces,
                serviceName,
                servicePort,
                memory.endpoint(),
                memory.servingNode(),
                memory.rows());
    }

    private void refuse(AcceptedReason reason, String field, String message) {
        meta.mistakes().add(field, message);
        if (refusal == null) {
            refusal = new Refusal(key, meta.generation(), reason, field + ": " + message);
        }
    }

    /** No reason of the condition fits a wrong protocol, which the API server refuses at once. */
    private @Nullable Protocol protocol(@Nullable String name) {
        for (Protocol protocol : Protocol.values()) {
            if (protocol.name().equals(name)) {
                return protocol;
            }
        }
        String wrong;
        if (name == null) {
            wrong = "is missing";
        } else if (name.equals("SCTP")) {
            wrong = "SCTP is not delivered";
        } else {
            wrong = Text.quoted(name) + " is not a protocol";
        }
        meta.mistakes().add("spec.protocol", wrong + "; write TCP or UDP");
        return null;
    }

    private @Nullable String className(@Nullable String name) {
        if (name != null && Names.isObjectName(name)) {
            return name;
        }
        refuse(
                AcceptedReason.ClassNotFound,
                "spec.className",
                wrong(name, " cannot be the name of a PortMapClass") + "; write the name of a PortMapClass");
        return null;
    }

    private @Nullable PortRange ports(@Nullable Integer first, @Nullable Integer last) {
        boolean right = checkedPort("spec.port", first, first == null);
        right &= last == null || checkedPort("spec.endPort", last, false);
        if (!right || first == null) {
            return null;
        }
        if (last != null && last < first) {
            refuse(
                    AcceptedReason.InvalidPortRange,
                    "spec.endPort",
                    last + " is lower than port, which is " + first + "; endPort is the last port of the range");
            return null;
        }
        return new PortRange(first, last == null ? first : last);
    }

    private boolean checkedPort(String field, @Nullable Integer port, boolean missing) {
        if (port != null && Ports.isPort(port)) {
            return true;
        }
        refuse(
                AcceptedReason.InvalidPortRange,
                field,
                (missing ? "is missing" : port + " is not a port") + "; " + Ports.RULE);
        return false;
    }

    /** A name that cannot be used is not left out: without any, the mapping would answer on all that the class gives. */
    private @Nullable List<String> interfaces(List<? extends @Nullable String> names) {
        List<String> read = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            if (name != null && Names.isInterface(name)) {
                read.add(name);
            } else {
                refuse(
                        AcceptedReason.InterfaceNotInClass,
                        "spec.interfaces[" + i + "]",
                        wrong(name, " is not the name of an interface") + "; " + Names.INTERFACE_RULE);
            }
        }
        return read.size() == names.size() ? read : null;
    }

    private @Nullable String serviceName(@Nullable String name) {
        if (name != null && Names.isLabelName(name)) {
            return name;
        }
        refuse(
                AcceptedReason.ServiceNotFound,
                "spec.serviceRef.name",
                wrong(name, " cannot be the name of a Service") + "; write the name of a Service of namespace "
                        + key.namespace());
        return null;
    }

    private @Nullable String servicePort(@Nullable IntOrString port) {
        String text = port == null ? "" : Ports.text(port);
        boolean number = text.matches("-?[0-9]+");
        boolean right =
                number ? text.matches("[0-9]{1,5}") && Ports.isPort(Integer.parseInt(text)) : Names.isLabelName(text);
        if (right) {
            return number ? Integer.toString(Integer.parseInt(text)) : text;
        }
        refuse(
                AcceptedReason.ServicePortNotFound,
                "spec.serviceRef.port",
                wrong(text.isEmpty() ? null : text, " is neither the name of a port nor its number")
                        + "; write the name of a port of the Service, or its number, 1 to 65535");
        return null;
    }

    private static String wrong(@Nullable String text, String how) {
        return text == null || text.isEmpty() ? "is missing" : Text.quoted(text) + how;
    }
}
