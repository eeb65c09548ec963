package li.wlz.kuport.xtables;

import li.wlz.kuport.nft.Rule;

/**
 * A rule of a chain, known in a listing by its comment, since iptables prints rules in words of its own.
 *
 * @param text as iptables-restore reads it, without the comment and what comes before it
 * @param comment {@code kuport-4fa1c2}: a hash of the text
 */
public record ChainRule(String text, String comment) {
    static final String COMMENT = "kuport-";

    /** A rule that bears the hash of its text. */
    public static ChainRule of(String text) {
        return new ChainRule(text, COMMENT + Rule.hash(text));
    }

    @Override
    public String toString() {
        return "-m comment --comment " + comment + " " + text;
    }
}
