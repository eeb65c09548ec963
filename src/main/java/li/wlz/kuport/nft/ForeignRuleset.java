package li.wlz.kuport.nft;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.nft.ForeignPacket.Match;

/**
 * The chains of others that a mapped packet may meet, and what they would do with it.
 *
 * <p>Nothing is known of what cannot be read from the rules alone (sets, marks, limits); such a rule may apply or not.
 *
 * @param unread what was not looked at, and why, for a person
 */
public record ForeignRuleset(List<ForeignChain> chains, List<String> unread) {
    public static final ForeignRuleset NONE = new ForeignRuleset(List.of());

    /** Chains lead to chains, never in circles; nobody has so many in a row. */
    private static final int DEEPEST = 16;

    public ForeignRuleset {
        chains = List.copyOf(chains);
        unread = List.copyOf(unread);
    }

    /** Chains beside which there is nothing that was not looked at. */
    public ForeignRuleset(List<ForeignChain> chains) {
        this(chains, List.of());
    }

    /** With the chains of another. */
    public ForeignRuleset with(ForeignRuleset other) {
        return new ForeignRuleset(
                Stream.concat(chains.stream(), other.chains.stream()).toList(),
                Stream.concat(unread.stream(), other.unread.stream()).toList());
    }

    /** What may become of a packet in a chain. */
    private enum Outcome {
        PASSED,
        DROPPED,
        UNDECIDED,
        RETURNED
    }

    /** The base chains of a hook that a family's packets meet. */
    public List<ForeignChain> at(String hook, IpFamily family) {
        String own = family == IpFamily.IPV4 ? "ip" : "ip6";
        return chains.stream()
                .filter(c -> c.hook().hook().equals(hook))
                .filter(c -> c.family().equals(own) || c.family().equals("inet"))
                .toList();
    }

    /** Whether a base chain drops a packet for certain, whatever is not known of it. */
    public boolean drops(ForeignChain base, ForeignPacket packet) {
        Set<Outcome> outcomes = walk(base, packet, 0, (rule, match) -> {});
        boolean undecided = outcomes.remove(Outcome.UNDECIDED);
        boolean returned = outcomes.remove(Outcome.RETURNED);
        if (undecided || returned) {
            outcomes.add(base.hook().policy().equals("drop") ? Outcome.DROPPED : Outcome.PASSED);
        }
        return outcomes.equals(EnumSet.of(Outcome.DROPPED));
    }

    /** The rules that a packet meets for certain, and whose conditions hold for certain. */
    public List<ForeignRule> met(ForeignChain base, ForeignPacket packet) {
        List<ForeignRule> met = new ArrayList<>();
        walk(base, packet, 0, (rule, match) -> {
            if (match == Match.YES) {
                met.add(rule);
            }
        });
        return met;
    }

    private Set<Outcome> walk(
            ForeignChain chain, ForeignPacket packet, int depth, BiConsumer<ForeignRule, Match> visitor) {
        Set<Outcome> all = EnumSet.noneOf(Outcome.class);
        for (ForeignRule rule : chain.rules()) {
            Match match = packet.matches(rule);
            if (match == Match.NO) {
                continue;
            }
            visitor.accept(rule, match);
            Set<Outcome> outcomes = outcomes(chain, rule, packet, depth, match == Match.YES ? visitor : (r, m) -> {});
            boolean goesOn = outcomes.remove(Outcome.UNDECIDED) || match == Match.MAYBE;
            all.addAll(outcomes);
            if (!goesOn) {
                return all;
            }
        }
        all.add(Outcome.UNDECIDED);
        return all;
    }

    private Set<Outcome> outcomes(
            ForeignChain chain,
            ForeignRule rule,
            ForeignPacket packet,
            int depth,
            BiConsumer<ForeignRule, Match> visitor) {
        return switch (rule.verb()) {
            case "accept", "queue" -> EnumSet.of(Outcome.PASSED);
            case "drop", "reject" -> EnumSet.of(Outcome.DROPPED);
            case "return" -> EnumSet.of(Outcome.RETURNED);
            case "jump", "goto" -> led(chain, rule, packet, depth, visitor);
            // Into a map, whose elements are not read.
            case "vmap" -> mapped(rule);
            default -> EnumSet.of(Outcome.UNDECIDED);
        };
    }

    private Set<Outcome> led(
            ForeignChain chain,
            ForeignRule rule,
            ForeignPacket packet,
            int depth,
            BiConsumer<ForeignRule, Match> visitor) {
        Optional<ForeignChain> target = chains.stream()
                .filter(c -> c.family().equals(chain.family()) && c.table().equals(chain.table()))
                .filter(c -> c.name().equals(rule.target()))
                .findFirst();
        if (target.isEmpty() || depth == DEEPEST) {
            return EnumSet.of(Outcome.PASSED, Outcome.DROPPED, Outcome.UNDECIDED);
        }
        Set<Outcome> outcomes = walk(target.get(), packet, depth + 1, visitor);
        if (outcomes.remove(Outcome.RETURNED)) {
            outcomes.add(Outcome.UNDECIDED);
        }
        if (rule.verb().equals("goto") && outcomes.remove(Outcome.UNDECIDED)) {
            outcomes.add(Outcome.RETURNED);
        }
        return outcomes;
    }

    /** A map of a connection's states says nothing of new ones, as a rule; any other may say anything. */
    private static Set<Outcome> mapped(ForeignRule rule) {
        boolean states = rule.conditions().equals(List.of("ct", "state"));
        return states && !String.join(" ", rule.statement()).contains("new")
                ? EnumSet.of(Outcome.UNDECIDED)
                : EnumSet.of(Outcome.PASSED, Outcome.DROPPED, Outcome.UNDECIDED);
    }
}
