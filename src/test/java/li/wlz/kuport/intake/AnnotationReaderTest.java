package li.wlz.kuport.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import li.wlz.kuport.intake.AnnotationReader.Annotation;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.PodAnnotations;
import li.wlz.kuport.model.PodEntry;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Sorted;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AnnotationReaderTest {
    private static final String MAIL =
            "{\"entries\":[{\"srcPort\":25,\"dstPort\":25},{\"ifaceAuto\":false,\"srcIP\":\"192.168.2.94\",\"srcPort\":587,\"dstPort\":587}]}";

    private static Annotation read(String text) {
        return AnnotationReader.read(text, PodAnnotations.DEFAULT_RESTRICTED_PORTS);
    }

    private static PodEntry tcp(int port, int podPort) {
        return new PodEntry(null, port, podPort, Protocol.TCP);
    }

    private static PodEntry udp(int port, int podPort) {
        return new PodEntry(null, port, podPort, Protocol.UDP);
    }

    private static PodEntry at(String address, int port, int podPort) {
        return new PodEntry(IpAddress.parse(address), port, podPort, Protocol.TCP);
    }

    private static String entry(String fields) {
        return "{\"entries\":[{" + fields + "}]}";
    }

    static Stream<Arguments> accepted() {
        List<PodEntry> web = List.of(tcp(80, 8080));
        return Stream.of(
                // The two examples of the format's documentation, word for word.
                arguments(MAIL, List.of(tcp(25, 25), at("192.168.2.94", 587, 587))),
                arguments(
                        "{\"entries\":[{\"srcPort\":8888,\"dstPort\":8888,\"proto\":\"udp\"}]}",
                        List.of(udp(8888, 8888))),
                arguments("{}", List.of()),
                arguments("null", List.of()),
                arguments(" null ", List.of()),
                arguments("{\"entries\":[]}", List.of()),
                arguments("{\"entries\":null}", List.of()),
                arguments("{\"other\":1}", List.of()),
                arguments(entry("\"srcPort\":80,\"dstPort\":8080"), web),
                arguments(entry("\"srcPort\":80,\"dstPort\":8080,\"proto\":\"tcp\""), web),
                arguments(entry("\"srcPort\":80,\"dstPort\":8080,\"proto\":null"), web),
                arguments(entry("\"srcPort\":80,\"dstPort\":8080,\"ifaceAuto\":true"), web),
                arguments(entry("\"srcPort\":80,\"dstPort\":8080,\"ifaceAuto\":null"), web),
                arguments(entry("\"srcPort\":80,\"dstPort\":8080,\"srcIP\":null"), web),
                arguments(entry("\"srcPort\":80,\"dstPort\":8080,\"ifaceAuto\":true,\"srcIP\":null"), web),
                // Key names without regard to case.
                arguments("{\"ENTRIES\":[{\"SRCPORT\":80,\"DstPort\":8080,\"PROTO\":\"tcp\"}]}", web),
                arguments(
                        entry("\"ifaceauto\":false,\"SRCip\":\"192.0.2.1\",\"srcport\":1,\"dstport\":65535"),
                        List.of(at("192.0.2.1", 1, 65535))),
                // A duplicate key's last value counts, whatever the case of its letters.
                arguments(entry("\"srcPort\":81,\"dstPort\":8080,\"srcPort\":80"), web),
                arguments(entry("\"srcPort\":\"x\",\"dstPort\":8080,\"SrcPort\":80"), web),
                arguments(entry("\"srcPort\":80,\"dstPort\":8080,\"proto\":\"sctp\",\"proto\":null"), web),
                arguments("{\"entries\":[{\"srcPort\":1}],\"entries\":[{\"srcPort\":80,\"dstPort\":8080}]}", web),
                arguments("{\"entries\":{},\"Entries\":[]}", List.of()),
                // Unknown keys, at either level, whatever they hold.
                arguments(
                        "{\"version\":2,\"entries\":[{\"srcPort\":80,\"dstPort\":8080,\"note\":{\"a\":[1,{}]}}]}", web),
                arguments("{\"x\":[[[[]]]],\"entries\":[{\"srcPort\":80,\"dstPort\":8080}]}", web),
                arguments(" { \"entries\" : [ { \"srcPort\" : 80 , \"dstPort\" : 8080 } ] } \n", web),
                arguments(entry("\"\\u0073rcPort\":80,\"dstPort\":8080"), web),
                arguments(entry("\"srcPort\":65535,\"dstPort\":1"), List.of(tcp(65535, 1))),
                arguments(
                        "{\"entries\":[{\"srcPort\":80,\"dstPort\":8080},{\"srcPort\":80,\"dstPort\":8080,\"proto\":\"udp\"}]}",
                        List.of(tcp(80, 8080), udp(80, 8080))),
                arguments(
                        "{\"entries\":[{\"srcPort\":80,\"dstPort\":8080},{\"srcPort\":80,\"dstPort\":8080}]}",
                        List.of(tcp(80, 8080), tcp(80, 8080))),
                arguments(
                        entry("\"ifaceAuto\":false,\"srcIP\":\"2001:db8::25\",\"srcPort\":25,\"dstPort\":25"),
                        List.of(at("2001:db8::25", 25, 25))),
                arguments(
                        entry("\"ifaceAuto\":false,\"srcIP\":\"0.0.0.0\",\"srcPort\":25,\"dstPort\":25"),
                        List.of(at("0.0.0.0", 25, 25))));
    }

    @ParameterizedTest
    @MethodSource("accepted")
    void what_is_right_is_read(String text, List<PodEntry> entries) {
        assertThat(read(text)).isEqualTo(new Annotation(entries, null));
    }

    static Stream<Arguments> refused() {
        String port = "; ports are 1 to 65535";
        return Stream.of(
                arguments("", "is empty; write {\"entries\":[...]}"),
                arguments("  ", "is empty"),
                arguments("[]", "is a list; write {\"entries\":[...]}"),
                arguments("[{\"srcPort\":80,\"dstPort\":80}]", "is a list"),
                arguments("\"x\"", "is a text"),
                arguments("25", "is a number"),
                arguments("true", "is true or false"),
                arguments("25:25,143:143", "is not JSON: "),
                arguments("x", "is not JSON: "),
                arguments("{\"entries\":[]} x", "is not JSON: "),
                arguments("{\"entries\":[]}{}", "has more text after its end"),
                arguments("{\"entries\":[],}", "is not JSON: "),
                arguments("{\"entries\":[{\"srcPort\":80,\"dstPort\":80},]}", "is not JSON: "),
                arguments("{\"entries\":[", "is not JSON: "),
                arguments("{'entries':[]}", "is not JSON: "),
                arguments("{entries:[]}", "is not JSON: "),
                arguments("// no\n{}", "is not JSON: "),
                arguments("\uFEFFx{}", "is not JSON: "),
                arguments("{\"entries\":{}}", "entries: is an object; write a list of objects"),
                arguments("{\"entries\":\"25\"}", "entries: is a text"),
                arguments("{\"entries\":25}", "entries: is a number"),
                arguments("{\"entries\":[null]}", "entries[0]: is null; write an object such as"),
                arguments("{\"entries\":[{\"srcPort\":80,\"dstPort\":80},25]}", "entries[1]: is a number"),
                arguments("{\"entries\":[[]]}", "entries[0]: is a list"),
                arguments("{\"entries\":[{}]}", "entries[0].srcPort: is missing" + port),
                arguments(entry("\"srcPort\":80"), "entries[0].dstPort: is missing" + port),
                arguments(entry("\"dstPort\":80"), "entries[0].srcPort: is missing"),
                arguments(entry("\"srcPort\":null,\"dstPort\":80"), "entries[0].srcPort: is missing"),
                arguments(entry("\"srcPort\":80,\"srcPort\":null,\"dstPort\":80"), "entries[0].srcPort: is missing"),
                arguments(entry("\"srcPort\":0,\"dstPort\":80"), "entries[0].srcPort: 0 is not a port" + port),
                arguments(entry("\"srcPort\":80,\"dstPort\":0"), "entries[0].dstPort: 0 is not a port"),
                arguments(entry("\"srcPort\":65536,\"dstPort\":80"), "entries[0].srcPort: 65536 is not a port"),
                arguments(entry("\"srcPort\":-1,\"dstPort\":80"), "entries[0].srcPort: -1 is not a port"),
                arguments(
                        entry("\"srcPort\":4294967321,\"dstPort\":80"), "entries[0].srcPort: 4294967321 is not a port"),
                arguments(
                        entry("\"srcPort\":99999999999999999999999,\"dstPort\":80"), "entries[0].srcPort: 9999999999"),
                arguments(entry("\"srcPort\":" + "9".repeat(5000) + ",\"dstPort\":80"), "is not JSON: "),
                arguments(entry("\"srcPort\":080,\"dstPort\":80"), "is not JSON: "),
                arguments(
                        entry("\"srcPort\":\"80\",\"dstPort\":80"),
                        "entries[0].srcPort: is a text; write a number without quotes"),
                arguments(entry("\"srcPort\":80.0,\"dstPort\":80"), "entries[0].srcPort: 80.0 is no whole number"),
                arguments(entry("\"srcPort\":8e1,\"dstPort\":80"), "entries[0].srcPort: 8e1 is no whole number"),
                arguments(entry("\"srcPort\":true,\"dstPort\":80"), "entries[0].srcPort: is true or false"),
                arguments(entry("\"srcPort\":[80],\"dstPort\":80"), "entries[0].srcPort: is a list"),
                arguments(entry("\"srcPort\":{},\"dstPort\":80"), "entries[0].srcPort: is an object"),
                arguments(entry("\"srcPort\":80,\"srcPort\":\"x\",\"dstPort\":80"), "entries[0].srcPort: is a text"),
                arguments(
                        entry("\"srcPort\":80,\"dstPort\":80,\"proto\":\"TCP\""),
                        "entries[0].proto: \"TCP\" is not known; write \"tcp\" or \"udp\", in small letters"),
                arguments(entry("\"srcPort\":80,\"dstPort\":80,\"proto\":\"Udp\""), "entries[0].proto: \"Udp\""),
                arguments(entry("\"srcPort\":80,\"dstPort\":80,\"proto\":\"\""), "entries[0].proto: \"\""),
                arguments(entry("\"srcPort\":80,\"dstPort\":80,\"proto\":\"sctp\""), "entries[0].proto: \"sctp\""),
                arguments(entry("\"srcPort\":80,\"dstPort\":80,\"proto\":6"), "entries[0].proto: is a number"),
                arguments(
                        entry("\"srcPort\":80,\"dstPort\":80,\"ifaceAuto\":\"false\""),
                        "entries[0].ifaceAuto: is a text; write true or false, without quotes"),
                arguments(entry("\"srcPort\":80,\"dstPort\":80,\"ifaceAuto\":0"), "entries[0].ifaceAuto: is a number"),
                arguments(
                        entry("\"srcPort\":80,\"dstPort\":80,\"ifaceAuto\":false"),
                        "entries[0].srcIP: is missing; with ifaceAuto false it names"),
                arguments(
                        entry("\"srcPort\":80,\"dstPort\":80,\"ifaceAuto\":false,\"srcIP\":null"),
                        "entries[0].srcIP: is missing"),
                arguments(
                        entry("\"srcPort\":80,\"dstPort\":80,\"srcIP\":\"192.0.2.1\""),
                        "entries[0].ifaceAuto: must be false where srcIP is given; left out it means true"),
                arguments(
                        entry("\"srcPort\":80,\"dstPort\":80,\"srcIP\":\"192.0.2.1\",\"ifaceAuto\":true"),
                        "entries[0].ifaceAuto: must be false"),
                arguments(at("\"mail.example.org\""), "entries[0].srcIP: \"mail.example.org\" is no address"),
                arguments(at("\"\""), "entries[0].srcIP: \"\" is no address"),
                arguments(at("\"01.2.3.4\""), "entries[0].srcIP: \"01.2.3.4\" is no address"),
                arguments(at("\"1.2.3\""), "entries[0].srcIP: \"1.2.3\" is no address"),
                arguments(at("\" 1.2.3.4\""), "entries[0].srcIP: \" 1.2.3.4\" is no address"),
                arguments(at("\"1.2.3.4/32\""), "entries[0].srcIP: \"1.2.3.4/32\" is no address"),
                arguments(at("\"fe80::1%eth0\""), "entries[0].srcIP: \"fe80::1%eth0\" is no address"),
                arguments(at("3221225985"), "entries[0].srcIP: is a number"),
                arguments(at("\"a\\nb\\u0000\""), "entries[0].srcIP: \"a?b?\" is no address"),
                arguments(at("\"" + "x".repeat(10_000) + "\""), "entries[0].srcIP: \"xxxxxxxxxx"),
                arguments(entry("\"srcPort\":22,\"dstPort\":2222"), "entries[0].srcPort: 22 is restricted"),
                arguments(entry("\"srcPort\":2222,\"dstPort\":22"), "entries[0].dstPort: 22 is restricted"),
                arguments(
                        entry("\"srcPort\":53,\"dstPort\":5353,\"proto\":\"udp\""),
                        "entries[0].srcPort: 53 is restricted"),
                arguments(entry("\"srcPort\":6443,\"dstPort\":1"), "entries[0].srcPort: 6443 is restricted"),
                arguments(
                        "{\"entries\":[{\"srcPort\":80,\"dstPort\":80},{\"srcPort\":22,\"dstPort\":22}]}",
                        "entries[1].srcPort: 22 is restricted (as are 22, 53, 6443); choose another"),
                arguments("{\"a\":" + "[".repeat(100) + "]".repeat(100) + "}", "is not JSON: "),
                arguments("[".repeat(100_000), "is"),
                arguments("{\"a\":\"" + "x".repeat(300_000) + "\"}", "has 300008 characters; at most 262144 are read"));
    }

    private static String at(String address) {
        return entry("\"ifaceAuto\":false,\"srcIP\":" + address + ",\"srcPort\":80,\"dstPort\":80");
    }

    @ParameterizedTest
    @MethodSource("refused")
    void what_is_wrong_refuses_the_whole_and_names_entry_and_key_and_what_is_right(String text, String message) {
        Annotation read = read(text);
        assertThat(read.entries()).isEmpty();
        assertThat(read.mistake()).startsWith(message).hasSizeLessThan(500).doesNotContain("\n");
    }

    @Test
    void restricted_ports_are_those_of_the_flag() {
        String ssh = entry("\"srcPort\":22,\"dstPort\":22");
        assertThat(AnnotationReader.read(ssh, Sorted.set()).entries()).containsExactly(tcp(22, 22));
        assertThat(AnnotationReader.read(ssh, Sorted.copyOf(List.of(80))).entries())
                .containsExactly(tcp(22, 22));
        assertThat(AnnotationReader.read(entry("\"srcPort\":80,\"dstPort\":1"), Sorted.copyOf(List.of(80)))
                        .mistake())
                .startsWith("entries[0].srcPort: 80 is restricted");
    }

    /** As many entries as fit: what costs most to read. */
    @Test
    void a_huge_annotation_is_read_in_bounded_time() {
        String one = "{\"srcPort\":80,\"dstPort\":80},";
        String huge = "{\"entries\":[" + one.repeat(9_000) + "{\"srcPort\":81,\"dstPort\":81}]}";
        Annotation read = Assertions.assertTimeoutPreemptively(Duration.ofSeconds(30), () -> read(huge));
        assertThat(read.entries()).hasSize(9_001);
    }

    @Test
    void random_and_mutated_texts_are_read_or_refused_and_never_more() {
        Random random = new Random(20_260_101);
        List<String> seeds = List.of(
                MAIL,
                entry("\"srcPort\":80,\"dstPort\":8080,\"note\":{\"a\":[1,2.5e3,\"\\u00e9\"]}"),
                "{\"entries\":[{\"ifaceAuto\":false,\"srcIP\":\"2001:db8::1\",\"srcPort\":1,\"dstPort\":2,\"proto\":\"udp\"}]}");
        for (int round = 0; round < 60_000; round++) {
            String text = round % 4 == 0 ? noise(random) : mutated(seeds.get(random.nextInt(seeds.size())), random);
            Annotation read = read(text);
            @Nullable String mistake = read.mistake();
            if (mistake == null) {
                assertThat(read.entries()).allSatisfy(e -> assertThat(e.port()).isBetween(1, 65535));
            } else {
                assertThat(read.entries()).isEmpty();
                assertThat(mistake).isNotBlank();
            }
        }
    }

    private static String noise(Random random) {
        byte[] bytes = new byte[random.nextInt(64)];
        random.nextBytes(bytes);
        return new String(bytes, random.nextBoolean() ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1);
    }

    private static String mutated(String seed, Random random) {
        String pieces = "{}[],:\"\\0123456789.eE+-tfnulrsaop \u0000\uD800\u00e9";
        StringBuilder text = new StringBuilder(seed);
        for (int change = random.nextInt(4); change >= 0 && !text.isEmpty(); change--) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(5)) {
                case 0 -> text.deleteCharAt(at);
                case 1 -> text.insert(at, pieces.charAt(random.nextInt(pieces.length())));
                case 2 -> text.setCharAt(at, pieces.charAt(random.nextInt(pieces.length())));
                case 3 -> text.insert(at, text.substring(at, Math.min(text.length(), at + random.nextInt(20))));
                default -> text.setLength(at);
            }
        }
        return text.toString();
    }
}
