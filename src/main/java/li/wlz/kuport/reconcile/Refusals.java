package li.wlz.kuport.reconcile;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.netlink.Route;
import li.wlz.kuport.reconcile.spi.NodeException;
import li.wlz.kuport.reconcile.spi.NodeException.Refusal;

/** What the kernel refused as problems of the node, by what it was: a way back that is missing says nothing of the link. */
final class Refusals {
    private Refusals() {}

    /**
     * The problems.
     *
     * @param usual the reason where no single changes were refused, and no privilege is missing
     */
    static List<NodeProblem> problems(NodeReason usual, NodeException refused) {
        if (refused.refusals().isEmpty()) {
            NodeReason reason = refused.forbidden() ? NodeReason.PermissionMissing : usual;
            return List.of(new NodeProblem(reason, String.valueOf(refused.getMessage())));
        }
        Map<NodeReason, List<Refusal>> byReason = new EnumMap<>(NodeReason.class);
        refused.refusals()
                .forEach(refusal -> byReason.computeIfAbsent(reason(refusal), reason -> new ArrayList<>())
                        .add(refusal));
        return byReason.entrySet().stream()
                .map(e -> new NodeProblem(e.getKey(), NodeException.message(e.getValue())))
                .toList();
    }

    private static NodeReason reason(Refusal refusal) {
        if (refusal.forbidden()) {
            return NodeReason.PermissionMissing;
        }
        return isOfLink(refusal.request()) ? NodeReason.VxlanUnavailable : NodeReason.RoutingUnavailable;
    }

    private static boolean isOfLink(Request request) {
        return switch (request) {
            case Request.CreateVxlan _,
                    Request.DeleteLink _,
                    Request.SetMtu _,
                    Request.SetUp _,
                    Request.SetRpFilter _,
                    Request.SetVxlanLocal _,
                    Request.AddAddress _,
                    Request.DeleteAddress _,
                    Request.AddNeighbour _,
                    Request.DeleteNeighbour _,
                    Request.AddForwardingEntry _,
                    Request.DeleteForwardingEntry _ -> true;
            case Request.AddRoute(Route route) -> isOfLink(route);
            case Request.DeleteRoute(Route route) -> isOfLink(route);
            case Request.AddRule _, Request.DeleteRule _ -> false;
        };
    }

    /** In table main ours lead to link addresses; the tables of marks have those of uplinks, too. */
    private static boolean isOfLink(Route route) {
        return route.table() == Route.TABLE_MAIN || Ours.LINK_DEVICE.equals(route.device());
    }
}
