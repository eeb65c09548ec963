package li.wlz.kuport.lab;

import java.util.OptionalInt;

/** What a client got when it dialled. */
public sealed interface Answer {

    /**
     * A server answered.
     *
     * @param server the server's label
     * @param sourceSeen the client as the server saw it
     * @param repliedFrom where the answer came from, which for UDP need not be what was dialled
     * @param sentFrom the client's own address and port
     */
    record Reply(String server, Peer sourceSeen, Peer repliedFrom, Peer sentFrom) implements Answer {}

    /** TCP's reset to the first packet, or ICMP's port unreachable. */
    record Refused() implements Answer {}

    /** ICMP said something else than port unreachable, in the kernel's words. */
    record Unreachable(String reason) implements Answer {}

    /** Nothing came in time. */
    record TimedOut() implements Answer {}

    /**
     * The packet is too long for the way and may not be cut.
     *
     * @param mtu the longest that goes, in bytes, as far as the client's kernel knows
     */
    record TooBig(OptionalInt mtu) implements Answer {}

    /** The TCP connection was made and then ended without an answer. */
    record Reset(String reason) implements Answer {}
}
