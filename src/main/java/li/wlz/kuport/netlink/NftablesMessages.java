package li.wlz.kuport.netlink;

import java.util.Optional;
import java.util.OptionalInt;

/** The little of nftables' own netlink that libnftables does not offer: linux/netfilter/nf_tables.h. */
public final class NftablesMessages {
    private static final int NFNL_SUBSYS_NFTABLES = 10 << 8;
    private static final int SUBSYS_MASK = 0xff00;
    private static final int NFT_MSG_GETTABLE = NFNL_SUBSYS_NFTABLES | 1;
    private static final int NFT_MSG_NEWCHAIN = NFNL_SUBSYS_NFTABLES | 3;
    private static final int NFT_MSG_DELCHAIN = NFNL_SUBSYS_NFTABLES | 5;
    private static final int NFT_MSG_NEWRULE = NFNL_SUBSYS_NFTABLES | 6;
    private static final int NFT_MSG_DELRULE = NFNL_SUBSYS_NFTABLES | 8;
    private static final int NFT_MSG_NEWGEN = NFNL_SUBSYS_NFTABLES | 15;
    private static final int NFT_MSG_GETGEN = NFNL_SUBSYS_NFTABLES | 16;

    /** sizeof(struct nfgenmsg): family, version, resource. */
    private static final int HEADER = 4;

    private static final int NFPROTO_INET = 1;
    private static final int NFPROTO_IPV4 = 2;
    private static final int NFPROTO_IPV6 = 10;
    private static final int NFTA_GEN_ID = 1;
    private static final int NFTA_RULE_CHAIN = 2;
    private static final int NFTA_CHAIN_NAME = 3;

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

    /**
     * The name of the chain that a notification is about, or about a rule of it, in a table of family ip or ip6, as those of
     * {@code iptables-nft} are; empty for others.
     *
     * @throws MalformedMessageException if the message is not whole
     */
    public static Optional<String> chain(Message message) {
        int attribute = switch (message.type()) {
            case NFT_MSG_NEWCHAIN, NFT_MSG_DELCHAIN -> NFTA_CHAIN_NAME;
            case NFT_MSG_NEWRULE, NFT_MSG_DELRULE -> NFTA_RULE_CHAIN;
            default -> 0;
        };
        if (attribute == 0) {
            return Optional.empty();
        }
        message.require(HEADER);
        return message.u8(0) == NFPROTO_IPV4 || message.u8(0) == NFPROTO_IPV6
                ? Optional.of(message.attributes(HEADER).string(attribute, ""))
                : Optional.empty();
    }
}
