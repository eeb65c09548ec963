package li.wlz.kuport.datapath;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.netlink.Link;
import li.wlz.kuport.netlink.Neighbour;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.netlink.Route;
import li.wlz.kuport.netlink.RoutingState;
import org.jspecify.annotations.Nullable;

/**
 * The requests that turn what rtnetlink has of ours into what is wanted.
 *
 * @param before what must be there before the ruleset sends packets to it
 * @param after what must go only once the ruleset sends nothing there
 * @param obstacles devices of somebody else that are in our way; they are not touched
 */
record RoutingChanges(List<Request> before, List<Request> after, List<String> obstacles) {
    private static final int LOOSE = 2;

    RoutingChanges {
        before = List.copyOf(before);
        after = List.copyOf(after);
        obstacles = List.copyOf(obstacles);
    }

    static RoutingChanges between(WantedRouting wanted, RoutingState there) {
        return new Builder(wanted, there).build();
    }

    private static final class Builder {
        private final WantedRouting wanted;
        private final RoutingState there;
        private final List<Request> before = new ArrayList<>();
        private final List<Request> after = new ArrayList<>();
        private final List<String> obstacles = new ArrayList<>();

        Builder(WantedRouting wanted, RoutingState there) {
            this.wanted = wanted;
            this.there = there;
        }

        RoutingChanges build() {
            if (device()) {
                onDevice();
            }
            differ(
                    usable(wanted.routes()),
                    routesThere(),
                    route -> List.of(route.table(), route.destination(), route.metric()),
                    Request.AddRoute::new,
                    Request.DeleteRoute::new);
            differ(wanted.rules(), there.rules(), rule -> rule, Request.AddRule::new, Request.DeleteRule::new);
            return new RoutingChanges(before, after, obstacles);
        }

        /** Sees to the device; whether it is ours to put things on. */
        private boolean device() {
            Link device = there.link(Ours.LINK_DEVICE).orElse(null);
            NodePlan.Link link = wanted.link();
            if (device != null && !device.alias().equals(Ours.LINK_ALIAS)) {
                if (link != null) {
                    obstacles.add("there is a device " + device.name() + " without the alias " + Ours.LINK_ALIAS
                            + ": it is somebody else's, and kuport needs the name. Rename or remove it.");
                }
                return false;
            }
            if (link == null) {
                if (device != null) {
                    after.add(new Request.DeleteLink(device.name()));
                }
                return false;
            }
            if (device == null || mustBeMadeAnew(device, link)) {
                return make(device, link);
            }
            adjust(device, link);
            return true;
        }

        private static boolean mustBeMadeAnew(Link device, NodePlan.Link link) {
            Link.@Nullable Vxlan vxlan = device.vxlan();
            return vxlan == null
                    || vxlan.vni() != link.vni()
                    || vxlan.port() != link.port()
                    || vxlan.learning()
                    || vxlan.local() == null
                    || vxlan.local().family() != link.underlay().family()
                    || device.group() != Ours.LINK_GROUP
                    || !link.mac().equals(device.mac());
        }

        private boolean make(@Nullable Link old, NodePlan.Link link) {
            Link holder = holder(link);
            if (holder != null) {
                obstacles.add("device " + holder.name() + " already has VXLAN port " + link.port()
                        + ", with other settings or the same VNI: two can't share it. Remove it, or set --link-port on all"
                        + " nodes.");
                return false;
            }
            if (old != null) {
                before.add(new Request.DeleteLink(old.name()));
            }
            before.add(new Request.CreateVxlan(
                    Ours.LINK_DEVICE,
                    Ours.LINK_ALIAS,
                    Ours.LINK_GROUP,
                    link.mac(),
                    link.mtu(),
                    link.vni(),
                    link.port(),
                    link.underlay()));
            before.add(new Request.SetRpFilter(Ours.LINK_DEVICE, LOOSE));
            before.add(new Request.SetUp(Ours.LINK_DEVICE));
            return true;
        }

        /** A VXLAN device of somebody else's on our port: the kernel refuses a second one with other settings or the same VNI. */
        private @Nullable Link holder(NodePlan.Link link) {
            return there.links().stream()
                    .filter(device -> !device.name().equals(Ours.LINK_DEVICE)
                            && device.vxlan() != null
                            && device.vxlan().port() == link.port())
                    .findFirst()
                    .orElse(null);
        }

        private void adjust(Link device, NodePlan.Link link) {
            Link.@Nullable Vxlan vxlan = device.vxlan();
            if (vxlan != null && !link.underlay().equals(vxlan.local())) {
                before.add(new Request.SetVxlanLocal(device.name(), link.underlay()));
            }
            if (device.mtu() != link.mtu()) {
                before.add(new Request.SetMtu(device.name(), link.mtu()));
            }
            if (device.rpFilter() != LOOSE) {
                before.add(new Request.SetRpFilter(device.name(), LOOSE));
            }
            if (!device.up()) {
                before.add(new Request.SetUp(device.name()));
            }
        }

        /** Addresses, forwarding entries and neighbours: a device that is made anew has none. */
        private void onDevice() {
            boolean anew = before.stream().anyMatch(Request.CreateVxlan.class::isInstance);
            differ(
                    wanted.addresses(),
                    anew ? List.of() : there.addresses(),
                    address -> address,
                    Request.AddAddress::new,
                    Request.DeleteAddress::new);
            differ(
                    wanted.forwarding(),
                    anew ? List.of() : there.forwarding(),
                    entry -> entry,
                    Request.AddForwardingEntry::new,
                    Request.DeleteForwardingEntry::new);
            differ(
                    wanted.neighbours(),
                    anew ? List.of() : there.neighbours(),
                    Neighbour::address,
                    Request.AddNeighbour::new,
                    Request.DeleteNeighbour::new);
        }

        /** The routes that are left when the device was made anew: those over it went with it. */
        private List<Route> routesThere() {
            boolean anew = before.stream().anyMatch(Request.DeleteLink.class::isInstance);
            return there.routes().stream()
                    .filter(route -> !anew || !Ours.LINK_DEVICE.equals(route.device()))
                    .toList();
        }

        /** Without our device, what leads over it has to go, or can't be made. */
        private SortedSet<Route> usable(SortedSet<Route> routes) {
            boolean onDevice = obstacles.isEmpty() && wanted.link() != null;
            return onDevice
                    ? routes
                    : new TreeSet<>(routes.stream()
                            .filter(route -> !Ours.LINK_DEVICE.equals(route.device()))
                            .toList());
        }

        /**
         * Asks for what is missing before, and for what is too much to go after. What is wanted is asked for in its own order
         * reversed, so that of a table's routes the last resort comes first and the default route last.
         *
         * @param place what an addition replaces: what is there in the place of a wanted one goes with its addition, and a
         *     deletion would take the new one
         */
        private <T extends Comparable<T>> void differ(
                SortedSet<T> wanted,
                Collection<T> there,
                Function<T, Object> place,
                Function<T, Request> add,
                Function<T, Request> delete) {
            SortedSet<T> present = new TreeSet<>(there);
            new TreeSet<>(wanted)
                    .reversed().stream()
                            .filter(item -> !present.contains(item))
                            .map(add)
                            .forEach(before::add);
            Set<Object> taken = wanted.stream().map(place).collect(Collectors.toSet());
            present.stream()
                    .filter(item -> !taken.contains(place.apply(item)))
                    .map(delete)
                    .forEach(after::add);
        }
    }
}
