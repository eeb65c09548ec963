package li.wlz.kuport.netlink;

import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MarkSpace;
import org.jspecify.annotations.Nullable;

/**
 * A rule of the routing policy, whoever made it, with what it asks of a packet: {@code ip -details rule show}.
 *
 * @param priority the lower is asked first
 * @param inverted {@code not}: it applies where what it asks for does not hold
 * @param source {@code from}; null for any
 * @param destination {@code to}; null for any
 * @param in {@code iif}, {@code lo} for what the node sends itself; null for any
 * @param out {@code oif}, which only sockets bound to a device have before they are routed; null for any
 * @param mask the bits of the packet's mark that must be those of {@code mark}; 0 where it asks for no mark
 * @param asksMore whether it asks for something that is not shown here: a port, a protocol, a user
 * @param target the table; of {@link Action#GOTO} the priority at which it goes on
 * @param suppressed {@code suppress_prefixlength}: a route of so short a prefix does not count; -1 for none
 */
public record PolicyRule(
        IpFamily family,
        int priority,
        boolean inverted,
        @Nullable Cidr source,
        @Nullable Cidr destination,
        @Nullable String in,
        @Nullable String out,
        int mark,
        int mask,
        boolean asksMore,
        Action action,
        int target,
        int suppressed) {

    /** What becomes of a packet, FR_ACT_* of linux/fib_rules.h. */
    public enum Action {
        LOOKUP(1),
        GOTO(2),
        NOP(3),
        BLACKHOLE(6),
        UNREACHABLE(7),
        PROHIBIT(8);

        private final int number;

        Action(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }
    }

    /** Whether it is the one that has all packets look up table main: {@code 32766: from all lookup main}. */
    public boolean isMain() {
        return action == Action.LOOKUP
                && target == Route.TABLE_MAIN
                && text().equals("from all lookup main")
                && !asksMore;
    }

    /** How {@code ip rule add} reads it, without its priority: {@code not from all fwmark 0xca6c lookup 51820}. */
    public String text() {
        StringBuilder text = new StringBuilder(inverted ? "not " : "").append("from ");
        text.append(source == null ? "all" : source.toString());
        word(text, "to", destination == null ? null : destination.toString());
        word(text, "iif", in);
        word(text, "oif", out);
        word(text, "fwmark", mask == 0 ? null : marked());
        return switch (action) {
            case LOOKUP -> {
                word(text, "lookup", table());
                word(text, "suppress_prefixlength", suppressed < 0 ? null : Integer.toString(suppressed));
                yield text.toString();
            }
            case GOTO -> text + " goto " + Integer.toUnsignedString(target);
            case NOP -> text + " nop";
            case BLACKHOLE, UNREACHABLE, PROHIBIT ->
                text.append(' ')
                        .append(action.name().toLowerCase(java.util.Locale.ROOT))
                        .toString();
        };
    }

    private static void word(StringBuilder text, String key, @Nullable String value) {
        if (value != null) {
            text.append(' ').append(key).append(' ').append(value);
        }
    }

    private String marked() {
        String value = "0x" + Integer.toHexString(mark);
        return mask == -1 ? value : value + "/" + MarkSpace.Hex.of(mask);
    }

    private String table() {
        return target == Route.TABLE_MAIN ? "main" : Integer.toUnsignedString(target);
    }
}
