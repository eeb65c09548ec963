package li.wlz.kuport.nft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import li.wlz.kuport.nft.Listing.ListedChain;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ListingTest {
    /** What nft 1.0.6 printed for a table with one of everything. */
    private static final String LISTING = resource("listing.json");

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(ListingTest.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, String> elements(String set) {
        return set(LISTING, set).elements().entries();
    }

    private static NamedSet set(String listing, String name) {
        return Objects.requireNonNull(Listing.parse(listing).sets().get(name), name);
    }

    /** A map of type address, protocol, port to address and port, with the one element given in JSON. */
    private static String mapWith(String element) {
        return """
                {"nftables": [{"table": {"family": "inet", "name": "kuport"}},
                 {"map": {"family": "inet", "name": "m", "table": "kuport", "map": ["ipv4_addr", "inet_service"],
                  "type": ["ipv4_addr", "inet_proto", "inet_service"], "elem": [%s]}}]}
                """.formatted(element);
    }

    @Test
    void chains_list_with_their_hook_and_the_comments_of_their_rules_in_order() {
        assertThat(Listing.parse(LISTING).chains())
                .containsEntry("c2", new ListedChain(Hook.accepting("filter", "prerouting", -120), List.of("x #1")))
                .containsEntry("c1", new ListedChain(Hook.NONE, List.of("why #abcd")));
    }

    @Test
    void a_rule_without_a_comment_lists_as_an_empty_one() {
        String bare = LISTING.replace("\"comment\": \"x #1\", ", "");
        assertThat(Listing.parse(bare).chains().get("c2"))
                .isEqualTo(new ListedChain(Hook.accepting("filter", "prerouting", -120), List.of("")));
    }

    @Test
    void sets_list_with_types_flags_and_size() {
        assertThat(set(LISTING, "d4").shape())
                .isEqualTo(new NamedSet.Shape("ipv4_addr . inet_proto . inet_service", "ipv4_addr", true, 100));
        assertThat(set(LISTING, "e4").shape().data()).isEqualTo("ipv4_addr . inet_service");
        assertThat(set(LISTING, "a").shape()).isEqualTo(new NamedSet.Shape("ipv4_addr", "", false, 0));
    }

    @Test
    void elements_list_in_the_words_of_nft_whatever_their_type() {
        assertThat(elements("peer")).isEqualTo(Map.of("0a:00:00:00:00:0b", "goto c1"));
        assertThat(elements("uplink")).isEqualTo(Map.of("\"eth0\"", "goto c1", "\"a b\"", "accept"));
        assertThat(elements("m1")).isEqualTo(Map.of("0x00000005", "drop", "0x6b700001", "goto c1"));
        assertThat(elements("a4")).isEqualTo(Map.of("10.0.0.1 . tcp . 80", "goto c1", "10.0.0.1 . udp . 80", "accept"));
        assertThat(elements("r4"))
                .isEqualTo(Map.of(
                        "10.0.0.1 . tcp . 80-90", "goto c1",
                        "10.0.0.1 . udp . 1024-2047", "accept",
                        "10.0.0.2 . udp . 7", "accept"));
        assertThat(elements("e6")).isEqualTo(Map.of("fd00::1 . tcp . 80", "fd00::2 . 81"));
        assertThat(elements("i")).containsKeys("1.2.3.4", "1.2.3.8/30", "10.0.0.1-10.0.0.7");
    }

    @Test
    void one_element_has_one_text_however_nft_prints_it() {
        Map<String, String> expected = Map.of("10.0.0.1 . tcp . 80", "10.0.0.3 . 81");
        for (String element : new String[] {
            "[{\"concat\": [\"10.0.0.1\", 6, 80]}, {\"concat\": [\"10.0.0.3\", 81]}]",
            "[{\"concat\": [\"10.0.0.1\", \"tcp\", 80]}, \"10.0.0.3 . 81\"]",
            "[{\"elem\": {\"val\": {\"concat\": [\"10.0.0.1\", \"6\", \"80\"]}, \"comment\": \"x\"}}, \"10.0.0.3 . 81\"]",
        }) {
            assertThat(set(mapWith(element), "m").elements().entries())
                    .as(element)
                    .isEqualTo(expected);
        }
        String prefixed =
                "[{\"concat\": [\"10.0.0.1\", 17, {\"prefix\": {\"addr\": 1024, \"len\": 6}}]}, \"10.0.0.3 . 81\"]";
        assertThat(set(mapWith(prefixed), "m").elements().entries()).containsOnlyKeys("10.0.0.1 . udp . 1024-2047");
    }

    @Test
    void what_we_never_make_is_named() {
        String strange = LISTING.replace("\"name\": \"kuport\", ", "\"name\": \"kuport\", \"flags\": \"inet\", ")
                .replaceFirst(
                        "\\{\"set\": \\{\"family\": \"inet\", \"name\": \"p4\"",
                        "{\"flowtable\": {\"family\": \"inet\", \"name\": \"f\", \"table\": \"kuport\"}},\n$0");
        assertThat(Listing.parse(strange).strangers()).containsExactly("flags of the table", "flowtable f");
    }

    @Test
    void a_listing_without_our_table_is_nothing() {
        assertThat(Listing.parse("{\"nftables\": [{\"metainfo\": {\"json_schema_version\": 1}}]}"))
                .isEqualTo(Listing.NOTHING);
        assertThat(Listing.parse(LISTING.replace("kuport", "other"))).isEqualTo(Listing.NOTHING);
        assertThat(Listing.parse(LISTING.replace("\"inet\"", "\"ip\""))).isEqualTo(Listing.NOTHING);
    }

    @Test
    void what_is_no_listing_is_refused_with_one_exception() {
        for (String text : new String[] {
            "",
            "null",
            "[]",
            "{}",
            "{\"nftables\": 1}",
            "{\"nftables\": [1]}",
            LISTING.substring(0, 500),
            "\0",
            "{\"other\": []}"
        }) {
            assertThatThrownBy(() -> Listing.parse(text)).as(text).isInstanceOf(ListingException.class);
        }
    }

    @Test
    void nesting_without_end_is_refused() {
        String deep = mapWith("[".repeat(1_000_000));
        assertThatThrownBy(() -> Listing.parse(deep)).isInstanceOf(ListingException.class);
        String closed = mapWith("[".repeat(100_000) + "]".repeat(100_000));
        assertThatThrownBy(() -> Listing.parse(closed)).isInstanceOf(ListingException.class);
    }

    @Test
    void a_damaged_listing_is_read_or_refused_with_one_exception() {
        Random random = new Random(3);
        String alphabet = "{}[]\":,0a9 .-\\\n\0e";
        for (int round = 0; round < 5_000; round++) {
            StringBuilder text = new StringBuilder(LISTING);
            for (int edit = 0; edit <= random.nextInt(4); edit++) {
                damage(text, random, alphabet);
            }
            ThrowingCallable parse = () -> {
                try {
                    Listing.parse(text.toString());
                } catch (ListingException e) {
                    assertThat(e).hasMessageContaining(" ");
                }
            };
            assertThatCode(parse).as("%s", text).doesNotThrowAnyException();
        }
    }

    private static void damage(StringBuilder text, Random random, String alphabet) {
        int at = random.nextInt(text.length());
        int other = random.nextInt(text.length());
        switch (random.nextInt(4)) {
            case 0 -> text.setCharAt(at, alphabet.charAt(random.nextInt(alphabet.length())));
            case 1 -> text.insert(at, alphabet.charAt(random.nextInt(alphabet.length())));
            case 2 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(30)));
            default -> text.insert(at, text.substring(other, Math.min(text.length(), other + random.nextInt(60))));
        }
    }
}
