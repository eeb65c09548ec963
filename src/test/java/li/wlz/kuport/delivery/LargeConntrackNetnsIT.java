package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import li.wlz.kuport.ScratchNamespace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node with more connections than the program has memory for. */
class LargeConntrackNetnsIT {
    /** As objects these take some 25 MiB, beside what the program needs anyway. */
    private static final int CONNECTIONS = 120_000;

    private static final String HEAP = "-Xmx24m";

    private final ScratchNamespace namespace = new ScratchNamespace();

    @AfterEach
    void remove() {
        namespace.close();
    }

    private String kuport(String... arguments) {
        List<String> command = AgentProcess.kuport(arguments);
        command.add(1, HEAP);
        return namespace.sh(command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" ")));
    }

    private void connections(Path folder) throws IOException {
        Path entries = folder.resolve("entries");
        Files.write(
                entries,
                IntStream.range(0, CONNECTIONS)
                        .mapToObj(i ->
                                "-A -p udp -s 198.51.%d.7 -d 203.0.113.9 --sport %d --dport 3000 -t 600 -m 0x6b7000ff"
                                        .formatted(100 + i / 60_000, 1024 + i % 60_000))
                        .toList());
        namespace.sh("conntrack -R " + entries);
        namespace.sh("conntrack -I -p udp -s 192.0.2.1 -d 192.0.2.2 --sport 53 --dport 53 -t 600 -m 7");
    }

    @Test
    void cleanup_removes_the_table_and_every_connection_of_ours_within_a_small_heap(@TempDir Path folder)
            throws IOException {
        namespace.sh("nft add table inet kuport");
        connections(folder);
        assertThat(kuport("cleanup", "--dry-run"))
                .contains("delete table inet kuport", "connections forgotten: " + CONNECTIONS);
        assertThat(kuport("cleanup")).contains("connections forgotten: " + CONNECTIONS);
        assertThat(namespace.sh("nft list tables")).isEmpty();
        assertThat(namespace.sh("conntrack -L 2>/dev/null").lines())
                .singleElement()
                .asString()
                .contains("192.0.2.1");
    }
}
