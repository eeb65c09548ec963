package li.wlz.kuport.plan;

import java.util.List;
import java.util.SortedMap;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.World;

/**
 * What every decision rests on: all of the world and the facts but for what comes and goes every day, PortMaps, Services, endpoints and
 * sockets. Where it changes, nothing that was decided before need still be right.
 *
 * @param facts without the host's listeners and what is open
 */
record Ground(
        boolean rowsShared,
        SortedMap<String, ClusterNode> nodes,
        SortedMap<String, NodeReport> nodeReports,
        SortedMap<String, SortedMap<String, String>> namespaceLabels,
        SortedMap<String, PortClass> classes,
        NodeFacts facts) {

    static Ground of(World world, NodeFacts facts) {
        return new Ground(
                world.rowsShared(),
                world.nodes(),
                world.nodeReports(),
                world.namespaceLabels(),
                world.classes(),
                new NodeFacts(
                        facts.interfaces(),
                        facts.routes(),
                        List.of(),
                        facts.indices(),
                        Sorted.set(),
                        facts.sysctls(),
                        facts.problems()));
    }
}
