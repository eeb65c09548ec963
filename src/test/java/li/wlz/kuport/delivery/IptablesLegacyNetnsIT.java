package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import li.wlz.kuport.lab.Namespace;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class IptablesLegacyNetnsIT extends IptablesFlavor {
    @RegisterExtension
    static final Stage STAGE = stage();

    private final Namespace edge = STAGE.world().edge().namespace();

    @TempDir
    Path folder;

    IptablesLegacyNetnsIT() {
        super(STAGE, "legacy");
    }

    @BeforeAll
    static void serve() {
        STAGE.serve(STAGE.world().edge().pod(1));
        STAGE.serve(STAGE.world().edge().pod(2));
    }

    private record Ended(int status, String said) {}

    /** {@code kuport ARGUMENT...} on edge as in a container with NET_ADMIN alone: the programs of iptables-legacy fail there. */
    private Ended withoutNetRaw(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("setpriv", "--bounding-set", "-net_raw"));
        command.addAll(AgentProcess.kuport(arguments));
        Path log = Files.createTempFile(folder, "kuport", ".log");
        Process process = edge.start(log, command.toArray(String[]::new));
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Ended(process.exitValue(), Files.readString(log));
    }

    @Test
    void without_NET_RAW_cleanup_removes_what_it_may_and_fails_with_the_words_for_what_it_may_not() throws Exception {
        ask();
        edge.nft("add table inet kuport");
        for (String[] arguments : List.of(new String[] {"cleanup", "--dry-run"}, new String[] {"cleanup"})) {
            Ended ended = withoutNetRaw(arguments);
            assertThat(ended.said())
                    .contains("nft delete table inet kuport")
                    .contains("chains KUPORT-* are still in iptables-legacy", "in ip6tables-legacy")
                    .contains("NET_RAW", "/run/xtables.lock");
            assertThat(ended.status()).isEqualTo(1);
        }
        assertThat(edge.run("nft", "list", "tables")).doesNotContain("inet kuport");
        assertThat(edge.run("iptables-legacy-save")).contains("-A KUPORT-PRE");
    }

    @Test
    void without_NET_RAW_cleanup_succeeds_where_the_tables_hold_nothing_of_ours() throws Exception {
        assertThat(edge.run("iptables-legacy-save")).contains("MASQUERADE");
        assertThat(withoutNetRaw("cleanup")).isEqualTo(new Ended(0, "nothing of kuport's is here\n"));
    }

    @Test
    void without_NET_RAW_an_agent_says_what_it_cannot_remove() throws Exception {
        ask();
        assertThat(withoutNetRaw("facts", "--node-name", "edge").said())
                .contains("RulesLeft", "chains KUPORT-* are still in iptables-legacy");
    }
}
