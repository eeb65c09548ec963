package li.wlz.kuport.netlink;

import java.util.List;
import java.util.Optional;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MacAddress;
import li.wlz.kuport.netlink.Link.Vxlan;

/** RTM_*LINK of rtnetlink(7): {@code struct ifinfomsg} and IFLA_* of linux/if_link.h. */
public final class LinkMessages {
    static final int RTM_NEWLINK = 16;
    static final int RTM_DELLINK = 17;
    static final int RTM_GETLINK = 18;
    static final int RTM_SETLINK = 19;

    /** sizeof(struct ifinfomsg): family, type, index, flags, change. */
    private static final int HEADER = 16;

    private static final int INDEX = 4;
    private static final int FLAGS = 8;

    private static final int IFLA_ADDRESS = 1;
    private static final int IFLA_IFNAME = 3;
    private static final int IFLA_MTU = 4;
    private static final int IFLA_LINKINFO = 18;
    private static final int IFLA_IFALIAS = 20;
    private static final int IFLA_AF_SPEC = 26;
    private static final int IFLA_GROUP = 27;
    private static final int IFLA_EXT_MASK = 29;
    private static final int RTEXT_FILTER_SKIP_STATS = 1 << 3;

    private static final int IFLA_INFO_KIND = 1;
    private static final int IFLA_INFO_DATA = 2;

    private static final int IFLA_VXLAN_ID = 1;
    private static final int IFLA_VXLAN_LOCAL = 4;
    private static final int IFLA_VXLAN_LEARNING = 7;
    private static final int IFLA_VXLAN_PORT = 15;
    private static final int IFLA_VXLAN_LOCAL6 = 17;
    private static final int IFLA_VXLAN_UDP_CSUM = 18;

    private static final int IFLA_INET_CONF = 1;
    private static final int IPV4_DEVCONF_RP_FILTER = 8;
    private static final int IFLA_INET6_ADDR_GEN_MODE = 8;
    private static final int IN6_ADDR_GEN_MODE_NONE = 1;

    private static final String VXLAN = "vxlan";

    private LinkMessages() {}

    /** Asks for all devices: {@code ip -d link show}. */
    public static byte[] dump() {
        return MessageWriter.request(RTM_GETLINK, Message.NLM_F_DUMP)
                .zeros(HEADER)
                .u32(IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS)
                .finish();
    }

    /** Asks for one device. */
    public static byte[] get(String name) {
        return MessageWriter.request(RTM_GETLINK, 0)
                .zeros(HEADER)
                .u32(IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS)
                .string(IFLA_IFNAME, name)
                .finish();
    }

    /**
     * A device, from an answer or a notification; empty for other messages.
     *
     * @throws MalformedMessageException if the message is not whole
     */
    public static Optional<Link> decode(Message message) {
        if (message.type() != RTM_NEWLINK) {
            return Optional.empty();
        }
        Attributes attributes = message.attributes(HEADER);
        // A bridge's notifications about its ports, and those of wireless devices, are not about devices as such.
        if (message.u8(0) != Family.AF_UNSPEC || !attributes.has(IFLA_IFNAME)) {
            return Optional.empty();
        }
        Attributes info = attributes.nested(IFLA_LINKINFO);
        String kind = info.string(IFLA_INFO_KIND, "");
        return Optional.of(new Link(
                attributes.string(IFLA_IFNAME, ""),
                message.u32(INDEX),
                kind,
                attributes.string(IFLA_IFALIAS, ""),
                attributes.u32(IFLA_GROUP, 0),
                attributes.u32(IFLA_MTU, 0),
                message.u32(FLAGS),
                attributes
                        .bytes(IFLA_ADDRESS)
                        .filter(bytes -> bytes.length == 6)
                        .map(MacAddress::of)
                        .orElse(null),
                rpFilter(attributes),
                kind.equals(VXLAN) ? vxlan(info.nested(IFLA_INFO_DATA)) : null));
    }

    private static int rpFilter(Attributes attributes) {
        int at = (IPV4_DEVCONF_RP_FILTER - 1) * Integer.BYTES;
        return attributes
                .nested(IFLA_AF_SPEC)
                .nested(Family.AF_INET)
                .raw(IFLA_INET_CONF)
                .filter(values -> values.limit() >= at + Integer.BYTES)
                .map(values -> values.getInt(at))
                .orElse(-1);
    }

    private static Vxlan vxlan(Attributes data) {
        Optional<IpAddress> local = data.address(IFLA_VXLAN_LOCAL).or(() -> data.address(IFLA_VXLAN_LOCAL6));
        return new Vxlan(
                data.u32(IFLA_VXLAN_ID, 0),
                data.be16(IFLA_VXLAN_PORT, 0),
                local.filter(address -> !address.isUnspecified()).orElse(null),
                data.u8(IFLA_VXLAN_LEARNING, 0) != 0);
    }

