package li.wlz.kuport.plan;

import java.util.List;
import java.util.SortedMap;
import li.wlz.kuport.model.PortClass;

/**
 * Where mappings of one class that ask for the same interfaces may be dialled.
 *
 * @param interfaces what they ask for; empty for all
 * @param entryPoints by accepting node, as every node sees it; a node without any is left out
 */
record Scope(ClassNodes classNodes, List<String> interfaces, SortedMap<String, List<EntryPoint>> entryPoints) {
    PortClass portClass() {
        return classNodes.portClass();
    }
}
