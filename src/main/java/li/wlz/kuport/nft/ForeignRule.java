package li.wlz.kuport.nft;

import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A rule of somebody else's, as nft lists it: {@code iifname "docker0" oifname != "docker0" counter accept}.
 *
 * @param conditions the words before the statement, without counters
 * @param statement the statement that ends it: {@code accept}, {@code jump KUBE-FORWARD}, {@code ct mark set mark}; empty for a rule
 *     that only counts or logs
 */
public record ForeignRule(List<String> conditions, List<String> statement) {
    private static final Pattern WORD = Pattern.compile("\"[^\"]*\"|\\{[^}]*\\}|\\S+");
    private static final Set<String> STATEMENTS = Set.of(
            "accept",
            "drop",
            "reject",
            "return",
            "continue",
            "jump",
            "goto",
            "queue",
            "masquerade",
            "snat",
            "dnat",
            "redirect",
            "notrack",
            "vmap");

    public ForeignRule {
        conditions = List.copyOf(conditions);
        statement = List.copyOf(statement);
    }

    /** Reads a line of a chain. */
    static ForeignRule parse(String line) {
        List<String> words =
                WORD.matcher(line).results().map(MatchResult::group).toList();
        int comment = words.indexOf("comment");
        List<String> rule = comment < 0 ? words : words.subList(0, comment);
        int at = 0;
        while (at < rule.size() && !isStatement(rule, at)) {
            at++;
        }
        int log = rule.indexOf("log");
        int end = log >= 0 && log < at ? log : at;
        return new ForeignRule(
                rule.subList(0, end).stream()
                        .filter(word -> !word.equals("counter"))
                        .toList(),
                rule.subList(at, rule.size()));
    }

    private static boolean isStatement(List<String> words, int at) {
        // In "ct status dnat" it is no statement.
        boolean status = at > 0 && words.get(at - 1).equals("status");
        return (STATEMENTS.contains(words.get(at)) && !status)
                || (at + 2 < words.size()
                        && Set.of("meta", "ct").contains(words.get(at))
                        && words.get(at + 1).equals("mark")
                        && words.get(at + 2).equals("set"));
    }

    /** The chain that it leads to; empty where it leads to none. */
    public String target() {
        return leads() ? statement.get(1) : "";
    }

    private boolean leads() {
        return statement.size() == 2 && (verb().equals("jump") || verb().equals("goto"));
    }

    /** The statement's first word; empty without one. */
    public String verb() {
        return statement.isEmpty() ? "" : statement.getFirst();
    }
}
