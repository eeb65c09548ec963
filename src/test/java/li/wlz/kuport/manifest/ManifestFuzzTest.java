package li.wlz.kuport.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import li.wlz.kuport.intake.Intake;
import li.wlz.kuport.model.Problem;
import li.wlz.kuport.reconcile.spi.Source.Snapshot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever stands in a file, reading it ends, crashes nothing, needs little memory, and says something where it is wrong. */
class ManifestFuzzTest {
    private static final String SEED = """
            apiVersion: kuport.wlz.li/v1alpha1
            kind: PortMap
            metadata: {name: gameserver, namespace: games, creationTimestamp: "2026-01-01T00:00:00Z", labels: &l {a: b}, annotations: *l}
            spec:
              className: public
              protocol: UDP
              port: 3000
              endPort: 3009
              interfaces: [enp1s0, wt0]
              serviceRef: {name: gameserver, port: game}
            status:
              endpoint: {node: worker-b, pod: gameserver-0, address: 10.244.18.107}
              published: [{node: edge-a, interface: enp1s0, address: 203.0.113.9}]
              nodes: [{name: edge-a, role: Accepting, ready: true, endpoint: 10.244.18.107, observedGeneration: 3}]
            ---
            apiVersion: kuport.wlz.li/v1alpha1
            kind: PortMapClass
            metadata: {name: public}
            spec:
              nodes: {edge-a: {interfaces: [enp1s0], addresses: [203.0.113.9], external: {192.168.7.2: 203.0.113.9}}}
              ports: {min: 1024, max: 65535, reserved: [8080, 9000-9100], allowProtected: [22]}
              namespaceSelector: {matchExpressions: [{key: team, operator: In, values: [blue]}]}
              returnPath: {mode: Vxlan, vxlan: {vni: 4242, port: 4790}}
            ---
            apiVersion: kuport.wlz.li/v1alpha1
            kind: PortMapNode
            metadata: {name: edge-a}
            status:
              link: {up: true, underlay: 100.64.0.1, underlayMTU: 1420, mtu: 1370}
              interfaces: [{name: enp1s0, addresses: [203.0.113.9], addresses6: ["2001:db8::9"]}]
              problems: [{reason: ReversePathFilter, message: strict}]
            ---
            {apiVersion: v1, kind: Node, metadata: {name: edge-a, annotations: {kuport.wlz.li/underlay: 100.64.0.1}},
             status: {addresses: [{type: InternalIP, address: 192.0.2.1}], conditions: [{type: Ready, status: "True"}]}}
            ---
            {apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Service, metadata: {name: a, namespace: b}, spec: {ports: [{port: 80}]}}]}
            ---
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata: {name: g-1, namespace: games, labels: {kubernetes.io/service-name: gameserver}}
            addressType: IPv4
            ports: [{name: game, port: 3000, protocol: UDP}]
            endpoints: [{addresses: [10.244.1.5], targetRef: {kind: Pod, name: g-0}, nodeName: home1, conditions: {ready: true}}]
            """;

    private static final List<String> SCRAPS = List.of(
            "null",
            "[]",
            "{}",
            "true",
            "-1",
            "1e999",
            ".inf",
            ".nan",
            "0x7fffffffffffffff",
            "''",
            "\"\\u0000\"",
            "&l",
            "*l",
            "!!str",
            "- ",
            ": ",
            "? ",
            "---\n",
            "...\n",
            "\t",
            "\n",
            "#",
            "%",
            "|",
            ">",
            "{",
            "}",
            "[",
            "]",
            ",",
            "<<: ",
            "\uFEFF",
            "\u0085",
            "\u2028",
            "é",
            "9999999999999999999999999999999999999999999");

    @TempDir
    private Path folder;

    private final Intake intake = new Intake(null);

    private List<Problem> read(byte[] content) throws IOException {
        Files.write(folder.resolve("a.yaml"), content);
        Snapshot snapshot = ManifestSource.read(folder);
        intake.read(snapshot.resources(), false);
        return snapshot.problems();
    }

