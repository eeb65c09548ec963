package li.wlz.kuport.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.Resources.Sourced;
import li.wlz.kuport.model.Problem;
import li.wlz.kuport.reconcile.spi.Source.Snapshot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A watched folder, with real files. */
class ManifestSourceTest {
    @TempDir
    private Path parent;

    private Path folder = Path.of("");
    private ManifestSource source = new ManifestSource(Path.of(""));
    private final AtomicInteger dirty = new AtomicInteger();

    @BeforeEach
    void start() throws IOException {
        folder = Files.createDirectories(parent.resolve("manifests"));
        source = new ManifestSource(folder);
    }

    @AfterEach
    void stop() {
        source.close();
    }

    private static String portMap(String name, int port) {
        return """
                apiVersion: kuport.wlz.li/v1alpha1
                kind: PortMap
                metadata: {name: %s, namespace: games}
                spec: {className: public, protocol: TCP, port: %d, serviceRef: {name: web, port: http}}
                """.formatted(name, port);
    }

    private void write(String file, String text) throws IOException {
        Files.writeString(folder.resolve(file), text);
    }

    private Snapshot latest() {
        return source.latest().orElseThrow();
    }

    private List<String> portMaps() {
        return latest().resources().portMaps().stream()
                .map(s -> s.object().getMetadata().getName() + " " + port(s) + " " + s.origin())
                .toList();
    }

    private static int port(Sourced<PortMap> portMap) {
        var spec = portMap.object().getSpec();
        return spec == null || spec.port() == null ? 0 : spec.port();
    }

    private List<String> problems() {
        return latest().problems().stream().map(Problem::toString).toList();
    }

    private void startAndWait() {
        source.start(dirty::incrementAndGet);
        await().until(() -> source.latest().isPresent());
    }

    private void awaitPortMaps(String... expected) {
        await().untilAsserted(() -> assertThat(portMaps()).containsExactly(expected));
    }

    @Test
    void nothing_is_known_before_the_folder_was_read_and_an_empty_folder_is_known_to_be_empty() {
        assertThat(source.latest()).isEmpty();
        startAndWait();
        assertThat(portMaps()).isEmpty();
        assertThat(dirty).hasValueGreaterThan(0);
    }

    @Test
    void a_file_that_comes_changes_or_goes_is_noticed() throws IOException {
        startAndWait();
        write("a.yaml", portMap("a", 80));
        awaitPortMaps("a 80 a.yaml");
        write("a.yaml", portMap("a", 81));
        awaitPortMaps("a 81 a.yaml");
        Files.delete(folder.resolve("a.yaml"));
        awaitPortMaps();
    }

    @Test
    void a_file_that_is_renamed_into_place_is_noticed() throws IOException {
        write("a.yaml", portMap("a", 80));
        startAndWait();
        write(".a.yaml.tmp", portMap("a", 81));
        Files.move(folder.resolve(".a.yaml.tmp"), folder.resolve("a.yaml"), StandardCopyOption.ATOMIC_MOVE);
        awaitPortMaps("a 81 a.yaml");
    }

    @Test
    void sub_folders_are_watched_also_those_that_come_later() throws IOException {
        startAndWait();
        Files.createDirectories(folder.resolve("deep/er"));
        write("deep/er/a.yaml", portMap("a", 80));
        awaitPortMaps("a 80 deep/er/a.yaml");
        write("deep/er/a.yaml", portMap("a", 81));
        awaitPortMaps("a 81 deep/er/a.yaml");
        Files.move(folder.resolve("deep"), parent.resolve("elsewhere"));
        awaitPortMaps();
    }

