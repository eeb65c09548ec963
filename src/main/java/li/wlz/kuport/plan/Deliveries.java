package li.wlz.kuport.plan;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodePlan.Peer;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.ProgrammedReason;
import li.wlz.kuport.model.Target;
import org.jspecify.annotations.Nullable;

/** Plans what this node does for mappings, and what its rows say of them. */
final class Deliveries {
    private final String self;
    private final Here here;
    private final Agreement agreement;
    private final LinkPlan link;
    private final OwnAddresses ownAddresses;
    private final Way way;

    private final DeliveryTable accept = new DeliveryTable();
    private final DeliveryTable deliver = new DeliveryTable();
    private final DeliveryTable own = new DeliveryTable();
    private final Set<IpAddress> pods = new HashSet<>();
    private final Map<ObjectKey, NodeRow> rows = new HashMap<>();
    private final Set<IpFamily> forwarded = EnumSet.noneOf(IpFamily.class);
    private final Set<IpFamily> linked = EnumSet.noneOf(IpFamily.class);

    private Deliveries(Here here) {
        this.self = here.self();
        this.here = here;
        this.agreement = here.agreement();
        this.link = here.link();
        this.ownAddresses = here.addresses();
        this.way = here.way();
    }

    /**
     * Plans mappings that no other overlaps.
     *
     * @param oldestFirst of several that overlap all the same, the first counts
     */
    static Delivered of(Here here, Stream<Mapping> oldestFirst) {
        Deliveries deliveries = new Deliveries(here);
        oldestFirst.forEach(deliveries::plan);
        return deliveries.delivered();
    }

    private Delivered delivered() {
        return new Delivered(accept.entries(), deliver.entries(), own.entries(), pods, rows, forwarded, linked);
    }

    private void plan(Mapping mapping) {
        boolean accepts = mapping.serving().nodes().contains(self);
        boolean hosts = hosts(mapping);
        if (!accepts && !hosts) {
            return;
        }
        Findings findings = new Findings();
        if (accepts) {
            acceptFor(mapping, findings);
        }
        if (hosts) {
            deliverFor(mapping, findings);
            translateForOwnClients(mapping);
        }
        if (accepts || hosts) {
            noteLocalPods(mapping);
        }
        if (mapping.involves(self)) {
            noteRow(mapping, accepts, findings);
        }
    }

    /** Whether packets for it may come here over the link: its pod, or one that drains, is here. */
    private boolean hosts(Mapping mapping) {
        return mapping.scope().classNodes().usesLink()
                && (isHere(mapping.pod()) || mapping.draining().stream().anyMatch(this::isHere));
    }

    private boolean isHere(@Nullable Pod pod) {
        return pod != null && pod.node().equals(self);
    }

    private void noteLocalPods(Mapping mapping) {
        noteIfLocal(mapping.pod());
        mapping.draining().forEach(this::noteIfLocal);
    }

    private void noteIfLocal(@Nullable Pod pod) {
        if (pod != null && isHere(pod) && !pod.hostNetwork()) {
            pods.addAll(pod.addresses().values());
        }
    }

    private void noteRow(Mapping mapping, boolean accepts, Findings findings) {
        Pod pod = mapping.pod();
        if (pod != null) {
            way.examineForwarding(pod, findings);
            way.examineBlockades(pod, accepts, findings);
            if (!(isHere(pod) && pod.hostNetwork())) {
                forwarded.addAll(pod.addresses().keySet());
            }
            if (mapping.usesLink()) {
                linked.addAll(pod.addresses().keySet());
            }
        }
        for (Finding finding : here.blocked()) {
            if (finding.reason() == ProgrammedReason.NodeNotReady || mapping.usesLink()) {
                findings.add(finding);
            }
        }
        rows.put(
                mapping.request().key(),
                findings.row(
                        self,
                        accepts ? NodeRow.Role.Accepting : NodeRow.Role.Endpoint,
                        pod == null ? null : pod.firstAddress(),
                        mapping.request().generation()));
    }

    // What clients dial here.