    private List<Problem> read(String content) throws IOException {
        return read(content.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void mutated_manifests() {
        assertTimeoutPreemptively(Duration.ofMinutes(2), () -> {
            Random random = new Random(20260101);
            int complaints = 0;
            for (int round = 0; round < 600; round++) {
                StringBuilder text = new StringBuilder(SEED);
                for (int change = random.nextInt(1, 5); change > 0 && !text.isEmpty(); change--) {
                    mutate(text, random);
                }
                complaints += read(text.toString()).isEmpty() ? 0 : 1;
            }
            assertThat(complaints).isGreaterThan(200);
        });
    }

    private static void mutate(StringBuilder text, Random random) {
        int at = random.nextInt(text.length());
        int end = Math.min(text.length(), at + random.nextInt(1, 12));
        switch (random.nextInt(5)) {
            case 0 -> text.delete(at, end);
            case 1 -> text.insert(at, SCRAPS.get(random.nextInt(SCRAPS.size())));
            case 2 -> text.replace(at, end, SCRAPS.get(random.nextInt(SCRAPS.size())));
            case 3 -> text.setCharAt(at, (char) random.nextInt(1, 256));
            default -> text.setLength(Math.max(1, at));
        }
    }

    /** Each value of each object becomes each other shape: the shapes that people's mistakes have. */
    @Test
    void values_of_other_shapes() {
        assertTimeoutPreemptively(Duration.ofMinutes(2), () -> {
            var places = java.util.regex.Pattern.compile(
                            "(?<=: )[\\w.:\"/-]+|(?<=: )\\[[^\\[\\]]*\\]|(?<=[\\[{,] ?)[\\w.-]+(?=[,\\]}])")
                    .matcher(SEED)
                    .results()
                    .toList();
            assertThat(places.size()).isGreaterThan(60);
            for (var place : places) {
                for (String shape :
                        List.of("null", "[]", "[null]", "{}", "{a: null}", "5", "-0.5", "yes", "true", "\"\"")) {
                    read(SEED.substring(0, place.start()) + shape + SEED.substring(place.end()));
                }
            }
        });
    }

    @Test
    void random_bytes() {
        assertTimeoutPreemptively(Duration.ofMinutes(1), () -> {
            Random random = new Random(20260102);
            for (int round = 0; round < 300; round++) {
                byte[] bytes = new byte[random.nextInt(1, 4000)];
                random.nextBytes(bytes);
                if (round % 2 == 0) {
                    for (int i = 0; i < bytes.length; i++) {
                        bytes[i] = (byte) "{}[]:,-?!&*#|>'\"%@` \nab1".charAt(Math.floorMod(bytes[i], 24));
                    }
                }
                read(bytes);
            }
        });
    }

    @Test
    void bytes_that_are_no_text_are_named() throws IOException {
        assertThat(read(new byte[] {'a', ':', ' ', (byte) 0xff, (byte) 0xfe}))
                .extracting(Problem::toString)
                .containsExactly("a.yaml: is not UTF-8 text");
    }

    @Test
    void aliases_of_aliases_are_counted_as_if_written_out() throws IOException {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 30; i++) {
            bomb.append("a").append(i).append(": &a").append(i).append(" [");
            bomb.append(("*a" + (i - 1) + ", ").repeat(10)).append("x]\n");
        }
        assertThat(read(bomb.toString()))
                .extracting(Problem::toString)
                .containsExactly(
                        "a.yaml: line 6, column 45: more than 1000000 values in one document, aliases written out");
    }

    @Test
    void an_alias_of_what_it_stands_in_is_no_alias_yet() throws IOException {
        assertThat(read("a: &a [*a]\n"))
                .extracting(Problem::toString)
                .containsExactly("a.yaml: line 1, column 8: *a has no &a before it");
    }

    @Test
    void depth_is_bounded() throws IOException {
        for (String opening : List.of("[", "{a: ", "- ", "? ")) {
            assertThat(read(opening.repeat(100_000)))
                    .extracting(Problem::message)
                    .singleElement()
                    .asString()
                    .containsAnyOf("nested deeper than 64 levels", "the name of a field must be a plain text");
        }
    }

    @Test
    void depth_through_aliases_is_bounded() throws IOException {
        StringBuilder deep = new StringBuilder("a0: &a0 [x]\n");
        for (int i = 1; i < 100; i++) {
            deep.append("a")
                    .append(i)
                    .append(": &a")
                    .append(i)
                    .append(" [*a")
                    .append(i - 1)
                    .append("]\n");
        }
        assertThat(read(deep.toString()))
                .extracting(Problem::message)
                .containsExactly("line 64, column 12: nested deeper than 64 levels, by aliases");
    }

    @Test
    void a_file_that_is_too_large_is_named() throws IOException {
        byte[] large = new byte[ManifestFolder.LARGEST_FILE + 1];
        java.util.Arrays.fill(large, (byte) '#');
        assertThat(read(large))
                .extracting(Problem::toString)
                .containsExactly("a.yaml: cannot be read: is larger than 16 MiB; split it");
    }

    @Test
    void ten_thousand_mappings_in_one_file_are_read() throws IOException {
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 10_000; i++) {
            many.append("---\n{apiVersion: kuport.wlz.li/v1alpha1, kind: PortMap, metadata: {name: p")
                    .append(i)
                    .append(", namespace: games}, spec: {className: public, protocol: TCP, port: ")
                    .append(i + 1)
                    .append(", serviceRef: {name: web, port: http}}}\n");
        }
        assertThat(read(many.toString())).isEmpty();
        assertThat(ManifestSource.read(folder).resources().portMaps()).hasSize(10_000);
    }
}
