package li.wlz.kuport.nft;

import java.util.List;

/**
 * A chain as it should be.
 *
 * @param hook where packets enter it; {@link Hook#NONE} for a chain that is only jumped to
 */
public record Chain(Hook hook, List<Rule> rules) {
    public Chain {
        rules = List.copyOf(rules);
    }

    /** A chain that is only jumped to. */
    public static Chain of(Rule... rules) {
        return new Chain(Hook.NONE, List.of(rules));
    }

    /** How this chain lists. */
    Listing.ListedChain listed() {
        return new Listing.ListedChain(hook, rules.stream().map(Rule::comment).toList());
    }
}
