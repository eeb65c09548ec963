package li.wlz.kuport.ship;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What make release puts into target/release. */
class ReleaseIT {
    private static final Path RELEASE = Path.of("target/release");

    @SuppressWarnings("NullAway.Init") // set before all tests
    private static String digest;

    /** The release was made before the tests, by scripts/before-tests. */
    @BeforeAll
    static void look_up_the_image() {
        digest = Shell.run("scripts/image").strip();
    }

    private static String read(String start, String end) throws IOException {
        return Files.readString(RELEASE.resolve(start + Shell.VERSION + end));
    }

    private static JsonNode sbom() throws IOException {
        return new JsonMapper().readTree(read("kuport-", ".cdx.json"));
    }

    @Test
    void it_consists_of_these_files_and_their_checksums() throws IOException {
        try (Stream<Path> files = Files.list(RELEASE)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "SHA256SUMS",
                            "crds-" + Shell.VERSION + ".yaml",
                            "kuport-" + Shell.VERSION + ".yaml",
                            "kuport-cleanup-" + Shell.VERSION + ".yaml",
                            "kuport-" + Shell.VERSION + ".tgz",
                            "kuport-" + Shell.VERSION + ".cdx.json",
                            "kuport-agent-" + Shell.VERSION + ".oci.tar");
        }
        String checked = Shell.run("sh", "-c", "cd target/release && sha256sum --check --strict SHA256SUMS");
        assertThat(checked.lines()).hasSize(6).allMatch(line -> line.endsWith(": OK"));
    }

    @Test
    void the_archive_of_the_image_is_the_one_that_was_built() {
        String index = Shell.run("tar", "-xOf", RELEASE + "/kuport-agent-" + Shell.VERSION + ".oci.tar", "index.json");
        assertThat(new JsonMapper().readTree(index).at("/manifests/0/digest").asString())
                .isEqualTo(digest);
    }

    @Test
    void the_manifests_pin_the_image_by_tag_and_digest() throws IOException {
        String image = "ghcr.io/walzen-group/kuport-agent:v" + Shell.VERSION + "@" + digest;
        for (String start : List.of("kuport-", "kuport-cleanup-")) {
            List<String> images = read(start, ".yaml")
                    .lines()
                    .map(String::strip)
                    .filter(line -> line.startsWith("image:"))
                    .toList();
            assertThat(images).isNotEmpty().containsOnly("image: " + image);
        }
    }

    @Test
    void the_chart_gives_the_manifests_objects_without_being_told_the_digest() throws IOException {
        String helm = Shell.run("scripts/go-tool", "helm").strip();
        String chart = RELEASE + "/kuport-" + Shell.VERSION + ".tgz";
        Map<String, JsonNode> manifests = new TreeMap<>(Manifests.parse(read("kuport-", ".yaml")));
        assertThat(manifests.remove("Namespace kuport-system")).isNotNull();
        assertThat(Manifests.parse(Shell.run(
                        helm, "template", "kuport", chart, "-n", "kuport-system", "--kube-version", "1.35.0")))
                .isEqualTo(manifests);
        assertThat(Shell.run(helm, "show", "chart", chart))
                .contains("version: " + Shell.VERSION, "appVersion: " + Shell.VERSION);
        assertThat(Manifests.parse(Shell.run(helm, "show", "crds", chart)))
                .isEqualTo(Manifests.parse(read("crds-", ".yaml")));
    }

    @Test
    void the_bill_of_materials_names_every_jar_debian_package_and_the_java_runtime() throws IOException {
        List<String> names = sbom().at("/components")
                .valueStream()
                .map(component -> component.at("/name").asString() + "-"
                        + component.at("/version").asString())
                .toList();
        try (Stream<Path> jars = Files.list(Path.of("target/lib"))) {
            assertThat(jars.map(jar -> jar.getFileName().toString().replaceFirst("\\.jar$", "")))
                    .isNotEmpty()
                    .isSubsetOf(names);
        }
        assertThat(names).anyMatch(name -> name.startsWith("OpenJDK Runtime Environment-25"));
        assertThat(sbom().at("/components")
                        .valueStream()
                        .map(component -> component.at("/purl").asString()))
                .anyMatch(purl -> purl.startsWith("pkg:deb/debian/libnftables1@1.0.6"))
                .doesNotHaveDuplicates();
    }
}
