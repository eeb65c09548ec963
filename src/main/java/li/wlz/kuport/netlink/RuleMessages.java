package li.wlz.kuport.netlink;

import java.util.Optional;
import java.util.stream.IntStream;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import org.jspecify.annotations.Nullable;

/** RTM_*RULE of rtnetlink(7): {@code struct fib_rule_hdr} and FRA_* of linux/fib_rules.h. */
public final class RuleMessages {
    private static final int RTM_NEWRULE = 32;
    private static final int RTM_DELRULE = 33;
    private static final int RTM_GETRULE = 34;

    /** sizeof(struct fib_rule_hdr): family, two prefix lengths, tos, table, two reserved, action, flags. */
    private static final int HEADER = 12;

    private static final int DESTINATION_LENGTH = 1;
    private static final int SOURCE_LENGTH = 2;
    private static final int TOS = 3;
    private static final int TABLE = 4;
    private static final int ACTION = 7;
    private static final int FLAGS = 8;

    private static final int FRA_DST = 1;
    private static final int FRA_SRC = 2;
    private static final int FRA_IIFNAME = 3;
    private static final int FRA_GOTO = 4;
    private static final int FRA_PRIORITY = 6;
    private static final int FRA_FWMARK = 10;
    private static final int FRA_TUN_ID = 12;
    private static final int FRA_SUPPRESS_IFGROUP = 13;
    private static final int FRA_SUPPRESS_PREFIXLEN = 14;
    private static final int FRA_TABLE = 15;
    private static final int FRA_FWMASK = 16;
    private static final int FRA_OIFNAME = 17;
    private static final int FRA_L3MDEV = 19;
    private static final int FRA_UID_RANGE = 20;
    private static final int FRA_PROTOCOL = 21;
    private static final int FRA_IP_PROTO = 22;

    private static final int FRA_DSCP_MASK = 30;

    private static final int FIB_RULE_INVERT = 2;
    private static final int FR_ACT_TO_TBL = 1;

    private RuleMessages() {}

    /** Asks for the rules of a family: {@code ip rule show}. */
    public static byte[] dump(IpFamily family) {
        return MessageWriter.request(RTM_GETRULE, Message.NLM_F_DUMP)
                .u8(Family.number(family))
                .zeros(HEADER - 1)
                .finish();
    }

    /**
     * A rule that picks a table, from an answer; empty for other messages and actions. Selectors other than the mark are not
     * shown.
     *
     * @throws MalformedMessageException if the message is not whole
     */
    public static Optional<Rule> decode(Message message) {
        if (message.type() != RTM_NEWRULE) {
            return Optional.empty();
        }
        Attributes attributes = message.attributes(HEADER);
        Optional<IpFamily> family = Family.of(message.u8(0));
        if (family.isEmpty() || message.u8(ACTION) != FR_ACT_TO_TBL) {
            return Optional.empty();
        }
        return Optional.of(new Rule(
                family.get(),
                attributes.u32(FRA_PRIORITY, 0),
                attributes.u32(FRA_FWMARK, 0),
                attributes.u32(FRA_FWMASK, 0),
                attributes.u32(FRA_TABLE, message.u8(TABLE)),
                attributes.u8(FRA_PROTOCOL, 0)));
    }

    /**
     * A rule of whoever's, with its selectors, from an answer; empty for other messages and families.
     *
     * @throws MalformedMessageException if the message is not whole
     */
    public static Optional<PolicyRule> decodePolicy(Message message) {
        if (message.type() != RTM_NEWRULE) {
            return Optional.empty();
        }
        Attributes attributes = message.attributes(HEADER);
        Optional<IpFamily> family = Family.of(message.u8(0));
        Optional<PolicyRule.Action> action = action(message.u8(ACTION));
        if (family.isEmpty() || action.isEmpty()) {
            return Optional.empty();
        }
        int mark = attributes.u32(FRA_FWMARK, 0);
        return Optional.of(new PolicyRule(
                family.get(),
                attributes.u32(FRA_PRIORITY, 0),
                (message.u32(FLAGS) & FIB_RULE_INVERT) != 0,
                block(family.get(), attributes, FRA_SRC, message.u8(SOURCE_LENGTH)),
                block(family.get(), attributes, FRA_DST, message.u8(DESTINATION_LENGTH)),
                name(attributes, FRA_IIFNAME),
                name(attributes, FRA_OIFNAME),
                mark,
                // A mark that is asked for without a mask is asked for whole.
                attributes.u32(FRA_FWMASK, mark == 0 ? 0 : -1),
                asksMore(message, attributes),
                action.get(),
                action.get() == PolicyRule.Action.GOTO
                        ? attributes.u32(FRA_GOTO, 0)
                        : attributes.u32(FRA_TABLE, message.u8(TABLE)),
                attributes.u32(FRA_SUPPRESS_PREFIXLEN, -1)));
    }

    private static Optional<PolicyRule.Action> action(int number) {
        for (PolicyRule.Action action : PolicyRule.Action.values()) {
            if (action.number() == number) {
                return Optional.of(action);
            }
        }
        return Optional.empty();
    }

    private static @Nullable Cidr block(IpFamily family, Attributes attributes, int type, int length) {
        if (length == 0) {
            return null;
        }
        IpAddress address = attributes.address(type).orElse(IpAddress.unspecified(family));
        if (address.family() != family || length > family.bits()) {
            throw new MalformedMessageException("a rule of " + family + " about " + address + "/" + length);
        }
        return Cidr.containing(address, length);
    }

    private static @Nullable String name(Attributes attributes, int type) {
        return attributes.has(type) ? attributes.string(type, "") : null;
    }

    private static boolean asksMore(Message message, Attributes attributes) {
        return message.u8(TOS) != 0
                || attributes.has(FRA_TUN_ID)
                || attributes.u32(FRA_SUPPRESS_IFGROUP, -1) != -1
                || attributes.u8(FRA_L3MDEV, 0) != 0
                || attributes.has(FRA_UID_RANGE)
                || IntStream.rangeClosed(FRA_IP_PROTO, FRA_DSCP_MASK).anyMatch(attributes::has);
    }

    static byte[] add(Rule rule) {
        // Without NLM_F_EXCL the kernel adds the same rule twice.
        return write(RTM_NEWRULE, Message.NLM_F_CREATE | Message.NLM_F_EXCL, rule);
    }

    static byte[] delete(Rule rule) {
        return write(RTM_DELRULE, 0, rule);
    }

    private static byte[] write(int type, int flags, Rule rule) {
        return MessageWriter.request(type, flags | Message.NLM_F_ACK)
                .u8(Family.number(rule.family()))
                .zeros(ACTION - 1)
                .u8(FR_ACT_TO_TBL)
                .u32(0)
                .u32(FRA_PRIORITY, rule.priority())
                .u32(FRA_FWMARK, rule.mark())
                .u32(FRA_FWMASK, rule.mask())
                .u32(FRA_TABLE, rule.table())
                .u8(FRA_PROTOCOL, rule.protocol())
                .finish();
    }

    /** Whether a notification is about a rule. */
    public static boolean concerns(Message message) {
        return message.type() == RTM_NEWRULE || message.type() == RTM_DELRULE;
    }
}
