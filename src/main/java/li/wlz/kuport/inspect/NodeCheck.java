package li.wlz.kuport.inspect;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NetworkInterface;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.netlink.Link;
import li.wlz.kuport.netlink.RoutingState;
import org.jspecify.annotations.Nullable;

/**
 * Whether a node has what kuport needs: the answer of {@code kuport check}.
 *
 * @param node the node's name
 * @param lines one for each precondition, and one for each further problem
 */
public record NodeCheck(String node, List<Line> lines) {
    /** IPv6 takes no link with less (RFC 8200, section 5). */
    private static final int SMALLEST_FOR_IPV6 = 1280;

    /** Made by Cilium, and by Calico's eBPF mode. */
    private static final Set<String> EBPF_DEVICES = Set.of("cilium_host", "bpfin.cali");

    /** How a precondition stands. */
    public enum Verdict {
        /** It is met. */
        ok,
        /** It is met for some uses only, or could not be looked at. */
        warning,
        /** It is not met: kuport does not work here. */
        missing
    }

    /**
     * One precondition.
     *
     * @param mend the command that puts it right; null where nothing is to be done, or no one command does it
     */
    public record Line(
            String precondition,
            Verdict verdict,
            String message,
            @Nullable String mend) {}

    public NodeCheck {
        lines = List.copyOf(lines);
    }

    /**
     * Checks a node.
     *
     * @param facts what its kernel has, completed by what is in the way of the link
     * @param routing what is ours there already
     * @param unread rules of others that could not be looked at, and why
     */
    public static NodeCheck of(Settings settings, NodeFacts facts, RoutingState routing, List<String> unread) {
        List<Line> lines = new ArrayList<>(new Checks(settings, facts, routing).lines());
        unread.forEach(why -> lines.add(new Line(
                "iptables-legacy",
                Verdict.warning,
                "has tables whose rules were not looked at, and may drop what is delivered: " + why,
                "iptables-legacy-save; ip6tables-legacy-save")));
        return new NodeCheck(settings.nodeName(), lines);
    }

    /** Whether kuport can work here. */
    public boolean passed() {
        return lines.stream().noneMatch(line -> line.verdict() == Verdict.missing);
    }

    /** The answer as a person likes to read it. */
    public String text() {
        StringBuilder text = new StringBuilder("node " + node + "\n");
        for (Line line : lines) {
            text.append("%-8s %-20s %s%n".formatted(line.verdict(), line.precondition(), line.message()));
            if (line.mend() != null) {
                text.append("%-8s %-20s %s%n".formatted("", "", "mend: " + line.mend()));
            }
        }
        return text.toString();
    }

    /** What is told of problems together. */
    private enum Precondition {
        permission(
                "this process may change the node's network",
                "run it as user 0 with the capability NET_ADMIN, in the node's network namespace",
                NodeReason.PermissionMissing),
        nftables(
                "nf_tables is there, with each part that the rules use",
                "modprobe nf_tables",
                NodeReason.NftablesUnavailable),
        vxlan(
                "VXLAN is there, and nothing is in the way of device " + Ours.LINK_DEVICE,
                "modprobe vxlan; ip -details link show type vxlan",
                NodeReason.VxlanUnavailable),
        forwarding(
                "the kernel forwards",
                "sysctl -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1",
                NodeReason.ForwardingDisabled),
        ipv6("the kernel has IPv6", "sysctl -w net.ipv6.conf.default.disable_ipv6=0", NodeReason.Ipv6Unavailable),
        reverse_path_filter("no interface drops clients whose way back is another", null, NodeReason.ReversePathFilter);

        private final String met;
        private final @Nullable String mend;
        private final NodeReason reason;

        Precondition(String met, @Nullable String mend, NodeReason reason) {
            this.met = met;
            this.mend = mend;
            this.reason = reason;
        }

        private String title() {
            return switch (this) {
                case permission, nftables, forwarding -> name();
                case vxlan -> "VXLAN";
                case ipv6 -> "IPv6";
                case reverse_path_filter -> "reverse path filter";
            };
        }
    }

    /** Puts the lines together. */
    private static final class Checks {
        private final Settings settings;
        private final NodeFacts facts;
        private final @Nullable Link own;
        private final List<NodeProblem> always;
        private final List<NodeProblem> withIpv6;
        private final List<Line> lines = new ArrayList<>();

        Checks(Settings settings, NodeFacts facts, RoutingState routing) {
            this.settings = settings;
            this.facts = facts;
            this.own = routing.link(Ours.LINK_DEVICE)
                    .filter(link -> link.alias().equals(Ours.LINK_ALIAS))
                    .orElse(null);
            Rehearsal rehearsal = new Rehearsal(settings, facts);
            always = rehearsal.problems(IpFamily.IPV4);
            withIpv6 = rehearsal.problems(IpFamily.IPV4, IpFamily.IPV6);
        }

        List<Line> lines() {
            Set<NodeReason> told = Set.of(NodeReason.UnderlayUnknown, NodeReason.LinkMtuTooSmall);
            List<NodeProblem> rest = new ArrayList<>(withIpv6);
            rest.removeIf(problem -> told.contains(problem.reason()));
            for (Precondition precondition : Precondition.values()) {
                lines.add(line(precondition));
                rest.removeIf(problem -> problem.reason() == precondition.reason);
            }
            mesh();
            linkPort();
            datapath();
            rest.forEach(
                    problem -> lines.add(new Line(problem.reason().name(), Verdict.warning, problem.message(), null)));
            return lines;
        }

