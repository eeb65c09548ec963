package li.wlz.kuport.intake;

import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import li.wlz.kuport.crd.PortMapClass;
import li.wlz.kuport.crd.PortMapClassSpec;
import li.wlz.kuport.crd.PortMapClassSpec.ReturnPath;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.LabelSelector;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.PortClass.NodeOffer;
import li.wlz.kuport.model.PortClass.PortPolicy;
import li.wlz.kuport.model.PortClass.ReturnPathMode;
import li.wlz.kuport.model.PortClass.ServingMode;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Problem;
import li.wlz.kuport.model.World.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * Makes a {@link PortClass} of a PortMapClass.
 *
 * <p>A mistake never widens what is permitted: where leaving out the wrong part permits less (a node, an interface, an allowed
 * port), the rest counts; where it would permit more (a selector of namespaces, a reserved port), the class does not.
 */
final class PortClassReader {
    static final String KIND = "PortMapClass";

    private final Mistakes mistakes;

    /** How many of the problems leave the class in force; those after them do not. */
    private int harmless;

    private PortClassReader(Mistakes mistakes) {
        this.mistakes = mistakes;
    }

    static Reading<PortClass> read(PortMapClass portMapClass, String origin) {
        Metadata meta = Metadata.clusterScoped(KIND, portMapClass, origin);
        ObjectKey key = meta.key();
        if (key == null) {
            return Reading.of(origin, null, null, meta.mistakes());
        }
        PortClassReader reader = new PortClassReader(meta.mistakes());
        PortClass read = reader.portClass(meta, key.name(), portMapClass.getSpec());
        List<Problem> problems = meta.mistakes().problems();
        Refusal refusal = read == null ? refusal(key, meta.generation(), problems.get(reader.harmless)) : null;
        return new Reading<>(origin, key, read, refusal, problems);
    }

    /** What those who ask for the class are told. */
    private static Refusal refusal(ObjectKey key, long generation, Problem problem) {
        return new Refusal(
                key,
                generation,
                AcceptedReason.ClassNotFound,
                "PortMapClass " + key + " cannot be used: " + problem.field() + ": " + problem.message());
    }

    private @Nullable PortClass portClass(Metadata meta, String name, @Nullable PortMapClassSpec spec) {
        if (spec == null) {
            harmless = mistakes.count();
            mistakes.add("spec", "is missing; it needs nodes and returnPath.mode");
            return null;
        }
        NodeOfferReader offers = new NodeOfferReader(mistakes);
        List<String> interfaces = offers.interfaces("spec.interfaces", Written.list(spec.interfaces()));
        LabelSelector nodeSelector = nodeSelector(spec.nodeSelector(), interfaces);
        SortedMap<String, NodeOffer> nodes = offers.read(Written.map(spec.nodes()), nodeSelector != null);
        if (nodes.isEmpty() && nodeSelector == null) {
            mistakes.add("spec.nodes", "names no node that can be used, so nothing is served; name at least one");
        }
        PortMapClassSpec.Ports written =
                Objects.requireNonNullElse(spec.ports(), new PortMapClassSpec.Ports(null, null, null, null));
        List<PortRange> allowed = ranges("spec.ports.allowProtected", Written.list(written.allowProtected()));

        harmless = mistakes.count();
        ServingMode servingMode = servingMode(spec.servingMode());
        PortPolicy ports = ports(written, allowed);
        LabelSelector namespaces = spec.namespaceSelector() == null
                ? LabelSelector.EVERYTHING
                : Selectors.read("spec.namespaceSelector", spec.namespaceSelector(), mistakes);
        ReturnPathMode returnPath = returnPath(spec.returnPath());
        if (servingMode == null || ports == null || namespaces == null || returnPath == null) {
            return null;
        }
        return new PortClass(
                name,
                meta.created(),
                meta.generation(),
                nodes,
                nodeSelector,
                interfaces,
                servingMode,
                ports,
                namespaces,
                returnPath,
                spec.returnPath() == null ? null : vxlan(spec.returnPath().vxlan()));
    }

    private @Nullable LabelSelector nodeSelector(
            io.fabric8.kubernetes.api.model.@Nullable LabelSelector selector, List<String> interfaces) {
        if (selector == null) {
            return null;
        }
        if (interfaces.isEmpty()) {
            mistakes.add(
                    "spec.interfaces",
                    "names no interface, so the nodes of nodeSelector offer nothing; name at least one");
            return null;
        }
        return Selectors.read("spec.nodeSelector", selector, mistakes);
    }

    private @Nullable ServingMode servingMode(@Nullable String name) {
        if (name == null) {
            return ServingMode.Single;
        }
        for (ServingMode mode : ServingMode.values()) {
            if (mode.name().equals(name)) {
                return mode;
            }
        }
        mistakes.add("spec.servingMode", Text.quoted(name) + " is not a mode; write Single or Multi");
        return null;
    }

    private @Nullable ReturnPathMode returnPath(@Nullable ReturnPath path) {
        String name = path == null ? null : path.mode();
        for (ReturnPathMode mode : ReturnPathMode.values()) {
            if (mode.name().equals(name)) {
                return mode;
            }
        }
        mistakes.add(
                "spec.returnPath.mode",
                (name == null ? "is missing" : Text.quoted(name) + " is not a mode") + "; write Vxlan or None");
        return null;
    }

    /** The settings are compared with the agents' and nothing else, so that a wrong one is as good as none. */
    private PortClass.@Nullable Vxlan vxlan(PortMapClassSpec.@Nullable Vxlan vxlan) {
        if (vxlan == null) {
            return null;
        }
        return new PortClass.Vxlan(
                number("spec.returnPath.vxlan.vni", vxlan.vni(), 0xffffff),
                number("spec.returnPath.vxlan.port", vxlan.port(), 65535));
    }

    private int number(String field, @Nullable Integer value, int highest) {
        if (value == null) {
            return 0;
        }
        if (value < 1 || value > highest) {
            mistakes.add(field, value + " is out of range; write 1 to " + highest);
            return 0;
        }
        return value;
    }

    private @Nullable PortPolicy ports(PortMapClassSpec.Ports ports, List<PortRange> allowed) {
        PortRange range = range(ports.min(), ports.max());
        List<PortRange> reserved = ranges("spec.ports.reserved", Written.list(ports.reserved()));
        boolean allReserved = reserved.size() == Written.list(ports.reserved()).size();
        return range == null || !allReserved ? null : new PortPolicy(range, reserved, allowed);
    }

    private @Nullable PortRange range(@Nullable Integer min, @Nullable Integer max) {
        int first = min == null ? 1 : min;
        int last = max == null ? 65535 : max;
        boolean right = checkedPort("spec.ports.min", first);
        right &= checkedPort("spec.ports.max", last);
        if (!right) {
            return null;
        }
        if (first > last) {
            mistakes.add(
                    "spec.ports.min", first + " is greater than max, which is " + last + "; no port is between them");
            return null;
        }
        return new PortRange(first, last);
    }

    private boolean checkedPort(String field, int port) {
        if (!Ports.isPort(port)) {
            mistakes.add(field, port + " is not a port; " + Ports.RULE);
        }
        return Ports.isPort(port);
    }

    private List<PortRange> ranges(String field, List<? extends @Nullable IntOrString> ports) {
        List<PortRange> ranges = new ArrayList<>();
        for (int i = 0; i < ports.size(); i++) {
            PortRange range = Ports.range(field + "[" + i + "]", ports.get(i), mistakes);
            if (range != null) {
                ranges.add(range);
            }
        }
        return ranges;
    }
}
