package li.wlz.kuport.kernel;

import java.util.function.IntSupplier;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.netlink.AddressMessages;
import li.wlz.kuport.netlink.Link;
import li.wlz.kuport.netlink.LinkMessages;
import li.wlz.kuport.netlink.Message;
import li.wlz.kuport.netlink.NeighbourMessages;
import li.wlz.kuport.netlink.Route;
import li.wlz.kuport.netlink.RouteMessages;
import li.wlz.kuport.netlink.RuleMessages;
import li.wlz.kuport.netlink.SettingMessages;

/**
 * Tells rtnetlink notifications that change what {@link Routing} shows from the rest: our own doing, neighbours of other
 * devices, tables that are not ours.
 *
 * <p>The kernel announces some consequences of our own requests as its own doing (a device's going up, forwarding entries);
 * those count as foreign, which costs one reading more.
 */
final class RoutingWatch {
    /** RTNLGRP_* of linux/rtnetlink.h: links, neighbours, then addresses, routes, rules, settings of IPv4 and IPv6. */
    static final int[] GROUPS = {1, 3, 5, 9, 7, 11, 8, 19, 24, 25};

    private final MarkSpace marks;
    private final IntSupplier ownPortId;
    private final Runnable foreign;
    private int linkIndex;

    /**
     * @param ownPortId of the socket that our requests go over
     * @param foreign called when something changed; it returns at once
     */
    RoutingWatch(MarkSpace marks, IntSupplier ownPortId, Runnable foreign) {
        this.marks = marks;
        this.ownPortId = ownPortId;
        this.foreign = foreign;
    }

    /** The index of our link device, known from a reading; 0 without one. */
    synchronized void linkIs(int index) {
        linkIndex = index;
    }

    /** Takes a notification. */
    synchronized void take(Message message) {
        // Also of our own device, whose index is needed from its first moment.
        LinkMessages.decode(message)
                .filter(link -> link.name().equals(Ours.LINK_DEVICE))
                .map(Link::index)
                .ifPresent(this::linkIs);
        if (message.portId() != ownPortId.getAsInt() && concerns(message)) {
            foreign.run();
        }
    }

    private boolean concerns(Message message) {
        return LinkMessages.concerns(message)
                || AddressMessages.concerns(message)
                || RuleMessages.concerns(message)
                || SettingMessages.concerns(message)
                || NeighbourMessages.concerns(message, linkIndex)
                || RouteMessages.concerns(message, Ours.ROUTE_PROTOCOL, this::shown);
    }

    private boolean shown(int table) {
        return table == Route.TABLE_MAIN || marks.index(table).isPresent();
    }
}