    private void acceptFor(Mapping mapping, Findings findings) {
        Pod pod = mapping.pod();
        if (mapping.lack() != null) {
            findings.add(mapping.lack());
        }
        if (pod != null && !isHere(pod)) {
            way.examineLinkTo(mapping, pod, findings);
        }
        List<EntryPoint> points = here.entryPoints(mapping.scope());
        if (points.isEmpty()) {
            findings.add(
                    ProgrammedReason.NoInterfaceOnNode,
                    "node " + self + " holds none of the class's addresses on "
                            + Words.list(mapping.request().interfaces(), "") + ", which the PortMap asks for");
        }
        Set<IpFamily> held = EnumSet.noneOf(IpFamily.class);
        for (EntryPoint point : points) {
            ownAddresses.at(point).forEach(address -> held.add(address.family()));
            acceptAt(mapping, point, findings);
        }
        if (pod != null && Collections.disjoint(held, pod.addresses().keySet()) && findings.isEmpty()) {
            findings.add(
                    ProgrammedReason.NoInterfaceOnNode,
                    "node " + self + " holds no address of a family that " + pod + " has ("
                            + Words.list(pod.addresses().keySet(), "none") + ")");
        }
    }

    private void acceptAt(Mapping mapping, EntryPoint point, Findings findings) {
        List<IpAddress> addresses = ownAddresses.at(point);
        if (addresses.isEmpty()) {
            findings.add(ProgrammedReason.NoInterfaceOnNode, absent(point));
        }
        Map<IpFamily, Delivery> deliveries = new EnumMap<>(IpFamily.class);
        for (IpAddress address : addresses) {
            Dialled dialled = new Dialled(
                    address, mapping.request().protocol(), mapping.request().ports());
            if (keptByTheHost(mapping, dialled, findings)) {
                continue;
            }
            Delivery delivery = deliveries.computeIfAbsent(
                    address.family(), family -> delivery(mapping, pod -> way.fromHere(mapping, pod, family, point)));
            if (!accept.add(dialled, delivery)) {
                findings.add(
                        ProgrammedReason.PortInUse,
                        "another PortMap has a port of " + dialled + " already; node " + self
                                + "'s PortMapNode lags behind its addresses");
                continue;
            }
            IpAddress external = external(mapping, self, address);
            if (external != null) {
                translate(external, mapping, delivery);
            }
        }
    }

    private String absent(EntryPoint point) {
        return switch (point) {
            case EntryPoint.Interface(String name) ->
                "node " + self + " has no interface " + name + " with an address that clients could dial";
            case EntryPoint.Listed(IpAddress address) ->
                "node " + self + " does not hold " + address + ", which the class lists";
        };
    }

    private boolean keptByTheHost(Mapping mapping, Dialled dialled, Findings findings) {
        Pod pod = mapping.pod();
        if (pod != null
                && isHere(pod)
                && pod.hostNetwork()
                && mapping.request()
                        .ports()
                        .equals(pod.ports(mapping.request(), mapping.accepted().servicePort()))) {
            return false;
        }
        HostListeners.Found found = here.listeners()
                .at(
                        dialled,
                        ownAddresses.holder(dialled.address()),
                        mapping.scope().portClass().ports().allowProtected());
        if (!found.named().isEmpty()) {
            findings.remark("takes packets from the host's sockets " + HostListeners.describe(found.named()));
        }
        if (found.refusing().isEmpty()) {
            return false;
        }
        findings.add(
                ProgrammedReason.PortInUse,
                "a process of node " + self + " listens on " + HostListeners.describe(found.refusing()) + ", so that "
                        + dialled
                        + " stays the host's; stop it, or list the port under ports.allowProtected of PortMapClass "
                        + mapping.scope().portClass().name());
        return true;
    }

    private static @Nullable IpAddress external(Mapping mapping, String node, IpAddress local) {
        Offer offer = mapping.scope().classNodes().offers().get(node);
        IpAddress external = offer == null ? null : offer.external().get(local);
        return external != null && external.family() == local.family() ? external : null;
    }

