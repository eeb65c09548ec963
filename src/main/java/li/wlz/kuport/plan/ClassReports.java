package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.model.ClassReport;
import li.wlz.kuport.model.Condition;
import li.wlz.kuport.model.LabelSelector;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.Settings;
import org.jspecify.annotations.Nullable;

/** What is said of each PortMapClass. */
final class ClassReports {
    private final Settings settings;
    private final Agreement agreement;

    ClassReports(Settings settings, Agreement agreement) {
        this.settings = settings;
        this.agreement = agreement;
    }

    SortedMap<String, ClassReport> all() {
        SortedMap<String, ClassReport> reports = new TreeMap<>();
        agreement
                .classes()
                .forEach((name, classNodes) -> reports.put(
                        name,
                        new ClassReport(
                                name,
                                classNodes.portClass().generation(),
                                settings.nodeName().equals(writer(classNodes)),
                                ready(classNodes))));
        return reports;
    }

    private @Nullable String writer(ClassNodes classNodes) {
        List<String> healthy = agreement.health().among(classNodes.offers().keySet());
        return healthy.isEmpty() ? agreement.health().first() : healthy.getFirst();
    }

    private Condition ready(ClassNodes classNodes) {
        String mistake = selectorMistake(classNodes.portClass());
        if (mistake != null) {
            return new Condition(Condition.READY, false, "InvalidSelector", mistake);
        }
        String clauses = clauses(classNodes);
        return classNodes.offers().isEmpty()
                ? new Condition(Condition.READY, false, "NoAcceptingNode", clauses)
                : new Condition(Condition.READY, true, "Valid", clauses);
    }

    private static @Nullable String selectorMistake(PortClass portClass) {
        LabelSelector nodeSelector = portClass.nodeSelector();
        String nodes = nodeSelector == null ? null : Selectors.mistake(nodeSelector);
        if (nodes != null) {
            return "spec.nodeSelector selects nothing: " + nodes;
        }
        String namespaces = Selectors.mistake(portClass.namespaceSelector());
        return namespaces == null ? null : "spec.namespaceSelector selects nothing: " + namespaces;
    }

    /** A clause for each node that accepts, or is named and does not exist; one more where link settings differ. */
    private String clauses(ClassNodes classNodes) {
        SortedMap<String, String> byNode = new TreeMap<>();
        classNodes.offers().forEach((node, offer) -> byNode.put(node, node + ": " + offered(node, offer)));
        classNodes
                .portClass()
                .nodes()
                .keySet()
                .forEach(node -> byNode.putIfAbsent(node, node + ": there is no Node of that name"));
        List<String> clauses = new ArrayList<>(byNode.values());
        if (clauses.isEmpty()) {
            clauses.add("it names no nodes, and its nodeSelector matches none");
        }
        PortClass.Vxlan vxlan = classNodes.portClass().vxlan();
        if (vxlan != null && differs(vxlan)) {
            clauses.add("LinkSettingsDiffer: returnPath.vxlan names VNI " + vxlan.vni() + " and port " + vxlan.port()
                    + ", the agents use VNI " + settings.vni() + " and port " + settings.linkPort());
        }
        return String.join("; ", clauses);
    }

    private boolean differs(PortClass.Vxlan vxlan) {
        return (vxlan.vni() != 0 && vxlan.vni() != settings.vni())
                || (vxlan.port() != 0 && vxlan.port() != settings.linkPort());
    }

    private String offered(String node, Offer offer) {
        if (offer.entryPoints().isEmpty()) {
            return "the class names no interface and no address there";
        }
        NodeReport report = agreement.nodeReports().get(node);
        return Words.list(
                offer.entryPoints().stream()
                        .map(point -> point.text() + (isAbsent(report, point) ? " (not on the node)" : ""))
                        .toList(),
                "");
    }

    private static boolean isAbsent(@Nullable NodeReport report, EntryPoint point) {
        return point instanceof EntryPoint.Interface named
                && report != null
                && !report.interfaces().containsKey(named.name());
    }
}
