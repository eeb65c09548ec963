package li.wlz.kuport.plan;

import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.Sorted;
import org.jspecify.annotations.Nullable;

/**
 * This node's end of the link, and who is at the other ends.
 *
 * @param link null where there can be none, or none is needed
 * @param lack why packets cannot go to another node at all, in a sentence; empty where they can
 * @param unreachable why each node that one might expect among the peers is none, in a sentence
 * @param underlay this node's underlay address; empty without one
 * @param underlayMtu of the interface that holds it, in bytes; 0 without one
 */
record LinkPlan(
        NodePlan.@Nullable Link link,
        SortedMap<String, NodePlan.Peer> peers,
        String lack,
        SortedMap<String, String> unreachable,
        List<IpAddress> underlay,
        int underlayMtu,
        SortedSet<NodeProblem> problems) {

    /** No part in any link, for a reason that is told. */
    static LinkPlan none(String lack) {
        return new LinkPlan(null, Sorted.map(), lack, Sorted.map(), List.of(), 0, Sorted.set());
    }

    /** The least MTU with which the kernel lets a device have IPv6 (RFC 8200). */
    static final int IPV6_MINIMUM_MTU = 1280;

    /** Whether packets of a family can go to that peer. */
    boolean carries(IpFamily family, NodePlan.Peer peer) {
        return switch (family) {
            case IPV4 -> link != null;
            case IPV6 -> link != null && link.address6() != null && peer.mtu() >= IPV6_MINIMUM_MTU;
        };
    }
}
