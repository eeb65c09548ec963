package li.wlz.kuport.plan;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import li.wlz.kuport.model.InterfaceRoute;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.NetworkInterface;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodePlan.Uplink;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.Sorted;
import org.jspecify.annotations.Nullable;

/**
 * The interfaces that clients come in by on this node: those that classes name, and those that hold listed addresses. Their replies
 * leave by the same one.
 */
final class UplinkPlanner {
    private final NodeFacts facts;
    private final OwnAddresses addresses;
    private final List<Offer> offers;
    private final SortedSet<String> more;

    /**
     * A planner for one node.
     *
     * @param offers what each class offers on this node
     * @param more other interfaces that clients come in by
     */
    UplinkPlanner(NodeFacts facts, OwnAddresses addresses, List<Offer> offers, SortedSet<String> more) {
        this.facts = facts;
        this.addresses = addresses;
        this.offers = offers;
        this.more = more;
    }

    /** The interfaces by name, as far as indices go; adds a problem for those beyond. */
    SortedMap<String, Uplink> plan(SortedSet<NodeProblem> problems) {
        SortedSet<String> names = names();
        Map<String, Integer> indices = new Indices(MarkSpace.FIRST_UPLINK, MarkSpace.LAST_UPLINK)
                .allocate(names, facts.indices().uplinks(), facts.indices().resting());
        SortedMap<String, Uplink> uplinks = new TreeMap<>();
        for (String name : names) {
            Integer index = indices.get(name);
            if (index == null) {
                problems.add(new NodeProblem(
                        NodeReason.IndicesExhausted,
                        "no mark index is free for interface " + name
                                + "; replies to clients that come in by it take the node's own routes"));
            } else {
                uplinks.put(name, new Uplink(index, routes(name)));
            }
        }
        names.forEach(name -> {
            NodeProblem problem = reversePathFilter(name);
            if (problem != null) {
                problems.add(problem);
            }
        });
        return uplinks;
    }

    private SortedSet<String> names() {
        SortedSet<String> names = new TreeSet<>(more);
        for (Offer offer : offers) {
            names.addAll(offer.interfaces());
            for (EntryPoint point : offer.entryPoints()) {
                if (point instanceof EntryPoint.Listed listed && addresses.holder(listed.address()) != null) {
                    names.add(Objects.requireNonNull(addresses.holder(listed.address())));
                }
            }
        }
        names.removeIf(name -> name.equals(Ours.LINK_DEVICE)
                || facts.networkInterface(name).filter(i -> !i.loopback()).isEmpty());
        return names;
    }

    private SortedSet<InterfaceRoute> routes(String device) {
        return Sorted.copyOf(facts.routes().stream()
                .filter(route -> route.device().equals(device))
                .toList());
    }

    /**
     * Strict reverse path filtering drops clients of the internet on an interface that they would not be routed back by.
     *
     * @return null where it does not, or no such clients are expected there
     */
    private @Nullable NodeProblem reversePathFilter(String name) {
        NetworkInterface uplink = facts.networkInterface(name).orElseThrow();
        int effective = Math.max(facts.sysctls().rpFilterAll(), uplink.rpFilter());
        int best = metricOfDefault(facts.routes());
        int own = metricOfDefault(routes(name));
        boolean clientsOfTheInternet = own != Integer.MAX_VALUE || servesTheInternet(name);
        if (effective != 1 || own <= best || !clientsOfTheInternet) {
            return null;
        }
        return new NodeProblem(
                NodeReason.ReversePathFilter,
                "rp_filter of interface " + name
                        + " is 1 (strict) and another interface has the default route, so the kernel drops "
                        + "clients that come in by " + name + "; set net.ipv4.conf." + name + ".rp_filter=2");
    }

    private static int metricOfDefault(Iterable<InterfaceRoute> routes) {
        int best = Integer.MAX_VALUE;
        for (InterfaceRoute route : routes) {
            if (route.destination().prefixLength() == 0 && route.destination().family() == IpFamily.IPV4) {
                best = Math.min(best, route.metric());
            }
        }
        return best;
    }

    private boolean servesTheInternet(String name) {
        return addresses.at(new EntryPoint.Interface(name)).stream()
                .filter(a -> a.family() == IpFamily.IPV4)
                .anyMatch(a -> a.isGlobal() || hasExternal(a));
    }

    private boolean hasExternal(IpAddress address) {
        return offers.stream().anyMatch(offer -> offer.external().containsKey(address));
    }
}
