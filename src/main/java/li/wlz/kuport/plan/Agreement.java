package li.wlz.kuport.plan;

import java.util.SortedMap;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.World;

/**
 * What all nodes see alike of nodes and classes, from API objects alone: nothing is negotiated, there is no leader. What they decide
 * about mappings by it, alike again, are {@link Rulings}.
 *
 * @param rowsShared whether agents see each other's rows of status
 * @param namespaceLabels the labels of each namespace
 * @param classes the accepting nodes of each class
 */
record Agreement(
        boolean rowsShared,
        SortedMap<String, ClusterNode> nodes,
        SortedMap<String, NodeReport> nodeReports,
        SortedMap<String, SortedMap<String, String>> namespaceLabels,
        Placement placement,
        Health health,
        SortedMap<String, ClassNodes> classes) {

    static Agreement of(World world) {
        return new Agreement(
                world.rowsShared(),
                world.nodes(),
                world.nodeReports(),
                world.namespaceLabels(),
                new Placement(world.nodeReports()),
                new Health(world),
                ClassNodes.all(world.classes(), world.nodes()));
    }
}
