package li.wlz.kuport.delivery;

import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Peer;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.netlink.Flow;

/** What nodes' connection tracking has, and whether an entry is still the one it was: a new one has another id. */
final class Flows {
    private Flows() {}

    /** A node's entries that were dialled at a port. */
    static List<Flow> to(Cluster cluster, MeshNode node, int port) {
        return of(cluster, node, flow -> flow.original().destinationPort() == port);
    }

    /** As {@link #to(Cluster, MeshNode, int)}, of those alone that are kuport's, known by their mark. */
    static List<Flow> oursTo(Cluster cluster, MeshNode node, int port) {
        return of(
                cluster,
                node,
                flow -> flow.original().destinationPort() == port
                        && MarkSpace.DEFAULT.index(flow.mark()).isPresent());
    }

    /** The ids of the entries that these clients opened, on each node. */
    static SortedMap<String, List<Integer>> ids(Cluster cluster, Collection<MeshNode> nodes, Collection<Peer> clients) {
        SortedMap<String, List<Integer>> ids = new TreeMap<>();
        for (MeshNode node : nodes) {
            ids.put(
                    node.name(),
                    of(
                                    cluster,
                                    node,
                                    flow -> clients.contains(new Peer(
                                            flow.original().source(),
                                            flow.original().sourcePort())))
                            .stream()
                            .map(Flow::id)
                            .sorted()
                            .toList());
        }
        return ids;
    }

    private static List<Flow> of(Cluster cluster, MeshNode node, Predicate<Flow> wanted) {
        Agent agent = cluster.agent(node);
        return agent.call(() -> agent.node().flows(wanted, Integer.MAX_VALUE)).some();
    }
}
