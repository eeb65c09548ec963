package li.wlz.kuport.xtables;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.model.Sorted;

/**
 * The rules that one place should have of ours.
 *
 * @param chains our chains, as {@code nat KUPORT-PRE}, with their rules
 * @param jumps what leads to them
 */
public record Rules(SortedMap<ChainName, List<ChainRule>> chains, List<Jump> jumps) {
    public static final Rules NONE = new Rules(Sorted.map(), List.of());

    public Rules {
        SortedMap<ChainName, List<ChainRule>> copies = new TreeMap<>();
        chains.forEach((name, rules) -> copies.put(name, List.copyOf(rules)));
        chains = Sorted.copyOf(copies);
        jumps = List.copyOf(jumps);
    }

    /** A chain of a table. */
    public record ChainName(String table, String chain) implements Comparable<ChainName> {
        @Override
        public int compareTo(ChainName other) {
            int byTable = table.compareTo(other.table);
            return byTable != 0 ? byTable : chain.compareTo(other.chain);
        }
    }

    /**
     * The rule of a built-in chain that leads to one of ours.
     *
     * @param first whether it must be the first of all; else it is put behind all others, and may stay where it is
     */
    public record Jump(ChainName from, String to, boolean first) {
        ChainRule rule() {
            return ChainRule.of("-j " + to);
        }
    }

    /** The script for {@code iptables-restore --noflush} that makes these of what is there; empty where nothing differs. */
    public String difference(SaveListing present) {
        StringBuilder script = new StringBuilder();
        for (String table : List.of("filter", "nat")) {
            List<String> lines = new ArrayList<>();
            declare(table, present, lines);
            jump(table, present, lines);
            fill(table, present, lines);
            remove(table, present, lines);
            if (!lines.isEmpty()) {
                script.append('*').append(table).append('\n');
                lines.forEach(line -> script.append(line).append('\n'));
                script.append("COMMIT\n");
            }
        }
        return script.toString();
    }

    /** To declare a chain that is there empties it. */
    private void declare(String table, SaveListing present, List<String> lines) {
        changed(table, present).forEach(name -> lines.add(":" + name.chain() + " - [0:0]"));
    }

    private List<ChainName> changed(String table, SaveListing present) {
        return chains.entrySet().stream()
                .filter(chain -> chain.getKey().table().equals(table))
                .filter(chain -> !chain.getValue().stream()
                        .map(ChainRule::comment)
                        .toList()
                        .equals(present.chains().get(chain.getKey())))
                .map(chain -> chain.getKey())
                .toList();
    }

    private void fill(String table, SaveListing present, List<String> lines) {
        for (ChainName name : changed(table, present)) {
            chains.getOrDefault(name, List.of()).forEach(rule -> lines.add("-A " + name.chain() + " " + rule));
        }
    }

    private void jump(String table, SaveListing present, List<String> lines) {
        List<SaveListing.FoundJump> there = present.jumps().stream()
                .filter(j -> j.from().table().equals(table))
                .toList();
        for (Jump jump : jumps) {
            if (!jump.from().table().equals(table)) {
                continue;
            }
            List<SaveListing.FoundJump> found =
                    there.stream().filter(j -> j.leadsAs(jump)).toList();
            boolean right = found.size() == 1
                    && found.getFirst().comment().equals(jump.rule().comment())
                    && (!jump.first() || found.getFirst().position() == 1);
            if (!right) {
                found.forEach(j -> lines.add(j.deletion()));
                lines.add((jump.first()
                                ? "-I " + jump.from().chain() + " 1 "
                                : "-A " + jump.from().chain() + " ")
                        + jump.rule());
            }
        }
        there.stream().filter(j -> jumps.stream().noneMatch(j::leadsAs)).forEach(j -> lines.add(j.deletion()));
    }

    private void remove(String table, SaveListing present, List<String> lines) {
        List<String> surplus = present.chains().keySet().stream()
                .filter(name -> name.table().equals(table) && !chains.containsKey(name))
                .map(ChainName::chain)
                .toList();
        surplus.forEach(chain -> lines.add("-F " + chain));
        surplus.forEach(chain -> lines.add("-X " + chain));
    }
}
