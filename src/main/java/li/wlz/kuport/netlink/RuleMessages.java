package li.wlz.kuport.netlink;

import java.util.Optional;
import li.wlz.kuport.model.IpFamily;

/** RTM_*RULE of rtnetlink(7): {@code struct fib_rule_hdr} and FRA_* of linux/fib_rules.h. */
public final class RuleMessages {
    private static final int RTM_NEWRULE = 32;
    private static final int RTM_DELRULE = 33;
    private static final int RTM_GETRULE = 34;

    /** sizeof(struct fib_rule_hdr): family, two prefix lengths, tos, table, two reserved, action, flags. */
    private static final int HEADER = 12;

    private static final int TABLE = 4;
    private static final int ACTION = 7;

    private static final int FRA_PRIORITY = 6;
    private static final int FRA_FWMARK = 10;
    private static final int FRA_TABLE = 15;
    private static final int FRA_FWMASK = 16;
    private static final int FRA_PROTOCOL = 21;
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
