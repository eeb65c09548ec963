package li.wlz.kuport.nft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.nft.Listing.ListedChain;
import org.junit.jupiter.api.Test;

class TableTest {
    private static final NamedSet.Shape PORTS = new NamedSet.Shape("inet_service", "verdict", false, 0);
    private static final Rule RULE = Rule.of("tcp dport vmap @ports", "why");
    private static final Chain GATE = new Chain(Hook.accepting("filter", "input", -10), List.of(RULE));
    private static final Chain DOOR = Chain.of(Rule.of("counter drop"));
    private static final Table TABLE = table(Map.of("gate", GATE, "door", DOOR), Map.of("80", "goto door"));

    private static Table table(Map<String, Chain> chains, Map<String, String> ports) {
        return new Table(
                Sorted.copyOf(chains),
                Sorted.copyOf(Map.of("ports", new NamedSet(PORTS, new Elements(Sorted.copyOf(ports))))));
    }

    private static Listing with(Map<String, ListedChain> chains, Map<String, NamedSet> sets) {
        Map<String, ListedChain> allChains = new TreeMap<>(TABLE.listing().chains());
        allChains.putAll(chains);
        Map<String, NamedSet> allSets = new TreeMap<>(TABLE.listing().sets());
        allSets.putAll(sets);
        return new Listing(true, Sorted.copyOf(allChains), Sorted.copyOf(allSets), List.of());
    }

    private static Listing withGate(String... comments) {
        return with(Map.of("gate", new ListedChain(GATE.hook(), List.of(comments))), Map.of());
    }

    @Test
    void a_table_that_is_not_there_is_rendered_whole() {
        assertThat(TABLE.difference(Listing.NOTHING))
                .hasValue("""
                table inet kuport {
                	map ports {
                		type inet_service : verdict
                		elements = {
                			80 : goto door,
                		}
                	}
                	chain door {
                		counter drop comment "#%s"
                	}
                	chain gate {
                		type filter hook input priority -10; policy accept;
                		tcp dport vmap @ports comment "why #%s"
                	}
                }
                """.formatted(hash(DOOR.rules().getFirst()), hash(RULE)));
    }

    private static String hash(Rule rule) {
        return rule.comment().substring(rule.comment().length() - 6);
    }

    @Test
    void a_table_that_lists_as_wanted_differs_in_nothing() {
        assertThat(TABLE.difference(TABLE.listing())).isEmpty();
    }

    @Test
    void one_changed_element_is_a_script_about_one_element() {
        Table changed = table(TABLE.chains(), Map.of("80", "drop"));
        assertThat(changed.difference(TABLE.listing())).hasValue("""
                delete element inet kuport ports { 80 }
                add element inet kuport ports { 80 : drop }
                """);
        Table more = table(TABLE.chains(), Map.of("80", "goto door", "81", "drop", "82", "drop"));
        assertThat(more.difference(TABLE.listing()))
                .hasValue("add element inet kuport ports { 81 : drop, 82 : drop }\n");
        assertThat(TABLE.difference(more.listing())).hasValue("delete element inet kuport ports { 81, 82 }\n");
    }

    @Test
    void a_rule_that_is_missing_strange_or_out_of_place_has_its_chain_refilled() {
        String refill = "flush chain inet kuport gate\nadd rule inet kuport gate " + RULE + "\n";
        assertThat(TABLE.difference(withGate(RULE.comment(), ""))).hasValue(refill);
        assertThat(TABLE.difference(withGate("", RULE.comment()))).hasValue(refill);
        assertThat(TABLE.difference(withGate(RULE.comment(), RULE.comment()))).hasValue(refill);
        assertThat(TABLE.difference(withGate("why #000000"))).hasValue(refill);
        assertThat(TABLE.difference(withGate())).hasValue("add rule inet kuport gate " + RULE + "\n");
    }

    @Test
    void the_hash_in_a_comment_follows_the_text_of_the_rule() {
        assertThat(Rule.of("accept", "why").comment())
                .startsWith("why #")
                .isNotEqualTo(Rule.of("drop", "why").comment());
        assertThat(Rule.of("accept").comment()).matches("#[0-9a-f]{6}");
    }

    @Test
    void new_chains_come_before_elements_that_point_to_them_and_old_ones_go_after() {
        Table moved = table(Map.of("gate", GATE, "hall", DOOR), Map.of("80", "goto hall"));
        assertThat(moved.difference(TABLE.listing()))
                .hasValue("""
                add chain inet kuport hall
                add rule inet kuport hall %s
                delete element inet kuport ports { 80 }
                add element inet kuport ports { 80 : goto hall }
                flush chain inet kuport door
                delete chain inet kuport door
                """.formatted(DOOR.rules().getFirst()));
    }

    @Test
    void what_is_not_wanted_is_deleted_sets_before_chains() {
        Listing more = with(
                Map.of("other", new ListedChain(Hook.NONE, List.of(""))),
                Map.of("stray", new NamedSet(new NamedSet.Shape("mark", "", false, 0), Elements.NONE)));
        assertThat(TABLE.difference(more)).hasValue("""
                flush chain inet kuport other
                delete set inet kuport stray
                delete chain inet kuport other
                """);
    }

    @Test
    void what_cannot_be_changed_in_place_makes_the_table_anew() {
        String anew = "delete table inet kuport\n" + TABLE.render();
        Hook dropping = new Hook("filter", "input", -10, "drop");
        NamedSet sized = new NamedSet(new NamedSet.Shape("inet_service", "verdict", false, 9), Elements.NONE);
        assertThat(TABLE.difference(with(Map.of("gate", new ListedChain(dropping, List.of(RULE.comment()))), Map.of())))
                .hasValue(anew);
        assertThat(TABLE.difference(with(Map.of("gate", new ListedChain(Hook.NONE, List.of())), Map.of())))
                .hasValue(anew);
        assertThat(TABLE.difference(with(Map.of(), Map.of("ports", sized)))).hasValue(anew);
        Listing strange =
                new Listing(true, TABLE.listing().chains(), TABLE.listing().sets(), List.of("flags of the table"));
        assertThat(TABLE.difference(strange)).hasValue(anew);
    }

    @Test
    void names_and_comments_that_nft_would_read_otherwise_are_refused() {
        assertThatThrownBy(() -> table(Map.of("a b", DOOR), Map.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Rule.of("accept", "say \"no\"")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Rule.of("accept", "x".repeat(128))).isInstanceOf(IllegalArgumentException.class);
    }
}
