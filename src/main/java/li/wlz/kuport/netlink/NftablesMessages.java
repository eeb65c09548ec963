package li.wlz.kuport.netlink;

import java.util.OptionalInt;

/** The little of nftables' own netlink that libnftables does not offer: linux/netfilter/nf_tables.h. */
public final class NftablesMessages {
    private static final int NFNL_SUBSYS_NFTABLES = 10 << 8;
    private static final int SUBSYS_MASK = 0xff00;
    private static final int NFT_MSG_GETTABLE = NFNL_SUBSYS_NFTABLES | 1;
    private static final int NFT_MSG_NEWGEN = NFNL_SUBSYS_NFTABLES | 15;
    private static final int NFT_MSG_GETGEN = NFNL_SUBSYS_NFTABLES | 16;

    /** sizeof(struct nfgenmsg): family, version, resource. */
    private static final int HEADER = 4;

    private static final int NFPROTO_INET = 1;
    private static final int NFTA_GEN_ID = 1;

    /** The table's name: attribute 1 of every message about a table, chain, rule, set, element, object or flow table. */
    private static final int NFTA_TABLE_NAME = 1;

    private NftablesMessages() {}

    /** Asks for the number of the current ruleset, which each transaction that changes something raises by one. */
    public static byte[] generation() {
        return MessageWriter.request(NFT_MSG_GETGEN, 0).zeros(HEADER).finish();
    }

    /** Asks for a table of family inet; refused with ENOENT where there is none. */
    public static byte[] table(String name) {
        return MessageWriter.request(NFT_MSG_GETTABLE, 0)
                .u8(NFPROTO_INET)
                .zeros(HEADER - 1)
                .string(NFTA_TABLE_NAME, name)
                .finish();
    }

    /**
     * The ruleset's number, from an answer or from the notification that ends each transaction; empty for other messages.
     *
     * @throws MalformedMessageException if the message is not whole
     */
    public static OptionalInt decodeGeneration(Message message) {
        if (message.type() != NFT_MSG_NEWGEN) {
            return OptionalInt.empty();
        }
        Attributes attributes = message.attributes(HEADER);
        if (!attributes.has(NFTA_GEN_ID)) {
            throw new MalformedMessageException("a generation without its number");
        }
        return OptionalInt.of(attributes.be32(NFTA_GEN_ID, 0));
    }

    /**
     * Whether a notification is about a table of family inet or something in it.
     *
     * @throws MalformedMessageException if the message is not whole
     */
    public static boolean concerns(Message message, String table) {
        if ((message.type() & SUBSYS_MASK) != NFNL_SUBSYS_NFTABLES || message.type() == NFT_MSG_NEWGEN) {
            return false;
        }
        message.require(HEADER);
        return message.u8(0) == NFPROTO_INET
                && message.attributes(HEADER).string(NFTA_TABLE_NAME, "").equals(table);
    }
}
