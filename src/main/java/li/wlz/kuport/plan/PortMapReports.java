package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import li.wlz.kuport.model.Condition;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.model.PortMapReport.ChosenEndpoint;
import li.wlz.kuport.model.PortMapReport.Published;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.ProgrammedReason;
import li.wlz.kuport.model.World;
import org.jspecify.annotations.Nullable;

/**
 * What is said of each PortMap.
 *
 * <p>One that is not accepted has the condition Accepted alone: an old Programmed must not outlive it, so whoever writes the status
 * removes it.
 */
final class PortMapReports {
    private final String self;
    private final Agreement agreement;
    private final NodeReport own;
    private final Map<String, NodeReport> nodeReports;
    private final IdentityHashMap<Scope, Map<Audience, List<Published>>> published = new IdentityHashMap<>();

    /** What published addresses depend on beside the scope. */
    private record Audience(List<String> nodes, Set<IpFamily> families) {}

    /**
     * What reports are made from, beside the mappings.
     *
     * @param own this node's report as of this pass, which the others may not have yet
     */
    PortMapReports(String self, Agreement agreement, NodeReport own) {
        this.self = self;
        this.agreement = agreement;
        this.own = own;
        this.nodeReports = new HashMap<>(agreement.nodeReports());
        nodeReports.put(self, own);
    }

    /** Whether they are made with this report of the node. */
    boolean areBy(NodeReport report) {
        return own.equals(report);
    }

    /**
     * What is said of a PortMap.
     *
     * @param row this node's; null where it has no part
     */
    PortMapReport of(Ruling ruling, @Nullable NodeRow row) {
        Mapping mapping = ruling.mapping();
        PortRequest request = ruling.request();
        return mapping != null
                ? accepted(mapping, ruling.settled().verdict(), row)
                : refused(
                        request.key(),
                        request.generation(),
                        List.copyOf(request.rows().keySet()),
                        ruling.settled().verdict());
    }

    /** What is said of a PortMap that could not be read. */
    PortMapReport of(World.Refusal refusal) {
        return refused(
                refusal.key(), refusal.generation(), List.of(), new Verdict(refusal.reason(), refusal.message()));
    }

    private PortMapReport refused(ObjectKey key, long generation, List<String> rows, Verdict verdict) {
        return new PortMapReport(
                key,
                generation,
                self.equals(agreement.health().first()),
                null,
                null,
                List.of(),
                List.of(new Condition(
                        Condition.ACCEPTED, false, verdict.reason().name(), verdict.message())),
                rows);
    }

    private PortMapReport accepted(Mapping mapping, Verdict verdict, @Nullable NodeRow ownRow) {
        PortRequest request = mapping.request();
        List<String> obsolete = request.rows().isEmpty()
                ? List.of()
                : request.rows().keySet().stream()
                        .filter(node -> !mapping.involves(node))
                        .toList();
        return new PortMapReport(
                request.key(),
                request.generation(),
                self.equals(writer(mapping)),
                ownRow,
                chosen(mapping.pod()),
                published(mapping),
                List.of(
                        new Condition(Condition.ACCEPTED, true, verdict.reason().name(), verdict.message()),
                        programmed(mapping, ownRow)),
                obsolete);
    }

    private @Nullable String writer(Mapping mapping) {
        Serving serving = mapping.serving();
        return serving.healthy()
                ? serving.nodes().getFirst()
                : agreement.health().first();
    }

    private static @Nullable ChosenEndpoint chosen(@Nullable Pod pod) {
        return pod == null
                ? null
                : new ChosenEndpoint(pod.node(), pod.name(), pod.address(IpFamily.IPV4), pod.address(IpFamily.IPV6));
    }

    // Published addresses.

    private List<Published> published(Mapping mapping) {
        return published
                .computeIfAbsent(mapping.scope(), scope -> new HashMap<>())
                .computeIfAbsent(
                        new Audience(mapping.serving().nodes(), families(mapping)),
                        audience -> published(mapping.scope(), audience.nodes, audience.families));
    }

    private List<Published> published(Scope scope, List<String> nodes, Set<IpFamily> families) {
        List<Published> published = new ArrayList<>();
        for (String node : nodes) {
            List<EntryPoint> points = scope.entryPoints().getOrDefault(node, List.of());
            Map<IpAddress, IpAddress> external = Objects.requireNonNull(
                            scope.classNodes().offers().get(node))
                    .external();
            byInterface(node, points).forEach((name, addresses) -> {
                IpAddress four = first(addresses, IpFamily.IPV4, families, external);
                IpAddress six = first(addresses, IpFamily.IPV6, families, external);
                if (four != null || six != null) {
                    published.add(new Published(node, name, four, six));
                }
            });
        }
        return List.copyOf(published);
    }