    /**
     * The steps to a VXLAN device of ours, the first of which fails with EEXIST where a device has the name.
     *
     * <p>Alias and address generation are ignored or refused at creation; the last step is refused (EAFNOSUPPORT) where there is
     * no IPv6, and then not needed. Outer packets have a checksum in IPv6 alone, where it must be (RFC 6936); inner ones have theirs.
     */
    static List<byte[]> create(Request.CreateVxlan request) {
        return List.of(
                MessageWriter.request(RTM_NEWLINK, Message.NLM_F_ACK | Message.NLM_F_CREATE | Message.NLM_F_EXCL)
                        .zeros(HEADER)
                        .string(IFLA_IFNAME, request.name())
                        .u32(IFLA_GROUP, request.group())
                        .u32(IFLA_MTU, request.mtu())
                        .bytes(IFLA_ADDRESS, request.mac().bytes())
                        .nested(
                                IFLA_LINKINFO,
                                info -> info.string(IFLA_INFO_KIND, VXLAN).nested(IFLA_INFO_DATA, data -> {
                                    data.u32(IFLA_VXLAN_ID, request.vni())
                                            .be16(IFLA_VXLAN_PORT, request.port())
                                            .u8(IFLA_VXLAN_LEARNING, 0)
                                            .u8(
                                                    IFLA_VXLAN_UDP_CSUM,
                                                    request.local().family() == IpFamily.IPV6 ? 1 : 0);
                                    local(data, request.local());
                                }))
                        .finish(),
                set(request.name(), 0).string(IFLA_IFALIAS, request.alias()).finish(),
                set(request.name(), 0)
                        .nested(
                                IFLA_AF_SPEC,
                                spec -> spec.nested(
                                        Family.AF_INET6,
                                        inet6 -> inet6.u8(IFLA_INET6_ADDR_GEN_MODE, IN6_ADDR_GEN_MODE_NONE)))
                        .finish());
    }

    /** A creation that lacks what it must have: refused as an unknown kind (EOPNOTSUPP) only where there is no VXLAN. */
    public static byte[] probeVxlan(String name) {
        return MessageWriter.request(RTM_NEWLINK, Message.NLM_F_ACK | Message.NLM_F_CREATE | Message.NLM_F_EXCL)
                .zeros(HEADER)
                .string(IFLA_IFNAME, name)
                .nested(IFLA_LINKINFO, info -> info.string(IFLA_INFO_KIND, VXLAN))
                .finish();
    }

    /** Deletes a device: {@code ip link delete NAME}. */
    static byte[] delete(String name) {
        return MessageWriter.request(RTM_DELLINK, Message.NLM_F_ACK)
                .zeros(HEADER)
                .string(IFLA_IFNAME, name)
                .finish();
    }

    static byte[] setMtu(Request.SetMtu request) {
        return set(request.name(), 0).u32(IFLA_MTU, request.mtu()).finish();
    }

    static byte[] setUp(Request.SetUp request) {
        return set(request.name(), Link.IFF_UP).finish();
    }

    static byte[] setRpFilter(Request.SetRpFilter request) {
        return set(request.name(), 0)
                .nested(
                        IFLA_AF_SPEC,
                        spec -> spec.nested(
                                Family.AF_INET,
                                inet -> inet.nested(
                                        IFLA_INET_CONF, conf -> conf.u32(IPV4_DEVCONF_RP_FILTER, request.value()))))
                .finish();
    }

    /** RTM_SETLINK does nothing here and says nothing; RTM_NEWLINK with anything more than this is refused. */
    static byte[] setVxlanLocal(Request.SetVxlanLocal request) {
        return MessageWriter.request(RTM_NEWLINK, Message.NLM_F_ACK)
                .zeros(HEADER)
                .string(IFLA_IFNAME, request.name())
                .nested(
                        IFLA_LINKINFO,
                        info -> info.string(IFLA_INFO_KIND, VXLAN)
                                .nested(IFLA_INFO_DATA, data -> local(data, request.local())))
                .finish();
    }

    private static MessageWriter set(String name, int up) {
        return MessageWriter.request(RTM_SETLINK, Message.NLM_F_ACK)
                .zeros(FLAGS)
                .u32(up)
                .u32(up)
                .string(IFLA_IFNAME, name);
    }

    private static void local(MessageWriter data, IpAddress address) {
        data.address(address.family() == IpFamily.IPV4 ? IFLA_VXLAN_LOCAL : IFLA_VXLAN_LOCAL6, address);
    }

    /**
     * Whether a notification is about a device as such.
     *
     * @throws MalformedMessageException if the message is not whole
     */
    public static boolean concerns(Message message) {
        if (message.type() != RTM_NEWLINK && message.type() != RTM_DELLINK) {
            return false;
        }
        message.require(HEADER);
        return message.u8(0) == Family.AF_UNSPEC;
    }
}