    private static Delivery delivery(Mapping mapping, Function<Pod, @Nullable Target> way) {
        Pod pod = mapping.pod();
        Target target = pod == null ? null : way.apply(pod);
        if (mapping.draining().isEmpty()) {
            return target == null ? Delivery.refuse() : Delivery.to(target);
        }
        SortedSet<Target> draining = new TreeSet<>();
        for (Pod old : mapping.draining()) {
            Target former = way.apply(old);
            if (former != null && !former.equals(target)) {
                draining.add(former);
            }
        }
        return new Delivery(target, List.copyOf(draining));
    }

    // What peers send here.

    private void deliverFor(Mapping mapping, Findings findings) {
        Map<IpFamily, Delivery> deliveries = new EnumMap<>(IpFamily.class);
        for (IpFamily family : IpFamily.values()) {
            Delivery delivery = localDelivery(mapping, family);
            boolean carried = link.link() != null
                    && (family == IpFamily.IPV4 || link.link().address6() != null);
            if (carried && (delivery.target() != null || !delivery.draining().isEmpty())) {
                deliveries.put(family, delivery);
            }
        }
        mapping.scope().entryPoints().forEach((node, points) -> {
            if (node.equals(self)) {
                return;
            }
            Peer peer = link.peers().get(node);
            if (peer == null || peer.index() == null) {
                if (isHere(mapping.pod()) && mapping.serving().nodes().contains(node)) {
                    findings.add(
                            ProgrammedReason.ReturnPathUnavailable,
                            peer == null ? way.unreachable(node) : "no mark index is free for node " + node);
                }
                return;
            }
            for (EntryPoint point : points) {
                deliveries.forEach((family, delivery) -> deliver.add(
                        new Dialled(
                                here.linkAddresses().towards(family, node, self, point.text()),
                                mapping.request().protocol(),
                                mapping.request().ports()),
                        delivery));
            }
        });
    }

    private Delivery localDelivery(Mapping mapping, IpFamily family) {
        return delivery(mapping, pod -> isHere(pod) ? way.toLocal(mapping, pod, family) : null);
    }

    // What this node's own clients dial elsewhere.

    private void translateForOwnClients(Mapping mapping) {
        if (!isHere(mapping.pod())) {
            return;
        }
        for (String node : mapping.serving().nodes()) {
            if (node.equals(self)) {
                continue;
            }
            for (EntryPoint point : mapping.scope().entryPoints().getOrDefault(node, List.of())) {
                for (IpAddress address : meaningTheSameHere(mapping, node, point)) {
                    translate(address, mapping, localDelivery(mapping, address.family()));
                }
            }
        }
    }

    /** The addresses of another node's entry point that cannot be somebody else's in this node's own network. */
    private SortedSet<IpAddress> meaningTheSameHere(Mapping mapping, String node, EntryPoint point) {
        NodeReport report = agreement.nodeReports().get(node);
        List<IpAddress> addresses = switch (point) {
            case EntryPoint.Listed(IpAddress address) -> List.of(address);
            case EntryPoint.Interface(String name) ->
                report == null ? List.of() : report.interfaces().getOrDefault(name, List.of());
        };
        Peer peer = link.peers().get(node);
        SortedSet<IpAddress> meant = new TreeSet<>();
        for (IpAddress address : addresses) {
            if (address.isGlobal() || (peer != null && peer.underlay().equals(address))) {
                meant.add(address);
            }
        }
        Offer offer =
                Objects.requireNonNull(mapping.scope().classNodes().offers().get(node));
        offer.external().forEach((local, external) -> {
            boolean there = switch (point) {
                case EntryPoint.Listed(IpAddress address) -> address.equals(local);
                case EntryPoint.Interface(String name) -> agreement.placement().mayBeOn(node, local, List.of(name));
            };
            if (there) {
                meant.add(external);
            }
        });
        meant.removeIf(ownAddresses::isLocal);
        return meant;
    }

    private void translate(IpAddress address, Mapping mapping, Delivery delivery) {
        if (delivery.target() != null || !delivery.draining().isEmpty()) {
            own.add(
                    new Dialled(
                            address,
                            mapping.request().protocol(),
                            mapping.request().ports()),
                    delivery);
        }
    }
}
