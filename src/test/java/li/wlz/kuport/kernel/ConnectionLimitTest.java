package li.wlz.kuport.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import li.wlz.kuport.model.NodeReason;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConnectionLimitTest {
    /** As Linux 6.18 prints it, on two processors. */
    private static final String STATISTICS = """
            entries  clashres found new invalid ignore delete chainlength insert insert_failed drop early_drop icmp_error  expect_new expect_create expect_delete search_restart
            00000000  00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000ffff 0000ffff 0000000f 00000000  00000000 00000000 00000000 00000000
            00000000  00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000ffff 0000ffff EVICTED_ 00000000  00000000 00000000 00000000 00000000
            """;

    @TempDir
    Path folder;

    private ConnectionLimit limit = new ConnectionLimit(new SysctlFiles(Path.of("")), Path.of(""));

    @BeforeEach
    void aTableOfAThousand() throws IOException {
        limit = new ConnectionLimit(new SysctlFiles(folder), folder.resolve("stat"));
        Files.createDirectories(folder.resolve("netfilter"));
        Files.writeString(folder.resolve("netfilter/nf_conntrack_max"), "1000\n");
        entries(0);
        evicted(0);
    }

    private void entries(int number) throws IOException {
        Files.writeString(folder.resolve("netfilter/nf_conntrack_count"), number + "\n");
    }

    private void evicted(int number) throws IOException {
        Files.writeString(folder.resolve("stat"), STATISTICS.replace("EVICTED_", Integer.toHexString(number)));
    }

    @Test
    void U11_a_table_is_full_from_nine_tenths_of_its_limit_on() throws IOException {
        entries(899);
        assertThat(limit.problem()).isEmpty();
        entries(900);
        assertThat(limit.problem()).hasValueSatisfying(problem -> {
            assertThat(problem.reason()).isEqualTo(NodeReason.ConntrackFull);
            assertThat(problem.message()).contains("sysctl -w net.netfilter.nf_conntrack_max=2000");
        });
    }

    @Test
    void U11_a_table_that_had_to_make_room_meanwhile_was_full_and_is_not_for_ever() throws IOException {
        evicted(0xff);
        assertThat(limit.problem()).isEmpty();
        evicted(0x100);
        assertThat(limit.problem()).isPresent();
        assertThat(limit.problem()).isEmpty();
    }

    @Test
    void without_statistics_the_number_of_entries_counts() throws IOException {
        Files.delete(folder.resolve("stat"));
        assertThat(limit.problem()).isEmpty();
        entries(1000);
        assertThat(limit.problem()).isPresent();
    }

    @Test
    void a_kernel_that_tracks_nothing_yet_has_no_limit() throws IOException {
        Files.delete(folder.resolve("netfilter/nf_conntrack_max"));
        assertThat(limit.problem()).isEmpty();
    }
}
