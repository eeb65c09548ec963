package li.wlz.kuport.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.model.Problem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What counts while files are broken, half written, moved or gone; the clock is moved by hand. */
class ManifestFolderTest {
    private static final String STAYS = "stays as it was read before, until this is mended";

    @TempDir
    private Path root;

    private ManifestFolder folder = new ManifestFolder(Path.of(""));
    private long now;

    @BeforeEach
    void open() {
        folder = new ManifestFolder(root);
    }

    private static String portMap(String name, int port) {
        return "{apiVersion: kuport.wlz.li/v1alpha1, kind: PortMap, metadata: {name: " + name
                + "}, spec: {className: public, protocol: TCP, port: " + port
                + ", serviceRef: {name: web, port: http}}}\n";
    }

    private static String two(String first, String second) {
        return first + "---\n" + second;
    }

    private void write(String file, String text) throws IOException {
        Files.writeString(root.resolve(file), text);
        look(file);
    }

    private void look(String... files) {
        folder.look(Stream.of(files).map(root::resolve).toList(), now);
        folder.settle(now);
    }

    private void waitFor(long millis) {
        now += millis * 1_000_000;
        folder.settle(now);
    }

    private void scan() {
        folder.scan(now, f -> {});
    }

    private List<String> portMaps() {
        return folder.objects(Kind.PORT_MAP).stream()
                .map(s -> {
                    PortMap map = (PortMap) s.object();
                    return map.getMetadata().getName() + " "
                            + (map.getSpec() == null ? "" : map.getSpec().port()) + " " + s.origin();
                })
                .toList();
    }

    private List<String> problems() {
        return folder.problems().stream().map(Problem::toString).toList();
    }

    @Test
    void a_file_that_is_no_yaml_any_more_keeps_what_it_held() throws IOException {
        write("a.yaml", two(portMap("a", 80), portMap("b", 81)));
        write("a.yaml", portMap("a", 80) + "---\n{apiVersion: kuport.wlz.li/v1alp");
        assertThat(portMaps()).containsExactly("a 80 a.yaml", "b 81 a.yaml");
        assertThat(problems())
                .containsExactly(
                        "a.yaml: line 3, column 33: while parsing a flow mapping: expected ',' or '}', but got <stream end>",
                        "a.yaml: PortMap b: " + STAYS);
        write("a.yaml", two(portMap("a", 80), portMap("b", 82)));
        assertThat(portMaps()).containsExactly("a 80 a.yaml", "b 82 a.yaml");
        assertThat(problems()).isEmpty();
    }

    @Test
    void what_can_be_read_of_a_broken_file_counts() throws IOException {
        write("a.yaml", two("{broken\n", portMap("b", 81)));
        assertThat(portMaps()).containsExactly("b 81 a.yaml");
        write("a.yaml", two("{still broken\n", portMap("b", 82)));
        assertThat(portMaps()).containsExactly("b 82 a.yaml");
    }

    @Test
    void an_object_that_is_wrong_now_keeps_what_it_was_and_the_others_change() throws IOException {
        write("a.yaml", two(portMap("a", 80), portMap("b", 81)));
        write("a.yaml", two(portMap("a", 80).replace("80", "'80'"), portMap("b", 82)));
        assertThat(portMaps()).containsExactly("b 82 a.yaml", "a 80 a.yaml");
        assertThat(problems())
                .containsExactly(
                        "a.yaml: PortMap a: spec.port: is the text \"80\"; it must be a whole number, without quotes",
                        "a.yaml: PortMap a: " + STAYS);
    }

    @Test
    void an_object_that_is_taken_out_of_a_file_with_a_mistake_goes() throws IOException {
        write("a.yaml", two(portMap("a", 80), portMap("b", 81)));
        write("a.yaml", portMap("b", 81).replace("81", "'81'"));
        waitFor(300);
        assertThat(portMaps()).containsExactly("b 81 a.yaml");
    }

    @Test
    void a_file_that_is_gone_counts_until_it_has_been_gone_for_a_moment() throws IOException {
        write("a.yaml", portMap("a", 80));
        Files.delete(root.resolve("a.yaml"));
        look("a.yaml");
        waitFor(200);
        assertThat(portMaps()).containsExactly("a 80 a.yaml");
        assertThat(folder.isSettling()).isTrue();
        waitFor(100);
        assertThat(portMaps()).isEmpty();
        assertThat(folder.isSettling()).isFalse();
    }

