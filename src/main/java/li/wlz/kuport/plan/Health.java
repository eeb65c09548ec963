package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.World;
import org.jspecify.annotations.Nullable;

/** Which nodes can be counted on: those whose Node is ready and whose agent has reported, be it up at the moment or not. */
final class Health {
    private final TreeSet<String> healthy = new TreeSet<>();

    Health(World world) {
        for (ClusterNode node : world.nodes().values()) {
            // Where all read a folder nobody publishes reports for the others.
            if (node.ready() && (!world.rowsShared() || world.nodeReports().containsKey(node.name()))) {
                healthy.add(node.name());
            }
        }
    }

    boolean of(String node) {
        return healthy.contains(node);
    }

    /** The node that writes what no serving node writes; null where no node is healthy. */
    @Nullable
    String first() {
        return healthy.isEmpty() ? null : healthy.first();
    }

    /** The healthy ones of some nodes, in their order. */
    List<String> among(Iterable<String> nodes) {
        List<String> found = new ArrayList<>();
        nodes.forEach(node -> {
            if (healthy.contains(node)) {
                found.add(node);
            }
        });
        return found;
    }
}
