package li.wlz.kuport.datapath;

import java.util.Optional;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.netlink.Link;
import li.wlz.kuport.netlink.RoutingState;

/** Looks for devices of somebody else's that our link device would clash with. They are never touched. */
final class LinkObstacle {
    private LinkObstacle() {}

    static Optional<NodeProblem> find(RoutingState present, int port) {
        if (present.link(Ours.LINK_DEVICE).filter(LinkObstacle::isOurs).isPresent()) {
            // Ours is there already, so the kernel found no clash.
            return Optional.empty();
        }
        return present.links().stream()
                .filter(link -> !isOurs(link))
                .<String>mapMulti((link, words) -> {
                    Link.Vxlan vxlan = link.vxlan();
                    if (link.name().equals(Ours.LINK_DEVICE)) {
                        words.accept("there is a device " + link.name() + " that is not kuport's (it lacks the alias "
                                + Ours.LINK_ALIAS + "): remove or rename it");
                    } else if (vxlan != null && vxlan.port() == port) {
                        words.accept("the VXLAN device " + link.name() + " (id " + vxlan.vni() + ") uses UDP port "
                                + port + ", which is the link's: give the agents of all nodes another port");
                    }
                })
                .findFirst()
                .map(words -> new NodeProblem(NodeReason.VxlanUnavailable, words));
    }

    private static boolean isOurs(Link link) {
        return link.alias().equals(Ours.LINK_ALIAS);
    }
}
