package li.wlz.kuport.datapath;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import li.wlz.kuport.model.Blockade.Stretch;
import li.wlz.kuport.model.InterfaceRoute;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.nft.ForeignPacket;
import org.jspecify.annotations.Nullable;

/**
 * A way that requests take through a node; replies take it the other way round.
 *
 * <p>One packet stands for all of its kind: pods of one node are behind one device, link addresses behind the link.
 *
 * @param in the interface that they come in by
 * @param out the one that they leave by; null where it is not known
 * @param destination where they were translated to
 * @param index of the mark of their flows
 */
record Passage(
        Stretch stretch,
        IpFamily family,
        String in,
        @Nullable String out,
        IpAddress destination,
        int index) {

    /** The passages of a family that a plan makes. */
    static List<Passage> all(NodePlan plan, NodeFacts facts, IpFamily family) {
        List<Passage> passages = new ArrayList<>();
        Optional<IpAddress> pod = first(plan.pods().stream(), family);
        Optional<IpAddress> link =
                first(plan.peers().values().stream().flatMap(p -> p.linkAddresses().stream()), family);
        plan.uplinks().forEach((name, uplink) -> {
            link.ifPresent(to -> passages.add(
                    new Passage(Stretch.UPLINK_TO_LINK, family, name, Ours.LINK_DEVICE, to, uplink.index())));
            pod.ifPresent(to -> passages.add(
                    new Passage(Stretch.UPLINK_TO_POD, family, name, towards(facts, to), to, uplink.index())));
        });
        pod.ifPresent(to -> plan.peers().values().stream()
                .flatMap(peer -> Optional.ofNullable(peer.index()).stream())
                .findFirst()
                .ifPresent(index -> passages.add(
                        new Passage(Stretch.LINK_TO_POD, family, Ours.LINK_DEVICE, towards(facts, to), to, index))));
        return passages;
    }

    private static Optional<IpAddress> first(Stream<IpAddress> addresses, IpFamily family) {
        return addresses.filter(address -> address.family() == family).findFirst();
    }

    /** The interface by which what goes to an address leaves; null where it is not known. */
    static @Nullable String towards(NodeFacts facts, IpAddress destination) {
        InterfaceRoute best = null;
        for (InterfaceRoute route : facts.routes()) {
            boolean leads = route.destination().contains(destination);
            if (leads
                    && (best == null
                            || route.destination().prefixLength()
                                    > best.destination().prefixLength())) {
                best = route;
            }
        }
        return best == null ? null : best.device();
    }

    /** The first packet of a request, as chains behind the translation see it. */
    List<ForeignPacket> packets() {
        return Stream.of(Protocol.values())
                .map(protocol -> new ForeignPacket(family, protocol, in, out, null, destination))
                .toList();
    }
}
