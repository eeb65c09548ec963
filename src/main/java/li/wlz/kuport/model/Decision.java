package li.wlz.kuport.model;

import java.util.SortedMap;

/**
 * What {@code plan} decides in a pass: what this node does, and what it says.
 *
 * @param node what this node's datapath should do
 * @param report what this node tells the others and its admin
 * @param pods what became of the annotations of this node's pods
 */
public record Decision(
        NodePlan node,
        NodeReport report,
        SortedMap<ObjectKey, PortMapReport> portMaps,
        SortedMap<String, ClassReport> classes,
        SortedMap<ObjectKey, PodReport> pods) {
    public Decision {
        portMaps = Sorted.copyOf(portMaps);
        classes = Sorted.copyOf(classes);
        pods = Sorted.copyOf(pods);
    }

    /** The same, but for what this node's datapath should do. */
    public Decision with(NodePlan other) {
        return new Decision(other, report, portMaps, classes, pods);
    }
}
