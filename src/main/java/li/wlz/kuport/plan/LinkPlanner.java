package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MacAddress;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.NetworkInterface;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodePlan.Link;
import li.wlz.kuport.model.NodePlan.Peer;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.Settings;
import org.jspecify.annotations.Nullable;

/**
 * Plans this node's link from classes and nodes alone, never from mappings, so that links stay while mappings come and go.
 *
 * <p>A node that accepts has every other node as a peer, since a pod may appear on any; other nodes have those that accept.
 */
final class LinkPlanner {
    private static final Comparator<ClusterNode> OLDEST_FIRST =
            Comparator.comparingLong(ClusterNode::created).thenComparing(ClusterNode::name);

    private final Settings settings;
    private final LinkAddresses addresses;
    private final Agreement agreement;
    private final NodeFacts facts;
    private final Underlay underlay;
    private final SortedMap<String, SortedSet<String>> entryPoints;
    private final SortedSet<NodeProblem> problems = new TreeSet<>();
    private final SortedMap<String, String> unreachable = new TreeMap<>();

    LinkPlanner(Settings settings, LinkAddresses addresses, Agreement agreement, NodeFacts facts) {
        this.settings = settings;
        this.addresses = addresses;
        this.agreement = agreement;
        this.facts = facts;
        this.underlay = new Underlay(agreement, settings, facts);
        this.entryPoints = entryPoints(agreement);
    }

    /** The entry points of each accepting node whose traffic may take the link, as they enter link addresses. */
    private static SortedMap<String, SortedSet<String>> entryPoints(Agreement agreement) {
        SortedMap<String, SortedSet<String>> all = new TreeMap<>();
        agreement.classes().values().stream()
                .filter(ClassNodes::usesLink)
                .forEach(portClass -> portClass
                        .offers()
                        .forEach((node, offer) -> offer.entryPoints()
                                .forEach(point -> all.computeIfAbsent(node, n -> new TreeSet<>())
                                        .add(point.text()))));
        return all;
    }

    LinkPlan plan() {
        Optional<IpAddress> own = underlay.own();
        NetworkInterface device = own.flatMap(facts::holderOf).orElse(null);
        Map<ClusterNode, IpAddress> candidates = candidates();
        Optional<String> denied = denied();
        Link link = candidates.isEmpty() || own.isEmpty() || device == null || denied.isPresent()
                ? null
                : link(own.get(), device);
        String lack = link != null ? "" : denied.orElseGet(() -> lack(own.isPresent(), candidates.isEmpty()));
        SortedMap<String, Peer> peers = link == null ? new TreeMap<>() : peers(link, candidates);
        return new LinkPlan(
                link, peers, lack, unreachable, own.stream().toList(), device == null ? 0 : device.mtu(), problems);
    }

    /** Why the kernel can have no link device: without one, packets for it would go to the default route. */
    private Optional<String> denied() {
        return facts.problems().stream()
                .filter(problem -> problem.reason() == NodeReason.VxlanUnavailable)
                .findFirst()
                .map(NodeProblem::message);
    }

    private String lack(boolean underlayKnown, boolean nobodyThere) {
        if (nobodyThere) {
            return "no other node is known to have a link";
        }
        if (!underlayKnown) {
            problems.add(new NodeProblem(NodeReason.UnderlayUnknown, underlay.lack()));
            return underlay.lack();
        }
        return problems.stream()
                .filter(p -> p.reason() == NodeReason.LinkAddressCollision)
                .findFirst()
                .map(NodeProblem::message)
                .orElseThrow();
    }

    /** The nodes that should be peers and have an underlay address, oldest first. */
    private Map<ClusterNode, IpAddress> candidates() {
        boolean accepts = entryPoints.containsKey(settings.nodeName());
        Map<ClusterNode, IpAddress> candidates = new TreeMap<>(OLDEST_FIRST);
        for (ClusterNode node : agreement.nodes().values()) {
            if (node.name().equals(settings.nodeName()) || (!accepts && !entryPoints.containsKey(node.name()))) {
                continue;
            }
            IpAddress address = underlay.of(node);
            if (address != null) {
                candidates.put(node, address);
            } else {
                noUnderlay(node);
            }
        }
        return candidates;
    }

    private void noUnderlay(ClusterNode node) {
        boolean reports = agreement.nodeReports().containsKey(node.name());
        String why = reports || !agreement.rowsShared()
                ? "node " + node.name() + " has no " + settings.underlayFamily()
                        + " underlay address; annotate its Node with " + ClusterNode.UNDERLAY_ANNOTATION
                : "node " + node.name() + " has no PortMapNode: is the agent running there?";
        unreachable.put(node.name(), why);
        if (reports) {
            problems.add(new NodeProblem(NodeReason.UnderlayUnknown, why));
        }
    }

    private @Nullable Link link(IpAddress own, NetworkInterface device) {
        String self = settings.nodeName();
        String older = olderWithMac(agreement.nodes().get(self), self);
        if (older != null) {
            problems.add(collision(self, older));
            return null;
        }
        facts.networkInterface(Ours.LINK_DEVICE)
                .filter(d -> !d.up())
                .ifPresent(d -> problems.add(new NodeProblem(
                        NodeReason.LinkDown, "device " + d.name() + " is down; ip link set " + d.name() + " up")));
        int mtu = device.mtu() - settings.linkOverhead();
        boolean carries6 = facts.sysctls().ipv6() && mtu >= LinkPlan.IPV6_MINIMUM_MTU;
        return new Link(
                addresses.mac(self),
                own,
                mtu,
                settings.vni(),
                settings.linkPort(),
                addresses.own(IpFamily.IPV4, self),
                carries6 ? addresses.own(IpFamily.IPV6, self) : null);
    }