    @Test
    void an_object_that_is_gone_from_a_file_counts_until_the_file_has_been_so_for_a_moment() throws IOException {
        write("a.yaml", two(portMap("a", 80), portMap("b", 81)));
        write("a.yaml", portMap("a", 80));
        waitFor(200);
        write("a.yaml", "");
        waitFor(200);
        assertThat(portMaps()).as("the last loss is 200 ms old").containsExactly("a 80 a.yaml", "b 81 a.yaml");
        waitFor(100);
        assertThat(portMaps()).isEmpty();
    }

    @Test
    void a_file_that_comes_back_in_time_was_never_gone() throws IOException {
        write("a.yaml", portMap("a", 80));
        Object before = folder.objects(Kind.PORT_MAP).getFirst().object();
        write("a.yaml", "");
        waitFor(200);
        write("a.yaml", portMap("a", 80));
        waitFor(1000);
        assertThat(portMaps()).containsExactly("a 80 a.yaml");
        assertThat(folder.objects(Kind.PORT_MAP).getFirst().object()).isSameAs(before);
    }

    @Test
    void an_object_that_moves_to_another_file_is_in_one_of_them_all_the_time() throws IOException {
        write("a.yaml", two(portMap("a", 80), portMap("b", 81)));
        Files.move(root.resolve("a.yaml"), root.resolve("c.yaml"));
        look("a.yaml");
        assertThat(portMaps()).containsExactly("a 80 a.yaml", "b 81 a.yaml");
        look("c.yaml");
        assertThat(portMaps()).containsExactly("a 80 c.yaml", "b 81 c.yaml");
        waitFor(300);
        assertThat(portMaps()).containsExactly("a 80 c.yaml", "b 81 c.yaml");
    }

    @Test
    void a_file_that_becomes_unreadable_keeps_what_it_held() throws IOException {
        write("a.yaml", portMap("a", 80));
        Files.write(root.resolve("a.yaml"), new byte[] {(byte) 0xff});
        look("a.yaml");
        waitFor(1000);
        assertThat(portMaps()).containsExactly("a 80 a.yaml");
        assertThat(problems()).containsExactly("a.yaml: is not UTF-8 text", "a.yaml: PortMap a: " + STAYS);
    }

    @Test
    void a_folder_in_the_place_of_a_file_takes_the_file_away_and_brings_its_own() throws IOException {
        write("a.yaml", portMap("a", 80));
        Files.delete(root.resolve("a.yaml"));
        Files.createDirectories(root.resolve("a.yaml"));
        Files.writeString(root.resolve("a.yaml/b.yaml"), portMap("b", 81));
        scan();
        waitFor(300);
        assertThat(portMaps()).containsExactly("b 81 a.yaml/b.yaml");
    }

    @Test
    void links_in_a_circle_end_and_are_named() throws IOException {
        write("a.yaml", portMap("a", 80));
        Files.createSymbolicLink(root.resolve("self"), root);
        Files.createSymbolicLink(root.resolve("nowhere.yaml"), Path.of("nothing"));
        scan();
        assertThat(portMaps()).containsExactly("a 80 a.yaml");
        assertThat(problems()).containsExactly("self: leads back to a folder above it");
    }

    @Test
    void looking_at_every_file_finds_what_nobody_told_of() throws IOException {
        write("a.yaml", portMap("a", 80));
        write("b.yaml", portMap("b", 81));
        Files.writeString(root.resolve("a.yaml"), portMap("a", 8080));
        Files.delete(root.resolve("b.yaml"));
        Files.writeString(root.resolve("c.yaml"), portMap("c", 82));
        scan();
        waitFor(300);
        assertThat(portMaps()).containsExactly("a 8080 a.yaml", "c 82 c.yaml");
    }

    @Test
    void documents_that_are_alike_are_two_objects() throws IOException {
        write("a.yaml", two(portMap("a", 80), portMap("a", 80)));
        write("a.yaml", two(portMap("a", 80), portMap("a", 80)) + "---\n" + portMap("b", 81));
        assertThat(folder.objects(Kind.PORT_MAP)).hasSize(3);
        assertThat(folder.objects(Kind.PORT_MAP).get(0).object())
                .isNotSameAs(folder.objects(Kind.PORT_MAP).get(1).object());
    }
}
