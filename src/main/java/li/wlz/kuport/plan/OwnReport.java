package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.Settings;

/** What this node tells the others of itself, and its admin of what is wrong. */
final class OwnReport {
    private final Settings settings;
    private final NodeFacts facts;
    private final OwnAddresses addresses;
    private final List<Offer> offers;
    private final LinkPlan link;

    OwnReport(Settings settings, NodeFacts facts, OwnAddresses addresses, List<Offer> offers, LinkPlan link) {
        this.settings = settings;
        this.facts = facts;
        this.addresses = addresses;
        this.offers = offers;
        this.link = link;
    }

    /**
     * The report.
     *
     * @param forwarded the families that this node forwards
     * @param linked the families that cross its link
     * @param more problems found elsewhere
     */
    NodeReport report(Set<IpFamily> forwarded, Set<IpFamily> linked, Set<NodeProblem> more) {
        SortedSet<NodeProblem> problems = new TreeSet<>(facts.problems());
        problems.addAll(link.problems());
        problems.addAll(more);
        problems.addAll(forwarding(forwarded));
        problems.addAll(ipv6(linked));
        problems.addAll(absentAddresses());
        return new NodeReport(
                settings.nodeName(),
                linkUp(problems),
                link.underlay(),
                link.underlayMtu(),
                link.link() == null ? 0 : link.link().mtu(),
                settings.linkPort(),
                settings.vni(),
                interfaces(),
                List.copyOf(problems));
    }

    /** Whether the device is up once this plan is carried out. */
    private boolean linkUp(Set<NodeProblem> problems) {
        return link.link() != null
                && problems.stream().noneMatch(problem -> switch (problem.reason()) {
                    case PermissionMissing, VxlanUnavailable, LinkDown -> true;
                    case NftablesUnavailable,
                            UnderlayUnknown,
                            LinkAddressCollision,
                            LinkMtuTooSmall,
                            LinkSettingsDiffer,
                            IndicesExhausted,
                            ForwardingDisabled,
                            ReversePathFilter,
                            RulePrecedence,
                            ConntrackFull,
                            RoutingUnavailable,
                            Ipv6Unavailable,
                            AddressNotOnNode,
                            ForeignDrop,
                            EarlyMasquerade,
                            NoTrack,
                            MarkClash,
                            ForeignController,
                            RulesLeft -> false;
                });
    }

    private SortedMap<String, List<IpAddress>> interfaces() {
        SortedSet<String> names = new TreeSet<>();
        for (Offer offer : offers) {
            names.addAll(offer.interfaces());
            for (EntryPoint point : offer.entryPoints()) {
                String holder = point instanceof EntryPoint.Listed listed ? addresses.holder(listed.address()) : null;
                if (holder != null) {
                    names.add(holder);
                }
            }
        }
        SortedMap<String, List<IpAddress>> interfaces = new TreeMap<>();
        names.stream()
                .filter(name -> facts.networkInterface(name).isPresent())
                .forEach(name -> interfaces.put(name, addresses.reported(name)));
        return interfaces;
    }

    private List<NodeProblem> forwarding(Set<IpFamily> forwarded) {
        List<NodeProblem> problems = new ArrayList<>();
        if (forwarded.contains(IpFamily.IPV4) && !facts.sysctls().forwarding4()) {
            problems.add(new NodeProblem(
                    NodeReason.ForwardingDisabled, "the kernel forwards no IPv4; set net.ipv4.ip_forward=1"));
        }
        if (forwarded.contains(IpFamily.IPV6)
                && facts.sysctls().ipv6()
                && !facts.sysctls().forwarding6()) {
            problems.add(new NodeProblem(
                    NodeReason.ForwardingDisabled, "the kernel forwards no IPv6; set net.ipv6.conf.all.forwarding=1"));
        }
        if (forwarded.contains(IpFamily.IPV6) && !facts.sysctls().ipv6()) {
            problems.add(new NodeProblem(
                    NodeReason.Ipv6Unavailable,
                    "pods have IPv6 addresses, but this kernel has IPv6 switched off; set net.ipv6.conf.default.disable_ipv6=0"
                            + " or boot without ipv6.disable"));
        }
        return problems;
    }

    private List<NodeProblem> ipv6(Set<IpFamily> linked) {
        if (!linked.contains(IpFamily.IPV6)
                || link.link() == null
                || link.link().mtu() >= LinkPlan.IPV6_MINIMUM_MTU) {
            return List.of();
        }
        return List.of(new NodeProblem(
                NodeReason.LinkMtuTooSmall,
                "the link's MTU is " + link.link().mtu() + ", too small for IPv6 (" + LinkPlan.IPV6_MINIMUM_MTU
                        + "); give the underlay's interface an MTU of at least "
                        + (LinkPlan.IPV6_MINIMUM_MTU + settings.linkOverhead())));
    }

    private List<NodeProblem> absentAddresses() {
        SortedSet<IpAddress> named = new TreeSet<>();
        for (Offer offer : offers) {
            offer.entryPoints().forEach(point -> {
                if (point instanceof EntryPoint.Listed listed) {
                    named.add(listed.address());
                }
            });
            named.addAll(offer.external().keySet());
        }
        named.removeIf(addresses::isLocal);
        return named.stream()
                .map(address -> new NodeProblem(
                        NodeReason.AddressNotOnNode,
                        "a PortMapClass names " + address + " for node " + settings.nodeName()
                                + ", which no interface of it holds; add it to one, or correct the class"))
                .toList();
    }
}
