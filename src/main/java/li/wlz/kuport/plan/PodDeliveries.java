package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.InterfaceRoute;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodePlan.Egress;
import li.wlz.kuport.model.NodePlan.Uplink;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PersistentMap;
import li.wlz.kuport.model.PodAnnotations;
import li.wlz.kuport.model.PodEntry;
import li.wlz.kuport.model.PodReason;
import li.wlz.kuport.model.PodReport;
import li.wlz.kuport.model.PodRequest;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Target;
import org.jspecify.annotations.Nullable;

/**
 * What this node does for those of its pods that ask for ports by an annotation, and what is said of it.
 *
 * <p>The older pod has a port that several ask for. A PortMap goes before all of them: every node sees it alike, and an admin's class
 * permits it. A pod that is not ready keeps what the kernel shows it to have, and gets nothing new.
 */
final class PodDeliveries {
    private final String self;
    private final PodAnnotations rules;
    private final Agreement agreement;
    private final NodeFacts facts;
    private final OwnAddresses ownAddresses;
    private final HostListeners listeners;
    private final SortedMap<Dialled, Target> inForce;
    private final DeliveryTable accept;
    private final @Nullable PortClass portClass;
    private final @Nullable Offer offer;
    private final ClassPermission permission;
    private final PodAddresses addresses;

    private final Map<ObjectKey, PodAccount> accounts = new TreeMap<>();
    private final Map<Dialled, List<PodClaim>> claims = new TreeMap<>();
    private final SortedMap<ObjectKey, PodReport> reports = new TreeMap<>();
    private final SortedSet<IpAddress> pods = new TreeSet<>();
    private final Set<IpFamily> forwarded = EnumSet.noneOf(IpFamily.class);
    private final SortedMap<Egress.Opener, IpAddress> sources = new TreeMap<>();
    private final SortedSet<String> devices = new TreeSet<>();

    /**
     * Decides.
     *
     * @param inForce where the kernel sends what is dialled at the moment
     * @param portMapsAccept what PortMaps have already
     */
    PodDeliveries(
            Settings settings,
            PodAnnotations rules,
            Here here,
            SortedMap<ObjectKey, PodRequest> requests,
            NodeFacts facts,
            SortedMap<Dialled, Target> inForce,
            PersistentMap<Dialled, Delivery> portMapsAccept) {
        this.self = settings.nodeName();
        this.rules = rules;
        this.agreement = here.agreement();
        this.facts = facts;
        this.ownAddresses = here.addresses();
        this.listeners = here.listeners();
        this.inForce = inForce;
        this.accept = new DeliveryTable(portMapsAccept);
        ClassNodes classNodes =
                rules.className() == null ? null : agreement.classes().get(rules.className());
        this.portClass = classNodes == null ? null : classNodes.portClass();
        this.offer = classNodes == null ? null : classNodes.offers().get(self);
        this.permission = new ClassPermission(agreement.namespaceLabels(), new ProtectedPorts(settings));
        this.addresses = new PodAddresses(facts, ownAddresses, rules.internalNetworks(), permitted());
        List<PodRequest> oldestFirst = requests.values().stream()
                .filter(pod -> pod.node().equals(self))
                .sorted(PodClaim.OLDEST_FIRST)
                .toList();
        oldestFirst.forEach(this::claim);
        claims.forEach(this::settle);
        oldestFirst.forEach(this::conclude);
    }

    private @Nullable Set<IpAddress> permitted() {
        if (rules.className() == null) {
            return null;
        }
        Set<IpAddress> permitted = new HashSet<>();
        if (offer != null) {
            offer.entryPoints().forEach(point -> permitted.addAll(ownAddresses.at(point)));
        }
        return permitted;
    }

    /** What is said of each pod of this node. */
    SortedMap<ObjectKey, PodReport> reports() {
        return reports;
    }

    /** What clients dial here, of PortMaps and of annotations. */
    PersistentMap<Dialled, Delivery> accept() {
        return accept.entries();
    }

    /** The addresses of the pods that are delivered to. */
    SortedSet<IpAddress> pods() {
        return pods;
    }

    /** The families of the pods that this node is to forward to. */
    Set<IpFamily> forwarded() {
        return forwarded;
    }

    /** The interfaces that hold the addresses that pods answer on. */
    SortedSet<String> devices() {
        return devices;
    }

    /** The sources of what these pods open, and the uplinks that it leaves by. */
    Egress egress(SortedMap<String, Uplink> uplinks) {
        if (sources.isEmpty()) {
            return Egress.NONE;
        }
        SortedMap<Egress.Opener, Integer> ways = new TreeMap<>();
        sources.forEach((opener, source) -> {
            String holder = Objects.requireNonNull(ownAddresses.holder(source));
            Uplink uplink = uplinks.get(holder);
            if (uplink != null && isAnotherWay(holder, source.family())) {
                ways.put(opener, uplink.index());
            }
        });
        return new Egress(sources, ways, clusterBlocks());
    }

