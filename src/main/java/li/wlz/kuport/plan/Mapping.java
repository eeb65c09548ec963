package li.wlz.kuport.plan;

import java.util.List;
import li.wlz.kuport.model.PortRequest;
import org.jspecify.annotations.Nullable;

/**
 * An accepted mapping with all that every node decides alike.
 *
 * @param pod where it is delivered to; null without one
 * @param lack why there is no pod; null where there is one
 * @param draining the Service's other pods that list its port: TCP connections to them may go on until they are gone
 * @param serving the nodes that forward it
 */
record Mapping(
        Accepted accepted, @Nullable Pod pod, @Nullable Finding lack, List<Pod> draining, Serving serving) {
    PortRequest request() {
        return accepted.request();
    }

    Scope scope() {
        return accepted.scope();
    }

    /** Whether a node other than the pod's forwards it. */
    boolean leavesANode() {
        return pod != null && serving.nodes().stream().anyMatch(node -> !node.equals(pod.node()));
    }

    /** Whether the pod's node has a part of its own beside those that forward: it takes packets from the link. */
    boolean usesLink() {
        return scope().classNodes().usesLink() && leavesANode();
    }

    /** The nodes that have a part in it: those that forward, and the pod's where packets come to it over the link. */
    boolean involves(String node) {
        return serving.nodes().contains(node) || (pod != null && pod.node().equals(node) && usesLink());
    }
}
