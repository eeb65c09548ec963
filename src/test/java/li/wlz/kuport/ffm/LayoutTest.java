package li.wlz.kuport.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Layouts says about C, against what the C compiler makes of the headers. */
class LayoutTest {
    private static final String HEADERS = """
            #define _GNU_SOURCE
            #include <errno.h>
            #include <fcntl.h>
            #include <poll.h>
            #include <sched.h>
            #include <stddef.h>
            #include <stdio.h>
            #include <sys/eventfd.h>
            #include <netinet/in.h>
            #include <sys/socket.h>
            #include <linux/netfilter_ipv4/ip_tables.h>
            #include <linux/netfilter_ipv6/ip6_tables.h>
            #include <linux/netlink.h>
            """;

    @TempDir
    Path folder;

    @Test
    void structures_have_the_sizes_and_offsets_of_the_headers() throws Exception {
        Map<String, Long> ours = new TreeMap<>();
        describe(ours, "struct sockaddr_nl", Layouts.SOCKADDR_NL);
        describe(ours, "struct pollfd", Layouts.POLLFD);
        for (String family : List.of("ipt", "ip6t")) {
            describe(ours, "struct " + family + "_getinfo", Layouts.IPT_GETINFO);
            describe(ours, "struct " + family + "_get_entries", Layouts.IPT_GET_ENTRIES);
        }
        assertThat(compiled(ours)).isEqualTo(ours);
    }

    @Test
    void constants_have_the_values_of_the_headers() throws Exception {
        Map<String, Long> ours = new TreeMap<>();
        constants(ours, Layouts.class, field -> field.getName().matches("(?!NL_|POLL_)[A-Z0-9_]+"));
        assertThat(ours).hasSizeGreaterThan(15);
        assertThat(compiled(ours)).isEqualTo(ours);
    }

    @Test
    void error_numbers_have_the_values_of_the_headers() throws Exception {
        Map<String, Long> ours = new TreeMap<>();
        constants(ours, Errno.class, field -> field.getName().matches("E[A-Z0-9]+"));
        assertThat(ours).hasSizeGreaterThan(10);
        assertThat(compiled(ours)).isEqualTo(ours);
    }

    @Test
    void pointers_and_sizes_have_eight_bytes() throws Exception {
        Map<String, Long> ours = new TreeMap<>();
        ours.put("sizeof(void *)", ValueLayout.ADDRESS.byteSize());
        ours.put("sizeof(size_t)", ValueLayout.JAVA_LONG.byteSize());
        ours.put("sizeof(nfds_t)", ValueLayout.JAVA_LONG.byteSize());
        ours.put("sizeof(socklen_t)", ValueLayout.JAVA_INT.byteSize());
        ours.put("sizeof(eventfd_t)", ValueLayout.JAVA_LONG.byteSize());
        assertThat(compiled(ours)).isEqualTo(ours);
    }

    private static void describe(Map<String, Long> into, String struct, StructLayout layout) {
        into.put("sizeof(" + struct + ")", layout.byteSize());
        for (var member : layout.memberLayouts()) {
            member.name()
                    .ifPresent(field -> into.put(
                            "offsetof(" + struct + ", " + field + ")",
                            layout.byteOffset(PathElement.groupElement(field))));
        }
    }

    private static void constants(Map<String, Long> into, Class<?> type, Predicate<Field> which)
            throws IllegalAccessException {
        for (Field field : type.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers())
                    && List.<Class<?>>of(int.class, short.class).contains(field.getType())
                    && which.test(field)) {
                into.put(field.getName(), ((Number) field.get(null)).longValue());
            }
        }
    }

    /** The value that C gives to each of the expressions. */
    private Map<String, Long> compiled(Map<String, Long> expressions) throws Exception {
        String prints = expressions.keySet().stream()
                .map(e -> "printf(\"%s\\t%lld\\n\", \"" + e + "\", (long long) (" + e + "));")
                .collect(Collectors.joining("\n"));
        Path source = Files.writeString(
                folder.resolve("layout.c"), HEADERS + "int main(void) {\n" + prints + "\nreturn 0;\n}\n");
        Path program = folder.resolve("layout");
        output("gcc", "-o", program.toString(), source.toString());
        Map<String, Long> values = new TreeMap<>();
        output(program.toString()).lines().forEach(line -> {
            List<String> parts = Arrays.asList(line.split("\t", 2));
            values.put(parts.get(0), Long.valueOf(parts.get(1)));
        });
        return values;
    }

    private static String output(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
