package li.wlz.kuport.netlink;

import java.util.List;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MacAddress;

/** One value of each kind, and messages as the kernel would send them. */
final class Samples {
    static final NumberedDevices DEVICES = NumberedDevices.of("lo", "eth0", "kup0");
    static final MacAddress MAC = MacAddress.parse("0a:00:00:00:00:0b");

    /** IPS_SEEN_REPLY of linux/netfilter/nf_conntrack_common.h. */
    static final int SEEN_REPLY = 1 << 1;

    static final Address ADDRESS =
            new Address("kup0", IpAddress.parse("240.1.2.3"), 32, 0, Address.PERMANENT | Address.NODAD);
    static final Address ADDRESS6 =
            new Address("eth0", IpAddress.parse("2001:db8::9"), 64, 0, Address.TEMPORARY | Address.DEPRECATED);
    static final Neighbour NEIGHBOUR = new Neighbour("kup0", IpAddress.parse("fd6b:7570:77::1"), MAC);
    static final ForwardingEntry FORWARDING = new ForwardingEntry("kup0", MAC, IpAddress.parse("100.64.0.2"));
    static final Rule RULE = new Rule(IpFamily.IPV6, 90, 0x6b700001, 0xfff000ff, 0x6b700001, 109);
    static final Route ROUTE = new Route(
            0x6b700081,
            Route.Type.UNICAST,
            Cidr.parse("0.0.0.0/0"),
            "eth0",
            IpAddress.parse("203.0.113.1"),
            true,
            7,
            109,
            1350,
            IpAddress.parse("203.0.113.9"));
    static final Route REFUSAL =
            new Route(0x6b700081, Route.Type.UNREACHABLE, Cidr.parse("::/0"), null, null, false, -1, 109, 0, null);

    private Samples() {}

    static Request.CreateVxlan createVxlan(String local) {
        return new Request.CreateVxlan("kup0", "kuport", 1803, MAC, 1370, 4242, 4790, IpAddress.parse(local));
    }

    static Message message(byte[] bytes) {
        return Message.split(bytes).getFirst();
    }

    /** A route over two devices, as RTA_MULTIPATH. */
    static byte[] multipath() {
        return MessageWriter.request(RouteMessages.RTM_NEWROUTE, 0)
                .bytes(new byte[] {2, 16, 0, 0, (byte) 254, 4, 0, 1})
                .u32(0)
                .address(1, IpAddress.parse("198.51.0.0"))
                .u32(6, 20)
                .nested(9, hops -> {
                    hops.u16(16).u8(0).u8(0).u32(2).address(5, IpAddress.parse("203.0.113.1"));
                    hops.u16(16).u8(4).u8(1).u32(3).address(5, IpAddress.parse("203.0.113.2"));
                })
                .finish();
    }

    /** A struct fib_rule_hdr and FRA_*; a protocol other than 0 is one more thing that the rule asks for. */
    static byte[] policyRule(int protocol) {
        MessageWriter rule = MessageWriter.request(32, 0)
                .bytes(new byte[] {2, 24, 16, 0, 0, 0, 0, 1})
                .u32(2)
                .u32(15, 51820)
                .u32(14, 0)
                .u8(21, 3)
                .string(3, "eth0")
                .string(17, "wg0")
                .u32(6, 88)
                .u32(10, 0xca6c)
                .u32(16, -1)
                .address(1, IpAddress.parse("198.51.100.0"))
                .address(2, IpAddress.parse("10.244.0.0"));
        return (protocol == 0 ? rule : rule.u8(22, protocol)).finish();
    }

    static byte[] flow(int zone) {
        return MessageWriter.request(1 << 8, Message.NLM_F_MULTI)
                .bytes(new byte[] {2, 0, 0, 0})
                .nested(1, tuple -> tuple("198.51.100.7", "203.0.113.9", 40000, 3000, tuple))
                .nested(2, tuple -> tuple("10.244.1.5", "198.51.100.7", 7777, 40000, tuple))
                .be32(3, Flow.DST_NAT | SEEN_REPLY)
                .be32(8, 0x6b700001)
                .be32(12, 0xcafe0001)
                .be16(18, zone)
                .finish();
    }

    private static void tuple(
            String source, String destination, int sourcePort, int destinationPort, MessageWriter tuple) {
        tuple.nested(1, ip -> ip.address(1, IpAddress.parse(source)).address(2, IpAddress.parse(destination)));
        tuple.nested(2, protocol -> protocol.u8(1, 17).be16(2, sourcePort).be16(3, destinationPort));
    }

    /** An inet_diag_msg. */
    static byte[] socket(int family, int state, int port, byte[] address, int device, int v6Only) {
        return MessageWriter.request(20, Message.NLM_F_MULTI)
                .u8(family)
                .u8(state)
                .u16(0)
                .u8(port >>> 8)
                .u8(port)
                .u16(0)
                .bytes(address)
                .zeros(16 - address.length + 16)
                .u32(device)
                .zeros(8 + 20)
                .u8(11, v6Only)
                .finish();
    }

    static byte[] tableEvent(int family, String table) {
        return MessageWriter.request(10 << 8, 0)
                .u8(family)
                .zeros(3)
                .string(1, table)
                .finish();
    }

    static byte[] generation(int number) {
        return MessageWriter.request(10 << 8 | 15, 0).zeros(4).be32(1, number).finish();
    }

    static byte[] refusal(int errno, String words) {
        return MessageWriter.request(Message.NLMSG_ERROR, 0x300)
                .u32(-errno)
                .zeros(16)
                .string(1, words)
                .finish();
    }

    /** Everything above: what a fuzzer starts from. */
    static List<byte[]> all() {
        return List.of(
                LinkMessages.create(createVxlan("100.64.0.1")).getFirst(),
                LinkMessages.create(createVxlan("fd00::1")).getFirst(),
                AddressMessages.add(ADDRESS, DEVICES),
                AddressMessages.add(ADDRESS6, DEVICES),
                NeighbourMessages.add(NEIGHBOUR, DEVICES),
                NeighbourMessages.add(FORWARDING, DEVICES),
                RouteMessages.add(ROUTE, DEVICES),
                RouteMessages.add(REFUSAL, DEVICES),
                multipath(),
                RuleMessages.add(RULE),
                policyRule(17),
                flow(0),
                socket(10, 10, 443, new byte[16], 0, 1),
                tableEvent(1, "kuport"),
                generation(7),
                refusal(17, "File exists"));
    }
}