        private Line line(Precondition precondition) {
            List<NodeProblem> found = withIpv6.stream()
                    .filter(problem -> problem.reason() == precondition.reason)
                    .toList();
            if (!found.isEmpty()) {
                return new Line(precondition.title(), verdict(precondition, found), words(found), precondition.mend);
            }
            boolean unseen =
                    !mayLook() && (precondition == Precondition.nftables || precondition == Precondition.vxlan);
            return unseen
                    ? new Line(precondition.title(), Verdict.warning, "not looked at, for want of the permission", null)
                    : new Line(precondition.title(), Verdict.ok, precondition.met, null);
        }

        private Verdict verdict(Precondition precondition, List<NodeProblem> found) {
            return switch (precondition) {
                case permission, nftables, vxlan -> Verdict.missing;
                // What only pods with IPv6 addresses need is no reason not to begin.
                case forwarding -> found.stream().anyMatch(always::contains) ? Verdict.missing : Verdict.warning;
                case ipv6, reverse_path_filter -> Verdict.warning;
            };
        }

        private boolean mayLook() {
            return facts.problems().stream().noneMatch(p -> p.reason() == NodeReason.PermissionMissing);
        }

        private static String words(List<NodeProblem> problems) {
            return problems.stream().map(NodeProblem::message).collect(Collectors.joining("; "));
        }

        /** The node's address in the mesh, and what the mesh leaves for packets of the link. */
        private void mesh() {
            Optional<IpAddress> address = underlay();
            NetworkInterface device = address.flatMap(facts::holderOf).orElse(null);
            if (address.isEmpty() || device == null) {
                lines.add(
                        settings.underlayCidrs().isEmpty()
                                ? new Line(
                                        "mesh address",
                                        Verdict.warning,
                                        "not looked at: give --underlay-cidr, such as the Node's InternalIP with /"
                                                + settings.underlayFamily().bits(),
                                        null)
                                : new Line(
                                        "mesh address",
                                        Verdict.missing,
                                        "no interface holds an " + settings.underlayFamily() + " address within "
                                                + settings.underlayCidrs().stream()
                                                        .map(Cidr::toString)
                                                        .collect(Collectors.joining(", ")),
                                        "kubectl annotate node " + settings.nodeName() + " "
                                                + ClusterNode.UNDERLAY_ANNOTATION + "=ADDRESS"));
                return;
            }
            lines.add(new Line("mesh address", Verdict.ok, address.get() + " on " + device.name(), null));
            int mtu = device.mtu() - settings.linkOverhead();
            lines.add(
                    mtu >= SMALLEST_FOR_IPV6
                            ? new Line("mesh MTU", Verdict.ok, device.mtu() + ", which leaves the link " + mtu, null)
                            : new Line(
                                    "mesh MTU",
                                    Verdict.warning,
                                    device.mtu() + ", which leaves the link " + mtu + ": too small for IPv6 ("
                                            + SMALLEST_FOR_IPV6 + ")",
                                    "ip link set " + device.name() + " mtu "
                                            + (SMALLEST_FOR_IPV6 + settings.linkOverhead())));
        }

        private Optional<IpAddress> underlay() {
            Optional<IpAddress> found = OwnPortMapNode.underlay(settings, facts);
            return found.isPresent() || own == null
                    ? found
                    : Optional.ofNullable(own.vxlan()).map(Link.Vxlan::local);
        }

        private void linkPort() {
            Link.Vxlan ours = own == null ? null : own.vxlan();
            String port = "UDP " + (ours == null ? settings.linkPort() : ours.port());
            boolean taken = facts.listeners().stream()
                    .anyMatch(
                            listener -> listener.protocol() == Protocol.UDP && listener.port() == settings.linkPort());
            if (ours != null) {
                lines.add(new Line("link port", Verdict.ok, port + " is used by kuport's own link", null));
            } else if (taken) {
                lines.add(new Line(
                        "link port",
                        Verdict.missing,
                        port + " is another program's: stop it, or give the agents of all nodes another --link-port",
                        "ss -ulnp sport = :" + settings.linkPort()));
            } else {
                lines.add(new Line("link port", Verdict.ok, port + " is free", null));
            }
        }

        /** Devices betray a datapath that may keep pods' packets from netfilter; whether it does, only its own settings tell. */
        private void datapath() {
            Optional<String> device = facts.interfaces().stream()
                    .map(NetworkInterface::name)
                    .filter(EBPF_DEVICES::contains)
                    .findFirst();
            lines.add(device.map(name -> new Line(
                            "pods' packets",
                            Verdict.warning,
                            "device " + name
                                    + " belongs to an eBPF datapath: pods' packets must pass the host's netfilter;"
                                    + " see docs/integration.md",
                            null))
                    .orElseGet(() ->
                            new Line("pods' packets", Verdict.ok, "no device of an eBPF datapath is here", null)));
        }
    }
}