    /** Whether the device has a default route, and the node prefers another's: a provider drops what bears another's address. */
    private boolean isAnotherWay(String device, IpFamily family) {
        List<InterfaceRoute> defaults = facts.routes().stream()
                .filter(route -> route.destination().prefixLength() == 0
                        && route.destination().family() == family)
                .sorted(Comparator.comparingInt(InterfaceRoute::metric))
                .toList();
        return defaults.stream().anyMatch(route -> route.device().equals(device))
                && !defaults.getFirst().device().equals(device);
    }

    // What is asked for.

    private void claim(PodRequest pod) {
        if (pod.mistake() != null) {
            say(pod, PodReason.AnnotationInvalid, pod.mistake());
            return;
        }
        if (pod.hostNetwork()) {
            say(
                    pod,
                    PodReason.HostNetworkPod,
                    "the pod is in the node's own network: its ports are the node's already, so that there is nothing to"
                            + " deliver; remove the annotation or hostNetwork");
            return;
        }
        String refusal = refusal(pod);
        if (refusal != null) {
            say(pod, PodReason.NotPermitted, refusal);
            return;
        }
        if (pod.addresses().isEmpty()) {
            return;
        }
        PodAccount account = new PodAccount(pod);
        accounts.put(pod.key(), account);
        for (int i = 0; i < pod.entries().size(); i++) {
            claim(account, i, pod.entries().get(i));
        }
    }

    private void say(PodRequest pod, PodReason reason, String message) {
        if (!pod.ending()) {
            reports.put(
                    pod.key(),
                    new PodReport(pod.key(), pod.uid(), List.of(new PodReport.Line("annotation", reason, message))));
        }
    }

    /** Why the class lets the pod have nothing at all here; null where it does. */
    private @Nullable String refusal(PodRequest pod) {
        if (rules.className() == null) {
            return null;
        }
        if (portClass == null) {
            return "there is no PortMapClass " + rules.className() + ", which the agents hold annotations to";
        }
        if (offer == null) {
            return "PortMapClass " + portClass.name() + ", which the agents hold annotations to, does not name node "
                    + self;
        }
        Verdict verdict = permission.namespace(pod.key().namespace(), portClass);
        return verdict == null ? null : verdict.message();
    }

    private void claim(PodAccount account, int index, PodEntry entry) {
        PortRange port = PortRange.of(entry.port());
        Verdict verdict = portClass == null ? null : permission.ports(entry.protocol(), port, portClass);
        if (verdict != null) {
            account.refused(index, PodReason.NotPermitted, verdict.message());
            return;
        }
        for (IpFamily family : IpFamily.values()) {
            IpAddress podAddress = account.pod().addresses().get(family);
            IpAddress address = address(account, index, entry, family);
            if (address == null || podAddress == null || !canForward(account, index, family)) {
                continue;
            }
            Dialled dialled = new Dialled(address, entry.protocol(), port);
            claims.computeIfAbsent(dialled, d -> new ArrayList<>(1))
                    .add(new PodClaim(
                            account.pod(), index, dialled, new Target(podAddress, PortRange.of(entry.podPort()))));
        }
    }

    private @Nullable IpAddress address(PodAccount account, int index, PodEntry entry, IpFamily family) {
        IpAddress wanted = entry.address();
        boolean podHasIt = account.pod().addresses().containsKey(family);
        if (wanted == null) {
            IpAddress detected = addresses.detected(family);
            if (detected == null && podHasIt) {
                account.refused(
                        index,
                        PodReason.AddressMissing,
                        "node " + self + " has no public " + Words.family(family)
                                + " address to answer on; give srcIP, or have an admin allow private ones by"
                                + " --internal-network");
            }
            return detected;
        }
        if (wanted.family() != family) {
            return null;
        }
        if (!podHasIt) {
            account.refused(
                    index,
                    PodReason.AddressMissing,
                    "the pod has no " + Words.family(family) + " address, as srcIP " + wanted + " is");
        } else if (!addresses.holds(wanted)) {
            account.refused(
                    index,
                    PodReason.AddressMissing,
                    "no interface of node " + self + " holds " + wanted
                            + "; it begins when one does, or correct srcIP");
            return null;
        } else if (!addresses.permits(wanted)) {
            account.refused(
                    index,
                    PodReason.NotPermitted,
                    "PortMapClass " + rules.className() + " does not offer " + wanted + " on node " + self);
            return null;
        }
        return wanted;
    }

    private boolean canForward(PodAccount account, int index, IpFamily family) {
        forwarded.add(family);
        boolean can = switch (family) {
            case IPV4 -> facts.sysctls().forwarding4();
            case IPV6 -> facts.sysctls().forwarding6() && facts.sysctls().ipv6();
        };
        if (!can) {
            account.refused(index, PodReason.NodeNotReady, "node " + self + " forwards no " + Words.family(family));
        }
        return can;
    }

    // Who gets it.