    /** The families that callers can use: the pod's; while there is none, those of the pods that may come, else all. */
    private static Set<IpFamily> families(Mapping mapping) {
        if (mapping.pod() != null) {
            return mapping.pod().addresses().keySet();
        }
        Set<IpFamily> families = EnumSet.noneOf(IpFamily.class);
        mapping.draining().forEach(pod -> families.addAll(pod.addresses().keySet()));
        return families.isEmpty() ? EnumSet.allOf(IpFamily.class) : families;
    }

    private SortedMap<String, List<IpAddress>> byInterface(String node, List<EntryPoint> points) {
        NodeReport report = nodeReports.get(node);
        SortedMap<String, List<IpAddress>> reported = report == null ? new TreeMap<>() : report.interfaces();
        SortedMap<String, List<IpAddress>> addresses = new TreeMap<>();
        for (EntryPoint point : points) {
            switch (point) {
                case EntryPoint.Interface(String name) -> addresses.put(name, reported.getOrDefault(name, List.of()));
                case EntryPoint.Listed(IpAddress address) ->
                    addresses
                            .computeIfAbsent(holder(reported, address), name -> new ArrayList<>())
                            .add(address);
            }
        }
        return addresses;
    }

    private static String holder(SortedMap<String, List<IpAddress>> reported, IpAddress address) {
        return reported.entrySet().stream()
                .filter(entry -> entry.getValue().contains(address))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("");
    }

    private static @Nullable IpAddress first(
            List<IpAddress> addresses, IpFamily family, Set<IpFamily> families, Map<IpAddress, IpAddress> external) {
        if (!families.contains(family)) {
            return null;
        }
        for (IpAddress address : addresses) {
            if (address.family() == family) {
                return external.getOrDefault(address, address);
            }
        }
        return null;
    }

    // The condition Programmed.

    private Condition programmed(Mapping mapping, @Nullable NodeRow ownRow) {
        Finding finding = obstacle(mapping, ownRow);
        if (finding == null) {
            Pod pod = Objects.requireNonNull(mapping.pod());
            return new Condition(
                    Condition.PROGRAMMED,
                    true,
                    ProgrammedReason.AllNodesReady.name(),
                    Words.list(mapping.serving().nodes(), "") + " delivers to " + pod);
        }
        return new Condition(Condition.PROGRAMMED, false, finding.reason().name(), finding.message());
    }

    private @Nullable Finding obstacle(Mapping mapping, @Nullable NodeRow ownRow) {
        if (mapping.serving().nodes().isEmpty()) {
            return new Finding(
                    ProgrammedReason.NoAcceptingNode,
                    "no node that PortMapClass " + mapping.scope().portClass().name()
                            + " names exists and offers what the PortMap asks for; see the class's condition");
        }
        if (mapping.lack() != null) {
            return mapping.lack();
        }
        Finding row = rows(mapping, ownRow);
        if (row != null) {
            return row;
        }
        return mapping.serving().healthy()
                ? null
                : new Finding(
                        ProgrammedReason.NodeNotReady,
                        "no accepting node is healthy; "
                                + Words.list(mapping.serving().nodes(), "") + " goes on meanwhile: "
                                + ill(mapping.serving().nodes().getFirst()));
    }

    private String ill(String node) {
        return nodeReports.containsKey(node) || !agreement.rowsShared()
                ? "Node " + node + " is not Ready"
                : "node " + node + " has no PortMapNode";
    }

    private @Nullable Finding rows(Mapping mapping, @Nullable NodeRow ownRow) {
        SortedSet<String> involved = new TreeSet<>(mapping.serving().nodes());
        Pod pod = Objects.requireNonNull(mapping.pod());
        if (mapping.involves(pod.node())) {
            involved.add(pod.node());
        }
        Finding worst = null;
        for (String node : involved) {
            NodeRow row = node.equals(self) ? ownRow : mapping.request().rows().get(node);
            Finding finding = row(mapping, pod, node, row);
            if (finding != null && (worst == null || Finding.MOST_TELLING.compare(finding, worst) < 0)) {
                worst = finding;
            }
        }
        return worst;
    }

    private @Nullable Finding row(Mapping mapping, Pod pod, String node, @Nullable NodeRow row) {
        if (row == null && !agreement.rowsShared()) {
            return null;
        }
        if (row == null || row.observedGeneration() != mapping.request().generation()) {
            return new Finding(
                    ProgrammedReason.NodeNotReady,
                    "node " + node + " has not yet said that it does its part; is the agent running there?");
        }
        if (!row.ready()) {
            return new Finding(
                    row.reason() == null ? ProgrammedReason.NodeNotReady : row.reason(),
                    row.message().contains(node) ? row.message() : "node " + node + ": " + row.message());
        }
        return pod.firstAddress().equals(row.endpoint())
                ? null
                : new Finding(
                        ProgrammedReason.NodeNotReady,
                        "node " + node + " still delivers to " + row.endpoint() + ", not yet to " + pod);
    }
}