    @Test
    void a_mounted_config_map_changes_when_its_link_is_swapped() throws IOException {
        Files.createDirectories(folder.resolve("..2026_01"));
        write("..2026_01/a.yaml", portMap("a", 80));
        Files.createSymbolicLink(folder.resolve("..data"), Path.of("..2026_01"));
        Files.createSymbolicLink(folder.resolve("a.yaml"), Path.of("..data/a.yaml"));
        startAndWait();
        awaitPortMaps("a 80 a.yaml");

        Files.createDirectories(folder.resolve("..2026_02"));
        write("..2026_02/a.yaml", portMap("a", 81));
        Files.createSymbolicLink(folder.resolve("..data_tmp"), Path.of("..2026_02"));
        Files.move(folder.resolve("..data_tmp"), folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
        awaitPortMaps("a 81 a.yaml");
    }

    @Test
    void a_folder_that_is_a_link_is_followed_when_the_link_is_swapped() throws IOException {
        Path one = Files.createDirectories(parent.resolve("one"));
        Path two = Files.createDirectories(parent.resolve("two"));
        Files.writeString(one.resolve("a.yaml"), portMap("a", 80));
        Files.writeString(two.resolve("a.yaml"), portMap("a", 81));
        Files.createSymbolicLink(parent.resolve("current"), one);
        source = new ManifestSource(parent.resolve("current"));
        startAndWait();
        awaitPortMaps("a 80 a.yaml");
        Files.createSymbolicLink(parent.resolve("next"), two);
        Files.move(parent.resolve("next"), parent.resolve("current"), StandardCopyOption.ATOMIC_MOVE);
        awaitPortMaps("a 81 a.yaml");
    }

    @Test
    void a_folder_that_is_not_there_yet_is_read_when_it_comes() throws IOException {
        Files.delete(folder);
        source.start(dirty::incrementAndGet);
        Files.createDirectories(parent.resolve("filling"));
        Files.writeString(parent.resolve("filling/a.yaml"), portMap("a", 80));
        assertThat(source.latest()).isEmpty();
        Files.move(parent.resolve("filling"), folder);
        await().untilAsserted(() -> assertThat(source.latest()).isPresent());
        awaitPortMaps("a 80 a.yaml");
    }

    @Test
    void a_folder_that_was_never_there_is_told_to_hold_up_everything() throws IOException {
        Logger logger = (Logger) LoggerFactory.getLogger(ManifestSource.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            Files.delete(folder);
            source.start(dirty::incrementAndGet);
            await().until(() -> !lines.list.isEmpty());
            assertThat(lines.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .containsExactly(
                            folder + ": does not exist; nothing is programmed or removed until it can be read");
        } finally {
            logger.detachAppender(lines);
        }
    }

    @Test
    void a_folder_that_goes_away_leaves_what_was_read_in_force_and_says_so() throws IOException {
        write("a.yaml", portMap("a", 80));
        startAndWait();
        Files.move(folder, parent.resolve("elsewhere"));
        await().untilAsserted(() -> assertThat(problems())
                .containsExactly(folder + ": does not exist; what was read there before stays in force"));
        assertThat(portMaps()).containsExactly("a 80 a.yaml");
        Files.move(parent.resolve("elsewhere"), folder);
        await().untilAsserted(() -> assertThat(problems()).isEmpty());
    }

    @Test
    void an_editor_that_empties_a_file_and_writes_it_again_takes_nothing_away() throws IOException {
        write("a.yaml", portMap("a", 80));
        startAndWait();
        AtomicInteger gaps = new AtomicInteger();
        Thread watcher = Thread.ofPlatform().start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                gaps.addAndGet(portMaps().isEmpty() ? 1 : 0);
                Thread.onSpinWait();
            }
        });
        for (int port = 81; port < 91; port++) {
            write("a.yaml", "");
            write("a.yaml", portMap("a", port));
            Files.delete(folder.resolve("a.yaml"));
            write("a.yaml", portMap("a", port));
        }
        awaitPortMaps("a 90 a.yaml");
        watcher.interrupt();
        assertThat(gaps).hasValue(0);
    }

    @Test
    void an_unchanged_object_stays_the_same_instance() throws IOException {
        write("a.yaml", portMap("a", 80) + "---\n" + portMap("b", 81));
        startAndWait();
        PortMap before = latest().resources().portMaps().getFirst().object();
        write("a.yaml", portMap("a", 80) + "---\n" + portMap("b", 82) + "---\n" + portMap("c", 83));
        awaitPortMaps("a 80 a.yaml", "b 82 a.yaml", "c 83 a.yaml");
        assertThat(latest().resources().portMaps().getFirst().object()).isSameAs(before);
    }

    @Test
    void closing_ends_the_thread_and_leaves_the_last_state() throws IOException {
        write("a.yaml", portMap("a", 80));
        startAndWait();
        source.close();
        write("b.yaml", portMap("b", 81));
        await().during(Duration.ofMillis(300)).until(() -> portMaps().size() == 1);
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(t -> t.getName().equals("manifests") && t.isAlive());
    }
}
