package li.wlz.kuport.intake;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.crd.PortMapNode;
import li.wlz.kuport.crd.PortMapNodeStatus;
import li.wlz.kuport.crd.PortMapNodeStatus.Interface;
import li.wlz.kuport.crd.PortMapNodeStatus.Link;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.NodeReport;
import org.jspecify.annotations.Nullable;

/** Makes a {@link NodeReport} of a PortMapNode. */
final class NodeReportReader {
    static final String KIND = "PortMapNode";

    private final Mistakes mistakes;

    private NodeReportReader(Mistakes mistakes) {
        this.mistakes = mistakes;
    }

    static Reading<NodeReport> read(PortMapNode node, String origin) {
        Metadata meta = Metadata.clusterScoped(KIND, node, origin);
        NodeReport report = meta.key() == null
                ? null
                : new NodeReportReader(meta.mistakes()).report(meta.key().name(), node.getStatus());
        return Reading.of(origin, meta.key(), report, meta.mistakes());
    }

    private NodeReport report(String name, @Nullable PortMapNodeStatus status) {
        Link link = status == null ? null : status.link();
        return new NodeReport(
                name,
                link != null && Boolean.TRUE.equals(link.up()),
                link == null ? List.of() : underlay(link.underlay()),
                link == null ? 0 : number(link.underlayMtu()),
                link == null ? 0 : number(link.mtu()),
                link == null ? 0 : number(link.port()),
                link == null ? 0 : number(link.vni()),
                interfaces(status == null ? List.of() : Written.list(status.interfaces())),
                problems(status == null ? List.of() : Written.list(status.problems())));
    }

    private static int number(@Nullable Integer value) {
        return value == null ? 0 : value;
    }

    private List<IpAddress> underlay(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return List.of();
        }
        IpAddress address = address("status.link.underlay", text);
        return address == null ? List.of() : List.of(address);
    }

    private SortedMap<String, List<IpAddress>> interfaces(List<? extends @Nullable Interface> interfaces) {
        SortedMap<String, List<IpAddress>> read = new TreeMap<>();
        for (int i = 0; i < interfaces.size(); i++) {
            Interface written = interfaces.get(i);
            String field = "status.interfaces[" + i + "]";
            String name = written == null ? null : written.name();
            if (written == null || name == null || !Names.isInterface(name)) {
                mistakes.add(
                        field + ".name",
                        (name == null ? "is missing" : Text.quoted(name) + " is not the name of an interface") + "; "
                                + Names.INTERFACE_RULE);
                continue;
            }
            List<IpAddress> addresses = new ArrayList<>();
            addAddresses(field + ".addresses", Written.list(written.addresses()), addresses);
            addAddresses(field + ".addresses6", Written.list(written.addresses6()), addresses);
            read.put(name, List.copyOf(addresses));
        }
        return read;
    }

    private void addAddresses(String field, List<? extends @Nullable String> texts, List<IpAddress> addresses) {
        for (int i = 0; i < texts.size(); i++) {
            IpAddress address = address(field + "[" + i + "]", texts.get(i));
            if (address != null) {
                addresses.add(address);
            }
        }
    }

    private @Nullable IpAddress address(String field, @Nullable String text) {
        Optional<IpAddress> address = text == null ? Optional.empty() : IpAddress.tryParse(text);
        if (address.isEmpty()) {
            mistakes.add(
                    field,
                    (text == null ? "is empty" : Text.quoted(text) + " is not an address")
                            + "; write one such as 203.0.113.9 or 2001:db8::9");
        }
        return address.orElse(null);
    }

    /** A newer agent may know reasons that we do not. */
    private static List<NodeProblem> problems(List<? extends PortMapNodeStatus.@Nullable Problem> problems) {
        List<NodeProblem> read = new ArrayList<>();
        for (PortMapNodeStatus.Problem problem : problems) {
            NodeReason reason = problem == null ? null : reason(problem.reason());
            if (problem != null && reason != null) {
                read.add(new NodeProblem(reason, problem.message() == null ? "" : problem.message()));
            }
        }
        return read;
    }

    private static @Nullable NodeReason reason(@Nullable String name) {
        for (NodeReason reason : NodeReason.values()) {
            if (reason.name().equals(name)) {
                return reason;
            }
        }
        return null;
    }
}
