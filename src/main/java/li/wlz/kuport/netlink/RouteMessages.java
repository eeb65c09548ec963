package li.wlz.kuport.netlink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import org.jspecify.annotations.Nullable;

/** RTM_*ROUTE of rtnetlink(7): {@code struct rtmsg}, {@code struct rtnexthop} and RTA_* of linux/rtnetlink.h. */
public final class RouteMessages {
    static final int RTM_NEWROUTE = 24;
    static final int RTM_DELROUTE = 25;
    private static final int RTM_GETROUTE = 26;

    /** sizeof(struct rtmsg): family, two prefix lengths, tos, table, protocol, scope, type, flags. */
    private static final int HEADER = 12;

    private static final int DESTINATION_LENGTH = 1;
    private static final int TOS = 3;
    private static final int TABLE = 4;
    private static final int PROTOCOL = 5;
    private static final int TYPE = 7;
    private static final int FLAGS = 8;

    /** sizeof(struct rtnexthop): length, flags, hops, index. */
    private static final int NEXT_HOP = 8;

    private static final int RTA_DST = 1;
    private static final int RTA_OIF = 4;
    private static final int RTA_GATEWAY = 5;
    private static final int RTA_PRIORITY = 6;
    private static final int RTA_PREFSRC = 7;
    private static final int RTA_METRICS = 8;
    private static final int RTA_MULTIPATH = 9;
    private static final int RTA_TABLE = 15;
    private static final int RTA_VIA = 18;
    private static final int RTAX_LOCK = 1;
    private static final int RTAX_MTU = 2;
    private static final int RTNH_F_ONLINK = 4;
    private static final int RTM_F_CLONED = 0x200;
    private static final int RT_TABLE_UNSPEC = 0;
    private static final int RT_SCOPE_UNIVERSE = 0;
    private static final int RT_SCOPE_LINK = 253;
    private static final int RT_SCOPE_HOST = 254;
    private static final int RT_SCOPE_NOWHERE = 255;

    private RouteMessages() {}

    /** Asks for the routes of a table: {@code ip route show table TABLE}. A kernel that cannot filter sends all. */
    public static byte[] dumpTable(IpFamily family, int table) {
        return dump(family, 0).u32(RTA_TABLE, table).finish();
    }

    /** Asks for the routes that bear a protocol number: {@code ip route show table all proto PROTOCOL}. */
    public static byte[] dumpProtocol(IpFamily family, int protocol) {
        return dump(family, protocol).finish();
    }

    private static MessageWriter dump(IpFamily family, int protocol) {
        return MessageWriter.request(RTM_GETROUTE, Message.NLM_F_DUMP)
                .u8(Family.number(family))
                .zeros(PROTOCOL - 1)
                .u8(protocol)
                .zeros(HEADER - PROTOCOL - 1);
    }

    /**
     * The route of an answer, one for each next hop; none for other messages and for what no {@link Route} can express: routes by
     * source or type of service, of unknown types or devices, or with a next hop of the other family.
     *
     * @throws MalformedMessageException if the message is not whole
     */
    public static List<Route> decode(Message message, Devices devices) {
        if (message.type() != RTM_NEWROUTE) {
            return List.of();
        }
        Attributes attributes = message.attributes(HEADER);
        Optional<IpFamily> family = Family.of(message.u8(0));
        Optional<Route.Type> type = type(message.u8(TYPE));
        boolean special = message.u8(DESTINATION_LENGTH + 1) != 0
                || message.u8(TOS) != 0
                || (message.u32(FLAGS) & RTM_F_CLONED) != 0;
        if (family.isEmpty() || type.isEmpty() || special) {
            return List.of();
        }
        Whole whole = new Whole(message, attributes, type.get(), destination(message, attributes, family.get()));
        Optional<ByteBuffer> hops = attributes.raw(RTA_MULTIPATH);
        return hops.isPresent()
                ? multipath(whole, hops.get(), devices)
                : whole.by(message.u32(FLAGS), attributes.u32(RTA_OIF, 0), attributes, devices).stream()
                        .toList();
    }

