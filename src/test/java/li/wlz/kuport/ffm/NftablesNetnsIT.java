package li.wlz.kuport.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import li.wlz.kuport.ScratchNamespace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NftablesNetnsIT {
    private ScratchNamespace namespace = new ScratchNamespace();

    @AfterEach
    void closeNamespace() {
        namespace.close();
    }

    @BeforeEach
    void makeTable() {
        namespace.sh("nft 'add table inet t; add chain inet t c'");
    }

    @Test
    void a_script_is_carried_out_in_the_namespace_of_the_thread() throws Exception {
        namespace.call(() -> {
            try (Nftables nft = Nftables.open()) {
                assertThat(nft.run("add rule inet t c tcp dport 80 counter accept\n"))
                        .isEmpty();
            }
            return true;
        });
        assertThat(namespace.sh("nft list table inet t")).contains("tcp dport 80 counter packets 0 bytes 0 accept");
    }

    @Test
    void a_script_with_one_bad_command_changes_nothing_and_throws_nfts_words() throws Exception {
        String before = namespace.sh("nft -a list ruleset");
        namespace.call(() -> {
            try (Nftables nft = Nftables.open()) {
                assertThatThrownBy(() -> nft.run("add chain inet t d\nadd rule inet t nowhere accept\n"))
                        .isInstanceOf(NftablesException.class)
                        .hasMessageStartingWith("nft: ")
                        .hasMessageContaining("No such file or directory");
                assertThat(nft.run("add chain inet t e\n"))
                        .as("a later script is not disturbed")
                        .isEmpty();
            }
            return true;
        });
        assertThat(namespace.sh("nft delete chain inet t e; nft -a list ruleset"))
                .isEqualTo(before);
    }

    @Test
    void a_check_judges_and_changes_nothing() throws Exception {
        String before = namespace.sh("nft -a list ruleset");
        namespace.call(() -> {
            try (Nftables nft = Nftables.open()) {
                nft.check("add chain inet t d\n");
                assertThatThrownBy(() -> nft.check("add rule inet t nowhere accept\n"))
                        .isInstanceOf(NftablesException.class);
            }
            return true;
        });
        assertThat(namespace.sh("nft -a list ruleset")).isEqualTo(before);
    }

    @Test
    void a_listing_is_json_with_numbers_and_without_counts() throws Exception {
        namespace.sh("nft 'add rule inet t c meta l4proto tcp tcp dport 22 counter meta mark set 1'");
        namespace.call(() -> {
            try (Nftables nft = Nftables.open()) {
                assertThat(nft.list("list table inet t"))
                        .startsWith("{\"nftables\":")
                        .contains("\"counter\": null")
                        .contains("22")
                        .doesNotContain("packets");
            }
            return true;
        });
    }

    @Test
    void a_listing_of_ten_thousand_elements_is_read_whole() throws Exception {
        String elements =
                IntStream.range(0, 10_000).mapToObj(String::valueOf).collect(Collectors.joining(", ", "{ ", " }"));
        namespace.call(() -> {
            try (Nftables nft = Nftables.open()) {
                nft.run("add set inet t s { type mark; }\nadd element inet t s " + elements + "\n");
                assertThat(nft.list("list set inet t s").strip()).endsWith("]}").hasSizeGreaterThan(50_000);
            }
            return true;
        });
    }

    @Test
    void a_missing_table_is_refused_with_nfts_words() throws Exception {
        namespace.call(() -> {
            try (Nftables nft = Nftables.open()) {
                assertThatThrownBy(() -> nft.list("list table inet nowhere"))
                        .isInstanceOf(NftablesException.class)
                        .hasMessageContaining("No such file or directory");
            }
            return true;
        });
    }
}