    private void settle(Dialled dialled, List<PodClaim> oldestFirst) {
        PodClaim winner = oldestFirst.stream().filter(this::mayHave).findFirst().orElse(null);
        SortedSet<Target> draining = new TreeSet<>();
        oldestFirst.stream().filter(claim -> claim.pod().ending()).forEach(claim -> draining.add(claim.target()));
        if (winner != null) {
            draining.remove(winner.target());
        }
        if (winner == null && draining.isEmpty()) {
            oldestFirst.forEach(claim -> refuse(claim, PodReason.PodNotReady, "the pod is not ready; it begins then"));
            return;
        }
        List<PortRange> allowed =
                portClass == null ? List.of() : portClass.ports().allowProtected();
        HostListeners.Found found = listeners.at(dialled, ownAddresses.holder(dialled.address()), allowed);
        if (!found.refusing().isEmpty()) {
            String message = "a process of node " + self + " listens on " + HostListeners.describe(found.refusing())
                    + ", so that " + dialled + " stays the host's; stop it, or choose another port";
            oldestFirst.forEach(claim -> refuse(claim, PodReason.PortInUse, message));
            return;
        }
        if (!accept.add(dialled, new Delivery(winner == null ? null : winner.target(), List.copyOf(draining)))) {
            oldestFirst.forEach(claim -> refuse(
                    claim,
                    PodReason.PortConflict,
                    "a PortMap has " + dialled + ", and PortMaps go before annotations; choose another port"));
            return;
        }
        draining.forEach(target -> pods.add(target.address()));
        if (winner != null) {
            pods.add(winner.target().address());
            devices.add(Objects.requireNonNull(ownAddresses.holder(dialled.address())));
            oldestFirst.forEach(claim -> tell(claim, winner));
        }
    }

    private boolean mayHave(PodClaim claim) {
        return !claim.pod().ending() && (claim.pod().ready() || claim.target().equals(inForce.get(claim.dialled())));
    }

    private void tell(PodClaim claim, PodClaim winner) {
        if (claim.equals(winner) || claim.repeats(winner)) {
            account(claim).delivered(claim);
        } else if (!mayHave(claim)) {
            refuse(claim, PodReason.PodNotReady, "the pod is not ready; it begins then");
        } else if (claim.pod().key().equals(winner.pod().key())) {
            refuse(
                    claim,
                    PodReason.PortConflict,
                    "entries[" + winner.entry() + "] of the same annotation has " + claim.dialled() + " already");
        } else {
            refuse(
                    claim,
                    PodReason.PortConflict,
                    "the older pod " + winner.pod().key() + " has " + claim.dialled()
                            + "; this one takes over when that one goes, or choose another port");
        }
    }

    private void refuse(PodClaim claim, PodReason reason, String message) {
        account(claim).refused(claim.entry(), reason, message);
    }

    private PodAccount account(PodClaim claim) {
        return Objects.requireNonNull(accounts.get(claim.pod().key()));
    }

    // What comes of it.

    private void conclude(PodRequest pod) {
        PodAccount account = accounts.get(pod.key());
        if (account == null || pod.ending()) {
            return;
        }
        for (PodClaim claim : account.delivered()) {
            sources.putIfAbsent(
                    new Egress.Opener(claim.target().address(), claim.dialled().protocol()),
                    claim.dialled().address());
        }
        PodReport report = account.report();
        if (!report.lines().isEmpty()) {
            reports.put(pod.key(), blocked(report));
        }
    }

    /** Nothing is delivered where the kernel denies us everything, whatever was decided. */
    private PodReport blocked(PodReport report) {
        String obstacle = facts.problems().stream()
                .filter(problem -> problem.reason() == NodeReason.PermissionMissing
                        || problem.reason() == NodeReason.NftablesUnavailable)
                .map(NodeProblem::message)
                .findFirst()
                .orElse(null);
        if (obstacle == null) {
            return report;
        }
        return new PodReport(
                report.key(),
                report.uid(),
                report.lines().stream()
                        .map(line -> line.isDelivered()
                                ? new PodReport.Line(line.subject(), PodReason.NodeNotReady, obstacle)
                                : line)
                        .toList());
    }

    /** Addresses of nodes and pods that are public; others are left out by their kind already. */
    private SortedSet<Cidr> clusterBlocks() {
        SortedSet<Cidr> blocks = new TreeSet<>();
        for (ClusterNode node : agreement.nodes().values()) {
            node.addresses()
                    .forEach(address ->
                            addBlock(blocks, new Cidr(address, address.family().bits())));
            node.underlay()
                    .forEach(address ->
                            addBlock(blocks, new Cidr(address, address.family().bits())));
            node.podBlocks().forEach(block -> addBlock(blocks, block));
        }
        // The kernel takes no block within another.
        SortedSet<Cidr> outermost = new TreeSet<>(blocks);
        outermost.removeIf(block -> blocks.stream()
                .anyMatch(other -> other.prefixLength() < block.prefixLength() && other.overlaps(block)));
        return outermost;
    }

    private static void addBlock(SortedSet<Cidr> blocks, Cidr block) {
        if (block.network().isGlobal()) {
            blocks.add(block);
        }
    }
}
