package li.wlz.kuport.nft;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.SortedDifference;
import li.wlz.kuport.nft.Listing.ListedChain;

/**
 * The commands between a table that is and one that should be, in an order that the kernel takes within one transaction: what is
 * pointed to comes before what points to it, and goes after it.
 */
final class TableDifference {
    private static final String TABLE = "inet " + Ours.TABLE;

    private final Table wanted;
    private final Listing present;
    private final List<String> commands = new ArrayList<>();

    TableDifference(Table wanted, Listing present) {
        this.wanted = wanted;
        this.present = present;
    }

    Optional<String> script() {
        if (!present.present()) {
            return Optional.of(wanted.render());
        }
        if (!present.strangers().isEmpty() || differsInDeclarations()) {
            return Optional.of("delete table " + TABLE + "\n" + wanted.render());
        }
        addDeclarations();
        refillChains();
        wanted.sets().forEach(this::changeElements);
        deleteLeftovers();
        return commands.isEmpty() ? Optional.empty() : Optional.of(String.join("\n", commands) + "\n");
    }

    private boolean differsInDeclarations() {
        return wanted.chains().entrySet().stream().anyMatch(e -> {
                    ListedChain listed = present.chains().get(e.getKey());
                    return listed != null && !listed.hook().equals(e.getValue().hook());
                })
                || wanted.sets().entrySet().stream().anyMatch(e -> {
                    NamedSet listed = present.sets().get(e.getKey());
                    return listed != null && !listed.shape().equals(e.getValue().shape());
                });
    }

    private void addDeclarations() {
        wanted.chains().forEach((name, chain) -> {
            if (!present.chains().containsKey(name)) {
                String declaration = chain.hook().declaration();
                commands.add(
                        "add chain " + TABLE + " " + name + (declaration.isEmpty() ? "" : " { " + declaration + " }"));
            }
        });
        wanted.sets().forEach((name, set) -> {
            if (!present.sets().containsKey(name)) {
                commands.add("add " + set.shape().kind() + " " + TABLE + " " + name + " { "
                        + String.join("; ", set.shape().properties()) + "; }");
            }
        });
    }

    private void refillChains() {
        wanted.chains().forEach((name, chain) -> {
            ListedChain listed = present.chains().get(name);
            if (listed == null || !listed.equals(chain.listed())) {
                if (listed != null && !listed.comments().isEmpty()) {
                    commands.add("flush chain " + TABLE + " " + name);
                }
                chain.rules().forEach(rule -> commands.add("add rule " + TABLE + " " + name + " " + rule));
            }
        });
    }

    private void changeElements(String name, NamedSet set) {
        NamedSet listed = present.sets().get(name);
        SortedDifference<Map.Entry<String, String>> difference = SortedDifference.of(
                set.elements().entries(), (listed == null ? Elements.NONE : listed.elements()).entries());
        elements(
                "delete",
                name,
                difference.surplus().stream().map(Map.Entry::getKey).toList());
        elements(
                "add",
                name,
                difference.missing().stream()
                        .map(e -> Elements.element(e.getKey(), e.getValue()))
                        .toList());
    }

    private void elements(String verb, String name, List<String> elements) {
        if (!elements.isEmpty()) {
            commands.add(elements.stream()
                    .collect(Collectors.joining(", ", verb + " element " + TABLE + " " + name + " { ", " }")));
        }
    }

    private void deleteLeftovers() {
        List<String> chains = present.chains().keySet().stream()
                .filter(name -> !wanted.chains().containsKey(name))
                .toList();
        chains.forEach(name -> commands.add("flush chain " + TABLE + " " + name));
        present.sets().forEach((name, set) -> {
            if (!wanted.sets().containsKey(name)) {
                commands.add("delete " + set.shape().kind() + " " + TABLE + " " + name);
            }
        });
        chains.forEach(name -> commands.add("delete chain " + TABLE + " " + name));
    }
}
