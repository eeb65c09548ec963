package li.wlz.kuport.model;

import java.util.SortedMap;

/**
 * What {@code plan} decides in a pass: what this node does, and what it says.
 *
 * @param node what this node's datapath should do
 * @param report what this node tells the others and its admin
 */
public record Decision(
        NodePlan node,
        NodeReport report,
        SortedMap<ObjectKey, PortMapReport> portMaps,
        SortedMap<String, ClassReport> classes) {
    public Decision {
        portMaps = Sorted.copyOf(portMaps);
        classes = Sorted.copyOf(classes);
    }
}
