package li.wlz.kuport.ship;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The image that scripts/image builds, unpacked from its archive and run by runc as a container runtime would. */
class ImageIT {
    private static final JsonMapper JSON = new JsonMapper();

    /** What jars name and never load here: Jackson's view of java.beans. */
    private static final Set<String> MODULES_LEFT_OUT = Set.of("java.desktop");

    private static final Path UNPACKED = Path.of("target/image-unpacked").toAbsolutePath();

    @SuppressWarnings("NullAway.Init") // set before all tests
    private static String digest;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private static JsonNode manifest;

    /** Both images were built before the tests, by scripts/before-tests; the script tells a stale one and would build it again. */
    @BeforeAll
    static void unpack_the_image() throws IOException {
        digest = Shell.run("scripts/image").strip();
        Shell.run("rm", "-rf", UNPACKED.toString());
        Path layout = Files.createDirectories(UNPACKED.resolve("layout"));
        Shell.run("tar", "-xf", "target/image/kuport-agent-" + Shell.VERSION + ".oci.tar", "-C", layout.toString());
        manifest = blob(blob(digest).at("/manifests/0/digest").asString());
        Path root = Files.createDirectory(UNPACKED.resolve("rootfs"));
        for (JsonNode layer : manifest.at("/layers")) {
            Shell.run("tar", "-xzf", blobFile(layer.at("/digest").asString()).toString(), "-C", root.toString());
        }
    }

    private static Path blobFile(String digest) {
        return UNPACKED.resolve("layout/blobs").resolve(digest.replace(':', '/'));
    }

    private static JsonNode blob(String digest) {
        return JSON.readTree(blobFile(digest));
    }

    private static JsonNode configuration() {
        return blob(manifest.at("/config/digest").asString()).get("config");
    }

    /** Runs a program in a container that has what the DaemonSet gives: uid 0, NET_ADMIN and nothing else, a read-only root. */
    private static Shell.Result contain(List<String> environment, String... arguments) {
        Path bundle = UNPACKED.resolve("config.json");
        if (!Files.exists(bundle)) {
            Shell.run("runc", "spec", "--bundle", UNPACKED.toString());
        }
        ObjectNode specification = (ObjectNode) JSON.readTree(bundle);
        ((ObjectNode) specification.get("root")).put("readonly", true);
        ObjectNode process = (ObjectNode) specification.get("process");
        process.put("terminal", false).put("noNewPrivileges", true);
        process.set("args", array(List.of(arguments)));
        process.set("env", array(environment));
        ObjectNode capabilities = process.putObject("capabilities");
        for (String set : List.of("bounding", "effective", "permitted")) {
            capabilities.putArray(set).add("CAP_NET_ADMIN");
        }
        JSON.writeValue(bundle, specification);
        return Shell.attempt(
                "runc",
                "run",
                "--bundle",
                UNPACKED.toString(),
                "kuport-" + ProcessHandle.current().pid());
    }

    private static ArrayNode array(List<String> texts) {
        ArrayNode array = JSON.createArrayNode();
        texts.forEach(array::add);
        return array;
    }

    private static List<String> environment(String... more) {
        return Stream.concat(Manifests.texts(configuration().get("Env")).stream(), Arrays.stream(more))
                .toList();
    }

    private static String[] kuport(String... arguments) {
        List<String> command = new ArrayList<>(Manifests.texts(configuration().get("Entrypoint")));
        command.addAll(List.of(arguments));
        return command.toArray(String[]::new);
    }

    @Test
    void two_builds_give_the_same_digest() {
        assertThat(Shell.run("scripts/image", "target/image-again").strip()).isEqualTo(digest);
    }

    @Test
    void it_runs_as_root_with_net_admin_alone_on_a_read_only_root() {
        Shell.Result result = contain(environment(), kuport("version"));
        assertThat(result.err()).isEmpty();
        assertThat(result.out()).startsWith("kuport " + Shell.VERSION + " (Java 25");
        assertThat(result.status()).isZero();
    }

    @Test
    void kubectl_exec_finds_the_program_by_its_name() {
        assertThat(contain(environment(), "kuport", "version").out()).startsWith("kuport " + Shell.VERSION);
    }

    @Test
    void its_classes_start_from_the_archive_that_was_made_for_these_jars() {
        List<String> environment = environment("JDK_JAVA_OPTIONS=-Xshare:on -Xlog:class+load");
        assertThat(contain(environment, kuport("version")).out())
                .containsPattern("li\\.wlz\\.kuport\\.cli\\.Main source: shared objects file")
                .containsPattern("picocli\\.CommandLine source: shared objects file");
    }

    @Test
    void libnftables_and_the_programs_of_iptables_find_all_their_libraries() throws IOException {
        try (Stream<Path> files = Files.walk(UNPACKED.resolve("rootfs"))) {
            String library = "/" + UNPACKED.resolve("rootfs").relativize(only(files, "libnftables.so.1"));
            String loader = Files.exists(UNPACKED.resolve("rootfs/lib64/ld-linux-x86-64.so.2"))
                    ? "/lib64/ld-linux-x86-64.so.2"
                    : "/lib/ld-linux-aarch64.so.1";
            Shell.Result libraries = contain(environment(), loader, "--list", library);
            assertThat(libraries.err()).isEmpty();
            assertThat(libraries.out()).contains("libnftnl", "libmnl").doesNotContain("not found");
        }
        for (String backend : List.of("nft", "legacy")) {
            assertThat(contain(environment(), "iptables-" + backend + "-restore", "--version")
                            .out())
                    .contains("-restore v1.8");
        }
    }

    private static Path only(Stream<Path> files, String name) {
        return files.filter(file -> file.endsWith(name)).findFirst().orElseThrow();
    }

    @Test
    void it_holds_no_shell_and_nothing_that_gains_privileges() throws IOException {
        Pattern shell = Pattern.compile(".*/(ba|da|z)?sh|.*/(busybox|su|sudo|mount)");
        try (Stream<Path> files = Files.walk(UNPACKED.resolve("rootfs"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(file.toString()).doesNotMatch(shell);
                assertThat((int) Files.getAttribute(file, "unix:mode") & 06000)
                        .as(file.toString())
                        .isZero();
            }
        }
    }

    @Test
    void its_java_has_every_module_that_the_jars_use() throws IOException {
        List<String> linked = Files.readAllLines(Path.of("image/modules")).stream()
                .filter(line -> !line.startsWith("#"))
                .toList();
        List<String> arguments = new ArrayList<>(
                List.of("--multi-release", "25", "--ignore-missing-deps", "-summary", "target/kuport.jar"));
        try (Stream<Path> jars = Files.list(Path.of("target/lib"))) {
            jars.map(Path::toString).forEach(arguments::add);
        }
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = ToolProvider.findFirst("jdeps")
                .orElseThrow()
                .run(new PrintWriter(out), new PrintWriter(err), arguments.toArray(String[]::new));
        assertThat(status).as(err.toString()).isZero();
        Set<String> used = new TreeSet<>();
        out.toString()
                .lines()
                .map(line -> line.replaceFirst(".* -> ", ""))
                .filter(name -> name.matches("(java|jdk)\\..*"))
                .forEach(used::add);
        used.removeAll(MODULES_LEFT_OUT);
        assertThat(used).contains("java.base");
        assertThat(linked).containsAll(used);
    }
}
