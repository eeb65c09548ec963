package li.wlz.kuport.nft;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * The first packet of a mapped flow, as the rules of others see it: translated, of a new connection. Or one of the link's outer
 * packets: not translated, and always of a new one, since what comes back has other ports.
 *
 * @param in the interface it came in by; null where that does not matter or is not known
 * @param out the one it leaves by; null likewise
 * @param source null for an address outside, whichever
 * @param destination where it was translated to
 * @param port the port that an outer packet goes to; null for a mapped flow's, which may be any
 */
public record ForeignPacket(
        IpFamily family,
        Protocol protocol,
        @Nullable String in,
        @Nullable String out,
        @Nullable IpAddress source,
        @Nullable IpAddress destination,
        @Nullable Integer port) {

    /** A mapped flow's. */
    public ForeignPacket(
            IpFamily family,
            Protocol protocol,
            @Nullable String in,
            @Nullable String out,
            @Nullable IpAddress source,
            @Nullable IpAddress destination) {
        this(family, protocol, in, out, source, destination, null);
    }

    /** Bits that kube-proxy marks its own packets with, and never ours. */
    private static final Set<Long> KUBE_PROXY = Set.of(0x4000L, 0x8000L);

    /** Whether a rule applies; what cannot be known without running it is MAYBE. */
    public enum Match {
        YES,
        MAYBE,
        NO
    }

    /** Whether the rule's conditions hold for this packet. */
    public Match matches(ForeignRule rule) {
        List<String> words = rule.conditions();
        Match all = Match.YES;
        int at = 0;
        while (at < words.size()) {
            Condition condition = condition(words.subList(at, words.size()));
            if (condition.match == Match.NO) {
                return Match.NO;
            }
            if (condition.match == Match.MAYBE) {
                all = Match.MAYBE;
            }
            if (condition.words == 0) {
                // What follows an unknown condition may be a part of it.
                return Match.MAYBE;
            }
            at += condition.words;
        }
        return all;
    }

    /** What the first condition of some words says, and how many words it has; none where it is not known. */
    private record Condition(Match match, int words) {
        static final Condition UNKNOWN = new Condition(Match.MAYBE, 0);
    }

    private Condition condition(List<String> words) {
        String key = words.size() > 1 ? words.get(0) + " " + words.get(1) : words.get(0);
        return switch (words.get(0)) {
            case "iifname" -> compared(words, 1, in == null ? null : value -> isName(value, in));
            case "oifname" -> compared(words, 1, out == null ? null : value -> isName(value, out));
            case "iif" -> compared(words, 1, in == null || isIndex(words) ? null : value -> isName(value, in));
            case "oif" -> compared(words, 1, out == null || isIndex(words) ? null : value -> isName(value, out));
            case "tcp", "udp", "icmp", "icmpv6", "sctp" ->
                words.get(0).equals(protocol.lowerCase()) ? ports(words) : new Condition(Match.NO, words.size());
            default ->
                switch (key) {
                    case "ip saddr", "ip6 saddr" -> address(words, source);
                    case "ip daddr", "ip6 daddr" -> address(words, destination);
                    case "ip protocol", "ip6 nexthdr" ->
                        isOtherFamily(words.get(0)) ? new Condition(Match.NO, words.size()) : transport(words);
                    case "meta l4proto" -> transport(words);
                    case "meta nfproto" ->
                        compared(words, 2, value -> value.equals(family == IpFamily.IPV4 ? "ipv4" : "ipv6"));
                    case "meta mark" -> mark(words);
                    case "ct state" ->
                        compared(words, 2, value -> List.of(value.split(",")).contains("new"));
                    case "ct status" -> status(words);
                    case "ct direction" -> compared(words, 2, value -> value.equals("original"));
                    case "fib daddr" ->
                        words.size() > 3 && words.get(2).equals("type") && port == null
                                ? compared(words, 3, value -> value.equals("unicast"))
                                : Condition.UNKNOWN;
                    default -> Condition.UNKNOWN;
                };
        };
    }

    private interface Test {
        boolean holds(String value);
    }

    /** A comparison whose value stands after some words: {@code != "eth0"}, {@code { 1, 2 }}. */
    private static Condition compared(List<String> words, int at, @Nullable Test test) {
        boolean negated = at < words.size() && words.get(at).equals("!=");
        int value = negated ? at + 1 : at;
        if (value >= words.size()
                || words.get(value).equals("==")
                || words.get(value).equals("&")) {
            return Condition.UNKNOWN;
        }
        String text = words.get(value);
        if (test == null || text.startsWith("@")) {
            return new Condition(Match.MAYBE, value + 1);
        }
        boolean holds = members(text).stream().anyMatch(test::holds);
        return new Condition(holds != negated ? Match.YES : Match.NO, value + 1);
    }

    private static List<String> members(String value) {
        return value.startsWith("{")
                ? Arrays.stream(value.substring(1, value.length() - 1).split(",", -1))
                        .map(String::strip)
                        .toList()
                : List.of(value);
    }

    private static boolean isName(String value, String name) {
        String bare = value.replace("\"", "");
        return bare.endsWith("*") ? name.startsWith(bare.substring(0, bare.length() - 1)) : bare.equals(name);
    }

    /** Whether devices are told by numbers, of which nothing is known here. */
    private static boolean isIndex(List<String> words) {
        return words.stream().skip(1).limit(2).noneMatch(word -> word.contains("\""));
    }

    private boolean isOtherFamily(String header) {
        return header.equals("ip") != (family == IpFamily.IPV4);
    }

    private Condition address(List<String> words, @Nullable IpAddress address) {
        if (isOtherFamily(words.get(0))) {
            return new Condition(Match.NO, words.size());
        }
        Condition unknown = compared(words, 2, null);
        if (unknown.words == 0) {
            return unknown;
        }
        String value = words.get(unknown.words - 1);
        boolean readable = !value.startsWith("@") && members(value).stream().allMatch(ForeignPacket::isBlock);
        if (!readable) {
            return unknown;
        }
        if (address != null) {
            return compared(words, 2, block -> block(block).contains(address));
        }
        // Of an address outside it is known that it is in none of the blocks that networks keep for themselves.
        return members(value).stream().noneMatch(block -> block(block).network().isGlobal())
                ? compared(words, 2, block -> block(block).prefixLength() == 0)
                : unknown;
    }

    private static boolean isBlock(String text) {
        try {
            block(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static Cidr block(String text) {
        if (text.contains("/")) {
            return Cidr.parse(text);
        }
        IpAddress address = IpAddress.parse(text);
        return new Cidr(address, address.family().bits());
    }

    private Condition transport(List<String> words) {
        return compared(
                words,
                2,
                value -> value.equals(protocol.lowerCase()) || value.equals(Integer.toString(protocol.number())));
    }

    /** Of mapped flows it is not asked which ports a rule is about: somebody's accepting one port may be meant for ours. */
    private Condition ports(List<String> words) {
        Integer to = port;
        boolean known = to != null && words.size() > 2 && words.get(1).equals("dport");
        return compared(words, 2, known && to != null ? value -> isPort(value, to) : null);
    }

    private static boolean isPort(String value, int port) {
        try {
            return PortRange.parse(value).contains(port);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** {@code meta mark & 0x00004000 == 0x00004000}. */
    private static Condition mark(List<String> words) {
        if (words.size() < 6 || !words.get(2).equals("&")) {
            return Condition.UNKNOWN;
        }
        try {
            boolean marked = Long.decode(words.get(5)) != 0;
            boolean equal = words.get(4).equals("==");
            return KUBE_PROXY.contains(Long.decode(words.get(3)))
                            && (equal || words.get(4).equals("!="))
                    ? new Condition(marked == equal ? Match.NO : Match.YES, 6)
                    : new Condition(Match.MAYBE, 6);
        } catch (NumberFormatException e) {
            return Condition.UNKNOWN;
        }
    }

    private Condition status(List<String> words) {
        if (words.size() != 3 || !words.get(2).matches("[a-z,]+")) {
            return Condition.UNKNOWN;
        }
        boolean translated = List.of(words.get(2).split(",")).contains("dnat");
        return new Condition(!translated ? Match.MAYBE : port == null ? Match.YES : Match.NO, 3);
    }
}