    private static Optional<Route.Type> type(int number) {
        for (Route.Type type : Route.Type.values()) {
            if (type.number() == number) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }

    private static Cidr destination(Message message, Attributes attributes, IpFamily family) {
        IpAddress address = attributes.address(RTA_DST).orElse(IpAddress.unspecified(family));
        int length = message.u8(DESTINATION_LENGTH);
        if (address.family() != family || length > family.bits()) {
            throw new MalformedMessageException("a route of " + family + " to " + address + "/" + length);
        }
        return Cidr.containing(address, length);
    }

    private static List<Route> multipath(Whole whole, ByteBuffer hops, Devices devices) {
        List<Route> routes = new ArrayList<>();
        int at = 0;
        while (hops.limit() - at >= NEXT_HOP) {
            int length = hops.getShort(at) & 0xffff;
            if (length < NEXT_HOP || length > hops.limit() - at) {
                throw new MalformedMessageException("a next hop of " + length + " bytes");
            }
            ByteBuffer hop = hops.slice(at, length).order(ByteOrder.nativeOrder());
            whole.by(hop.get(2) & 0xff, hop.getInt(4), Attributes.parse(hop, NEXT_HOP), devices)
                    .ifPresent(routes::add);
            at += Message.aligned(length);
        }
        return routes;
    }

    /** What the next hops of a route share. */
    private record Whole(Message message, Attributes attributes, Route.Type type, Cidr destination) {
        Optional<Route> by(int flags, int index, Attributes hop, Devices devices) {
            Optional<String> device = devices.name(index);
            // Over IPv6 a refusing route shows the loopback device, which it does not use.
            boolean leaves = leaves(type);
            if (hop.has(RTA_VIA) || (leaves && device.isEmpty())) {
                return Optional.empty();
            }
            return Optional.of(new Route(
                    attributes.u32(RTA_TABLE, message.u8(TABLE)),
                    type,
                    destination,
                    leaves ? device.get() : null,
                    leaves ? hop.address(RTA_GATEWAY).orElse(null) : null,
                    leaves && (flags & RTNH_F_ONLINK) != 0,
                    attributes.u32(RTA_PRIORITY, 0),
                    message.u8(PROTOCOL),
                    lockedMtu(attributes.nested(RTA_METRICS)),
                    attributes.address(RTA_PREFSRC).orElse(null)));
        }
    }

    private static boolean leaves(Route.Type type) {
        return switch (type) {
            case UNICAST, LOCAL, BROADCAST, ANYCAST, MULTICAST -> true;
            case BLACKHOLE, UNREACHABLE, PROHIBIT, THROW -> false;
        };
    }

    private static int lockedMtu(Attributes metrics) {
        boolean locked = (metrics.u32(RTAX_LOCK, 0) & 1 << RTAX_MTU) != 0;
        return locked ? metrics.u32(RTAX_MTU, 0) : 0;
    }

    static byte[] add(Route route, Devices devices) {
        MessageWriter writer = write(
                RTM_NEWROUTE,
                Message.NLM_F_CREATE | Message.NLM_F_REPLACE,
                scope(route),
                route.onlink() ? RTNH_F_ONLINK : 0,
                route,
                devices);
        address(writer, RTA_PREFSRC, route.source());
        if (route.lockedMtu() != 0) {
            writer.nested(
                    RTA_METRICS,
                    metrics -> metrics.u32(RTAX_LOCK, 1 << RTAX_MTU).u32(RTAX_MTU, route.lockedMtu()));
        }
        return writer.finish();
    }

    /** Metrics and preferred source stay out of a deletion: the kernel finds the route without them. */
    static byte[] delete(Route route, Devices devices) {
        return write(RTM_DELROUTE, 0, RT_SCOPE_NOWHERE, 0, route, devices).finish();
    }

    private static MessageWriter write(int type, int messageFlags, int scope, int flags, Route route, Devices devices) {
        MessageWriter writer = MessageWriter.request(type, messageFlags | Message.NLM_F_ACK)
                .u8(Family.number(route.destination().family()))
                .u8(route.destination().prefixLength())
                .u8(0)
                .u8(0)
                .u8(RT_TABLE_UNSPEC)
                .u8(route.protocol())
                .u8(scope)
                .u8(route.type().number())
                .u32(flags)
                .u32(RTA_TABLE, route.table())
                .address(RTA_DST, route.destination().network())
                .u32(RTA_PRIORITY, route.metric());
        String device = route.device();
        if (device != null) {
            writer.u32(RTA_OIF, devices.indexOf(device));
        }
        address(writer, RTA_GATEWAY, route.gateway());
        return writer;
    }

    private static void address(MessageWriter writer, int type, @Nullable IpAddress address) {
        if (address != null) {
            writer.address(type, address);
        }
    }

    /** How far the destination is, by which IPv4 accepts or refuses a gateway; IPv6 does not look. */
    private static int scope(Route route) {
        return switch (route.type()) {
            case LOCAL -> RT_SCOPE_HOST;
            case UNICAST -> route.gateway() == null ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
            case BROADCAST, ANYCAST, MULTICAST -> RT_SCOPE_LINK;
            case BLACKHOLE, UNREACHABLE, PROHIBIT, THROW -> RT_SCOPE_UNIVERSE;
        };
    }

    /**
     * Whether a notification is about a route that bears the protocol number or lies in a table that is asked for.
     *
     * @throws MalformedMessageException if the message is not whole
     */
    public static boolean concerns(Message message, int protocol, IntPredicate tables) {
        if (message.type() != RTM_NEWROUTE && message.type() != RTM_DELROUTE) {
            return false;
        }
        Attributes attributes = message.attributes(HEADER);
        return message.u8(PROTOCOL) == protocol || tables.test(attributes.u32(RTA_TABLE, message.u8(TABLE)));
    }
}
