package li.wlz.kuport.datapath;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodePlan.Egress;
import li.wlz.kuport.model.PersistentMap;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Target;
import li.wlz.kuport.netlink.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Finds the connection tracking entries that no longer fit a plan; docs/datapath.md has the table.
 *
 * <p>An entry that is where it should be is never among them, nor one that other software translated.
 */
final class StaleFlows {
    /** IPS_EXPECTED of linux/netfilter/nf_conntrack_common.h: a helper opened it beside a flow of ours, whose mark it bears. */
    private static final int EXPECTED = 1;

    private static final int LAST_PORT = 65535;

    private final MarkSpace marks;
    private final Egress egress;
    private final List<PersistentMap<Dialled, Delivery>> lookups;

    private StaleFlows(MarkSpace marks, NodePlan plan) {
        this.marks = marks;
        this.egress = plan.egress();
        this.lookups = List.of(
                PersistentMap.copyOf(plan.accept()),
                PersistentMap.copyOf(plan.deliver()),
                PersistentMap.copyOf(plan.own()));
    }

    static Predicate<Flow> of(MarkSpace marks, NodePlan plan) {
        return new StaleFlows(marks, plan)::isStale;
    }

    private boolean isStale(Flow flow) {
        Optional<Protocol> protocol = protocol(flow);
        if (protocol.isEmpty() || flow.original().destinationPort() == 0) {
            return false;
        }
        Delivery delivery = delivery(flow, protocol.get());
        if (delivery == null) {
            return leavesWrongly(flow, protocol.get());
        }
        if (marks.index(flow.mark()).isEmpty() && flow.translated()) {
            return false;
        }
        return !leadsTo(delivery.target(), flow)
                && !(protocol.get() == Protocol.TCP
                        && delivery.draining().stream().anyMatch(target -> leadsTo(target, flow)));
    }

    /**
     * Whether a flow that nobody dialled here is one of ours no longer, or one that a pod opened before it had its address. A TCP
     * connection of the latter kind goes on as it began.
     */
    private boolean leavesWrongly(Flow flow, Protocol protocol) {
        IpAddress source =
                egress.sources().get(new Egress.Opener(flow.original().source(), protocol));
        if (marks.index(flow.mark()).isPresent()) {
            return (flow.status() & EXPECTED) == 0
                    && !(source != null && source.equals(flow.reply().destination()));
        }
        return source != null
                && protocol == Protocol.UDP
                && flow.original().destination().equals(flow.reply().source())
                && Outside.contains(flow.original().destination(), egress.cluster());
    }

    private static Optional<Protocol> protocol(Flow flow) {
        for (Protocol protocol : Protocol.values()) {
            if (protocol.number() == flow.protocol()) {
                return Optional.of(protocol);
            }
        }
        return Optional.empty();
    }

    private @Nullable Delivery delivery(Flow flow, Protocol protocol) {
        IpAddress address = flow.original().destination();
        int port = flow.original().destinationPort();
        // Keys do not overlap, so only the last that begins at or below the port can hold it.
        Dialled above = new Dialled(address, protocol, new PortRange(port, LAST_PORT));
        for (PersistentMap<Dialled, Delivery> lookup : lookups) {
            Map.Entry<Dialled, Delivery> floor = lookup.floorEntry(above);
            if (floor != null
                    && floor.getKey().address().equals(address)
                    && floor.getKey().protocol() == protocol
                    && floor.getKey().ports().contains(port)) {
                return floor.getValue();
            }
        }
        return null;
    }

    /** Whether answers come from the target. A range keeps its ports' numbers. */
    private static boolean leadsTo(@Nullable Target target, Flow flow) {
        if (target == null) {
            return false;
        }
        int port = target.ports().isSingle()
                ? target.ports().first()
                : flow.original().destinationPort();
        return flow.reply().source().equals(target.address()) && flow.reply().sourcePort() == port;
    }
}
