package li.wlz.kuport.nft;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.Sorted;

/**
 * Our table, of family inet, as it should be.
 *
 * @param chains by name
 * @param sets maps and sets, by name
 */
public record Table(SortedMap<String, Chain> chains, SortedMap<String, NamedSet> sets) {
    /** Names that nft takes unquoted; some keywords among them it does not. */
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,63}");

    public Table {
        chains = Sorted.copyOf(chains);
        sets = Sorted.copyOf(sets);
        chains.keySet().forEach(Table::check);
        sets.keySet().forEach(Table::check);
    }

    private static void check(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "a chain or set has a name of small letters, digits and dashes: " + name);
        }
    }

    /** How this table lists once the kernel has it. */
    public Listing listing() {
        Map<String, Listing.ListedChain> listed = new TreeMap<>();
        chains.forEach((name, chain) -> listed.put(name, chain.listed()));
        return new Listing(true, Sorted.copyOf(listed), sets, List.of());
    }

    /**
     * The script that makes this table of what is there, for {@code nft -f}; empty where nothing differs.
     *
     * <p>Only what differs is touched: elements one by one, a chain by flushing and refilling it. Where something differs that
     * cannot be changed in place (a chain's hook, a set's type), the table is deleted and made anew, in the same transaction.
     */
    public Optional<String> difference(Listing present) {
        return new TableDifference(this, present).script();
    }

    /** The whole table, for {@code nft -f} where there is none yet. */
    public String render() {
        StringBuilder text = new StringBuilder("table inet " + Ours.TABLE + " {\n");
        sets.forEach((name, set) -> render(text, name, set));
        chains.forEach((name, chain) -> render(text, name, chain));
        return text.append("}\n").toString();
    }

    private static void render(StringBuilder text, String name, NamedSet set) {
        NamedSet.Shape shape = set.shape();
        text.append('\t').append(shape.kind()).append(' ').append(name).append(" {\n");
        shape.properties()
                .forEach(property -> text.append("\t\t").append(property).append('\n'));
        if (!set.elements().entries().isEmpty()) {
            text.append("\t\telements = {\n");
            set.elements()
                    .entries()
                    .forEach((key, data) -> text.append("\t\t\t")
                            .append(Elements.element(key, data))
                            .append(",\n"));
            text.append("\t\t}\n");
        }
        text.append("\t}\n");
    }

    private static void render(StringBuilder text, String name, Chain chain) {
        text.append("\tchain ").append(name).append(" {\n");
        if (!chain.hook().equals(Hook.NONE)) {
            text.append("\t\t").append(chain.hook().declaration()).append('\n');
        }
        chain.rules().forEach(rule -> text.append("\t\t").append(rule).append('\n'));
        text.append("\t}\n");
    }
}
