package li.wlz.kuport.plan;

import java.util.SortedMap;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.LabelSelector;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;
import org.jspecify.annotations.Nullable;

/** What a class permits, whoever asks: which namespaces, and which ports. */
final class ClassPermission {
    private final SortedMap<String, SortedMap<String, String>> namespaceLabels;
    private final ProtectedPorts protectedPorts;

    ClassPermission(SortedMap<String, SortedMap<String, String>> namespaceLabels, ProtectedPorts protectedPorts) {
        this.namespaceLabels = namespaceLabels;
        this.protectedPorts = protectedPorts;
    }

    /** Why the namespace may not use the class; null where it may. */
    @Nullable
    Verdict namespace(String namespace, PortClass portClass) {
        LabelSelector selector = portClass.namespaceSelector();
        if (selector.equals(LabelSelector.EVERYTHING)) {
            return null;
        }
        String mistake = Selectors.mistake(selector);
        SortedMap<String, String> labels = namespaceLabels.get(namespace);
        if (mistake == null && labels != null && selector.matches(labels)) {
            return null;
        }
        String why = mistake != null
                ? "its namespaceSelector is not valid and selects nothing: " + mistake
                : labels == null
                        ? "there is no Namespace " + namespace + " whose labels could be compared"
                        : "its namespaceSelector does not match the labels of namespace " + namespace;
        return new Verdict(
                AcceptedReason.NamespaceNotSelected,
                "PortMapClass " + portClass.name() + " does not permit it: " + why);
    }

    /** Why the ports may not be taken; null where they may. */
    @Nullable
    Verdict ports(Protocol protocol, PortRange ports, PortClass portClass) {
        PortClass.PortPolicy policy = portClass.ports();
        if (!policy.range().contains(ports)) {
            return new Verdict(
                    AcceptedReason.PortOutOfRange,
                    "PortMapClass " + portClass.name() + " permits ports " + policy.range() + ", not " + ports);
        }
        for (PortRange reserved : policy.reserved()) {
            if (reserved.overlaps(ports)) {
                return new Verdict(
                        AcceptedReason.PortReserved,
                        "PortMapClass " + portClass.name() + " reserves " + reserved + ", which " + ports + " touches");
            }
        }
        String objection = protectedPorts.objection(protocol, ports, portClass);
        return objection == null ? null : new Verdict(AcceptedReason.PortReserved, objection);
    }
}
