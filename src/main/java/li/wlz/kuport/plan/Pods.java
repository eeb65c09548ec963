package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.Endpoint;

/**
 * The endpoints of a Service, sorted out.
 *
 * @param pods those that can be delivered to, by node and name, be they ready or not
 * @param unsupported why each of the others that answers cannot be, in a sentence
 */
record Pods(List<Pod> pods, List<String> unsupported) {
    static final Pods NONE = new Pods(List.of(), List.of());

    static Pods of(List<Endpoint> endpoints, SortedMap<String, ClusterNode> nodes) {
        if (endpoints.isEmpty()) {
            return NONE;
        }
        List<Pod> pods = new ArrayList<>(endpoints.size());
        List<String> unsupported = new ArrayList<>(0);
        for (Endpoint endpoint : endpoints) {
            if (endpoint.addresses().isEmpty()) {
                continue;
            }
            String node = endpoint.node();
            ClusterNode clusterNode = node == null ? null : nodes.get(node);
            if (endpoint.pod() == null) {
                unsupported.add(Words.endpoint(endpoint) + " is no pod (its EndpointSlice has no targetRef)");
            } else if (clusterNode == null) {
                unsupported.add(Words.endpoint(endpoint)
                        + (node == null
                                ? " bears no nodeName"
                                : " is on " + node + ", which is no Node of the cluster"));
            } else {
                pods.add(Pod.of(endpoint.pod(), clusterNode, endpoint));
            }
        }
        pods.sort(Pod.BY_NODE);
        unsupported.sort(null);
        return new Pods(pods, unsupported);
    }
}
