package li.wlz.kuport.netlink;

import java.util.Optional;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.Protocol;

/** Connection tracking over nfnetlink: {@code struct nfgenmsg} and CTA_* of linux/netfilter/nfnetlink_conntrack.h. */
public final class ConntrackMessages {
    private static final int NFNL_SUBSYS_CTNETLINK = 1 << 8;
    private static final int IPCTNL_MSG_CT_NEW = NFNL_SUBSYS_CTNETLINK;
    private static final int IPCTNL_MSG_CT_GET = NFNL_SUBSYS_CTNETLINK | 1;
    private static final int IPCTNL_MSG_CT_DELETE = NFNL_SUBSYS_CTNETLINK | 2;

    /** sizeof(struct nfgenmsg): family, version, resource. */
    private static final int HEADER = 4;

    private static final int CTA_TUPLE_ORIG = 1;
    private static final int CTA_TUPLE_REPLY = 2;
    private static final int CTA_STATUS = 3;
    private static final int CTA_MARK = 8;
    private static final int CTA_ID = 12;
    private static final int CTA_ZONE = 18;
    private static final int CTA_MARK_MASK = 21;

    private static final int CTA_TUPLE_IP = 1;
    private static final int CTA_TUPLE_PROTO = 2;
    private static final int CTA_IP_V4_SRC = 1;
    private static final int CTA_IP_V4_DST = 2;
    private static final int CTA_IP_V6_SRC = 3;
    private static final int CTA_IP_V6_DST = 4;
    private static final int CTA_PROTO_NUM = 1;
    private static final int CTA_PROTO_SRC_PORT = 2;
    private static final int CTA_PROTO_DST_PORT = 3;

    private ConntrackMessages() {}

    /** Asks for all entries of both families: {@code conntrack -L}. */
    public static byte[] dump() {
        return dumpRequest().finish();
    }

    /** Asks for the entries whose mark has that value under the mask: {@code conntrack -L --mark MARK/MASK}. */
    public static byte[] dump(int mark, int mask) {
        return dumpRequest().be32(CTA_MARK, mark).be32(CTA_MARK_MASK, mask).finish();
    }

    private static MessageWriter dumpRequest() {
        return MessageWriter.request(IPCTNL_MSG_CT_GET, Message.NLM_F_DUMP).zeros(HEADER);
    }

    /** Deletes an entry, if it still is the same one: {@code conntrack -D}. Refused with ENOENT when it is gone. */
    public static byte[] delete(Flow flow) {
        Flow.Tuple tuple = flow.original();
        boolean v4 = Family.number(tuple.source().family()) == Family.AF_INET;
        return MessageWriter.request(IPCTNL_MSG_CT_DELETE, Message.NLM_F_ACK)
                .u8(Family.number(tuple.source().family()))
                .zeros(HEADER - 1)
                .nested(
                        CTA_TUPLE_ORIG,
                        original -> original.nested(
                                        CTA_TUPLE_IP,
                                        ip -> ip.address(v4 ? CTA_IP_V4_SRC : CTA_IP_V6_SRC, tuple.source())
                                                .address(v4 ? CTA_IP_V4_DST : CTA_IP_V6_DST, tuple.destination()))
                                .nested(
                                        CTA_TUPLE_PROTO,
                                        protocol -> protocol.u8(CTA_PROTO_NUM, flow.protocol())
                                                .be16(CTA_PROTO_SRC_PORT, tuple.sourcePort())
                                                .be16(CTA_PROTO_DST_PORT, tuple.destinationPort())))
                .be32(CTA_ID, flow.id())
                .finish();
    }

    /**
     * A TCP or UDP entry, from an answer; empty for other messages and protocols, and for entries of a zone other than 0, which
     * we never put one into.
     *
     * @throws MalformedMessageException if the message is not whole
     */
    public static Optional<Flow> decode(Message message) {
        if (message.type() != IPCTNL_MSG_CT_NEW) {
            return Optional.empty();
        }
        Attributes attributes = message.attributes(HEADER);
        int protocol = attributes.nested(CTA_TUPLE_ORIG).nested(CTA_TUPLE_PROTO).u8(CTA_PROTO_NUM, 0);
        boolean known = protocol == Protocol.TCP.number() || protocol == Protocol.UDP.number();
        if (!known || attributes.be16(CTA_ZONE, 0) != 0) {
            return Optional.empty();
        }
        Optional<Flow.Tuple> original = tuple(attributes.nested(CTA_TUPLE_ORIG));
        Optional<Flow.Tuple> reply = tuple(attributes.nested(CTA_TUPLE_REPLY));
        if (original.isEmpty() || reply.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Flow(
                protocol,
                original.get(),
                reply.get(),
                attributes.be32(CTA_MARK, 0),
                attributes.be32(CTA_STATUS, 0),
                attributes.be32(CTA_ID, 0)));
    }

    private static Optional<Flow.Tuple> tuple(Attributes tuple) {
        Attributes ip = tuple.nested(CTA_TUPLE_IP);
        Attributes protocol = tuple.nested(CTA_TUPLE_PROTO);
        Optional<IpAddress> source = ip.address(CTA_IP_V4_SRC).or(() -> ip.address(CTA_IP_V6_SRC));
        Optional<IpAddress> destination = ip.address(CTA_IP_V4_DST).or(() -> ip.address(CTA_IP_V6_DST));
        if (source.isEmpty() || destination.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Flow.Tuple(
                source.get(),
                destination.get(),
                protocol.be16(CTA_PROTO_SRC_PORT, 0),
                protocol.be16(CTA_PROTO_DST_PORT, 0)));
    }
}
