package li.wlz.kuport.plan;

import java.util.Map;
import li.wlz.kuport.model.Blockade;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodePlan.Peer;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.ProgrammedReason;
import li.wlz.kuport.model.Target;
import org.jspecify.annotations.Nullable;

/** Where this node sends packets for a pod: to the pod itself if it is here, else to its node over the link. */
final class Way {
    private final String self;
    private final NodeFacts facts;
    private final LinkPlan link;
    private final LinkAddresses addresses;
    private final Map<String, NodeReport> reports;

    Way(String self, NodeFacts facts, LinkPlan link, LinkAddresses addresses, Map<String, NodeReport> reports) {
        this.self = self;
        this.facts = facts;
        this.link = link;
        this.addresses = addresses;
        this.reports = reports;
    }

    /** The target of what was dialled at an entry point of this node; null where there is no way to the pod. */
    @Nullable
    Target fromHere(Mapping mapping, Pod pod, IpFamily family, EntryPoint dialled) {
        if (pod.node().equals(self)) {
            return toLocal(mapping, pod, family);
        }
        Peer peer = link.peers().get(pod.node());
        boolean passes = pod.address(family) != null
                && forwards(family)
                && mapping.scope().classNodes().usesLink()
                && peer != null
                && link.carries(family, peer);
        return passes
                ? new Target(
                        addresses.towards(family, self, pod.node(), dialled.text()),
                        mapping.request().ports())
                : null;
    }

    /** The target of what is for a pod of this node; null where the pod has none of that family, or it is not forwarded. */
    @Nullable
    Target toLocal(Mapping mapping, Pod pod, IpFamily family) {
        IpAddress address = pod.address(family);
        PortRange ports = pod.ports(mapping.request(), mapping.accepted().servicePort());
        return address == null || ports == null || !(pod.hostNetwork() || forwards(family))
                ? null
                : new Target(address, ports);
    }

    boolean forwards(IpFamily family) {
        return switch (family) {
            case IPV4 -> facts.sysctls().forwarding4();
            case IPV6 -> facts.sysctls().forwarding6() && facts.sysctls().ipv6();
        };
    }

    /** Notes what keeps packets of this node from a pod on another. */
    void examineLinkTo(Mapping mapping, Pod pod, Findings findings) {
        String node = pod.node();
        if (!mapping.scope().classNodes().usesLink()) {
            findings.add(
                    ProgrammedReason.ReturnPathUnavailable,
                    pod + " could not be told the way back to node " + self + ", since PortMapClass "
                            + mapping.scope().portClass().name()
                            + " has returnPath.mode None; let the pod run on an accepting node, or use Vxlan");
            return;
        }
        Peer peer = link.peers().get(node);
        if (peer == null) {
            findings.add(ProgrammedReason.ReturnPathUnavailable, unreachable(node));
            return;
        }
        NodeReport report = reports.get(node);
        if (report != null && !report.linkUp()) {
            findings.add(
                    ProgrammedReason.ReturnPathUnavailable,
                    "the link device of node " + node + " is not up; see its PortMapNode");
        }
        if (pod.address(IpFamily.IPV6) != null && !link.carries(IpFamily.IPV6, peer)) {
            lacksIpv6(pod, "the link to node " + node + " carries no IPv6", findings);
        }
    }

    /** Why a node is no peer, in a sentence. */
    String unreachable(String node) {
        String why = link.unreachable().get(node);
        if (why != null) {
            return why;
        }
        return link.lack().isEmpty() ? "node " + node + " has no part in the link" : link.lack();
    }

    /** Notes what keeps this node from forwarding to a pod, wherever it is. */
    void examineForwarding(Pod pod, Findings findings) {
        if (pod.hostNetwork() && pod.node().equals(self)) {
            return;
        }
        if (pod.address(IpFamily.IPV4) != null && !forwards(IpFamily.IPV4)) {
            findings.add(
                    ProgrammedReason.NodeNotReady, "node " + self + " forwards no IPv4; set net.ipv4.ip_forward=1");
        }
        if (pod.address(IpFamily.IPV6) != null && !forwards(IpFamily.IPV6)) {
            lacksIpv6(pod, "node " + self + " forwards no IPv6 (net.ipv6.conf.all.forwarding)", findings);
        }
    }

    /** Notes where somebody else's rules drop what is for a pod. */
    void examineBlockades(Pod pod, boolean accepts, Findings findings) {
        boolean here = pod.node().equals(self);
        if (here && pod.hostNetwork()) {
            return;
        }
        Blockade.Stretch stretch = !accepts
                ? Blockade.Stretch.LINK_TO_POD
                : here ? Blockade.Stretch.UPLINK_TO_POD : Blockade.Stretch.UPLINK_TO_LINK;
        for (NodeProblem problem : facts.problems()) {
            for (IpFamily family : IpFamily.values()) {
                boolean blocked = problem.blockades().contains(new Blockade(stretch, family));
                if (blocked && pod.address(family) != null) {
                    blocked(pod, family, problem.message(), findings);
                }
            }
        }
    }

    private static void blocked(Pod pod, IpFamily family, String why, Findings findings) {
        if (family == IpFamily.IPV6 && pod.address(IpFamily.IPV4) != null) {
            findings.remark(why);
        } else {
            findings.add(ProgrammedReason.ForwardingBlocked, why);
        }
    }

    private static void lacksIpv6(Pod pod, String why, Findings findings) {
        if (pod.address(IpFamily.IPV4) == null) {
            findings.add(ProgrammedReason.ReturnPathUnavailable, why + ", and " + pod + " has no IPv4 address");
        } else {
            findings.remark(why + ": IPv4 only");
        }
    }
}