    private @Nullable String olderWithMac(@Nullable ClusterNode node, String name) {
        MacAddress mac = addresses.mac(name);
        return agreement.nodes().values().stream()
                .filter(other -> !other.name().equals(name)
                        && addresses.mac(other.name()).equals(mac))
                .filter(other -> node == null || OLDEST_FIRST.compare(other, node) < 0)
                .map(ClusterNode::name)
                .findFirst()
                .orElse(null);
    }

    private static NodeProblem collision(String younger, String older) {
        return new NodeProblem(
                NodeReason.LinkAddressCollision,
                "the hash of node " + younger + "'s name gives a link address that node " + older + " has; " + younger
                        + " is left out of the link until it bears another name or --link-range is wider");
    }

    private SortedMap<String, Peer> peers(Link link, Map<ClusterNode, IpAddress> candidates) {
        Map<ClusterNode, IpAddress> reachable = new TreeMap<>(OLDEST_FIRST);
        Map<IpAddress, String> taken = new HashMap<>();
        link4And6(settings.nodeName(), settings.nodeName(), List.of(""))
                .forEach(a -> taken.put(a, settings.nodeName()));
        candidates.forEach((node, address) -> {
            String owner = collidesWith(node, taken);
            if (owner == null) {
                reachable.put(node, address);
            } else {
                NodeProblem problem = collision(node.name(), owner);
                problems.add(problem);
                unreachable.put(node.name(), problem.message());
            }
        });
        Map<MacAddress, Integer> indices = indices(reachable.keySet());
        SortedMap<String, Peer> peers = new TreeMap<>();
        reachable.forEach((node, address) -> peers.put(node.name(), peer(link, node.name(), address, indices)));
        return peers;
    }

    /**
     * The node that has one of the peer's addresses or its MAC already, which may be the peer itself if two of its own are one.
     *
     * @return null where none has, and they are now the peer's
     */
    private @Nullable String collidesWith(ClusterNode peer, Map<IpAddress, String> taken) {
        String older = olderWithMac(peer, peer.name());
        if (older != null) {
            return older;
        }
        String self = settings.nodeName();
        List<IpAddress> needed = new ArrayList<>(link4And6(self, peer.name(), List.of("")));
        needed.addAll(link4And6(self, peer.name(), entryPointsOf(self)));
        needed.addAll(link4And6(peer.name(), self, entryPointsOf(peer.name())));
        if (new HashSet<>(needed).size() < needed.size()) {
            return peer.name();
        }
        for (IpAddress address : needed) {
            String owner = taken.get(address);
            if (owner != null) {
                return owner;
            }
        }
        needed.forEach(address -> taken.put(address, peer.name()));
        return null;
    }

    private Set<String> entryPointsOf(String node) {
        SortedSet<String> points = entryPoints.get(node);
        return points == null ? Set.of() : points;
    }

    private List<IpAddress> link4And6(String from, String to, Iterable<String> points) {
        List<IpAddress> all = new ArrayList<>();
        for (String point : points) {
            all.add(addresses.towards(IpFamily.IPV4, from, to, point));
            all.add(addresses.towards(IpFamily.IPV6, from, to, point));
        }
        return all;
    }

    private Map<MacAddress, Integer> indices(Set<ClusterNode> reachable) {
        List<ClusterNode> accepting = reachable.stream()
                .filter(node -> entryPoints.containsKey(node.name()))
                .sorted(Comparator.comparing(ClusterNode::name))
                .toList();
        Map<MacAddress, Integer> indices = new Indices(MarkSpace.FIRST_PEER, MarkSpace.LAST_PEER)
                .allocate(
                        accepting.stream().map(n -> addresses.mac(n.name())).toList(),
                        facts.indices().peers(),
                        facts.indices().resting());
        accepting.stream()
                .filter(node -> !indices.containsKey(addresses.mac(node.name())))
                .forEach(node -> problems.add(new NodeProblem(
                        NodeReason.IndicesExhausted,
                        "no mark index is free for node " + node.name() + "; at most " + MarkSpace.LAST_PEER
                                + " accepting nodes can have peers here, or old flows still bear the others")));
        return indices;
    }

    private Peer peer(Link link, String name, IpAddress address, Map<MacAddress, Integer> indices) {
        NodeReport report = agreement.nodeReports().get(name);
        int mtu = report == null || report.mtu() == 0 ? link.mtu() : Math.min(link.mtu(), report.mtu());
        if (report != null) {
            compareSettings(report);
        }
        String self = settings.nodeName();
        SortedSet<IpAddress> linkAddresses = new TreeSet<>();
        for (String point : entryPointsOf(self)) {
            linkAddresses.add(addresses.towards(IpFamily.IPV4, self, name, point));
            if (link.address6() != null) {
                linkAddresses.add(addresses.towards(IpFamily.IPV6, self, name, point));
            }
        }
        return new Peer(
                addresses.mac(name),
                address,
                mtu,
                indices.get(addresses.mac(name)),
                addresses.gateway(IpFamily.IPV4, self, name),
                addresses.gateway(IpFamily.IPV6, self, name),
                linkAddresses);
    }

    private void compareSettings(NodeReport report) {
        if (report.vni() != settings.vni() || report.port() != settings.linkPort()) {
            problems.add(new NodeProblem(
                    NodeReason.LinkSettingsDiffer,
                    "node " + report.node() + " uses VNI " + report.vni() + " and port " + report.port() + ", node "
                            + settings.nodeName() + " VNI " + settings.vni() + " and port " + settings.linkPort()
                            + "; give all agents the same"));
        }
    }
}
