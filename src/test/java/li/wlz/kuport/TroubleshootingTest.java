package li.wlz.kuport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.PodReason;
import li.wlz.kuport.model.ProgrammedReason;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each reason that the code can give is explained in docs/troubleshooting.md and listed in docs/api.md or docs/annotations.md, and no other. */
class TroubleshootingTest {
    private static final Path DOCUMENT = Path.of("docs/troubleshooting.md");
    private static final Path API = Path.of("docs/api.md");
    private static final Path ANNOTATIONS = Path.of("docs/annotations.md");

    static Stream<Arguments> sections() {
        return Stream.of(
                Arguments.of("The condition Accepted of a PortMap", names(AcceptedReason.values())),
                Arguments.of("The condition Programmed of a PortMap", names(ProgrammedReason.values())),
                Arguments.of("Problems of a node", names(NodeReason.values())));
    }

    private static List<String> names(Enum<?>[] reasons) {
        return Stream.of(reasons).map(Enum::name).toList();
    }

    @ParameterizedTest
    @MethodSource("sections")
    void each_reason_has_its_heading_and_each_heading_its_reason(String section, List<String> reasons)
            throws IOException {
        assertThat(headings(section)).containsExactlyInAnyOrderElementsOf(reasons);
    }

    static Stream<Arguments> tables() {
        return Stream.of(
                Arguments.of(API, "### Accepted", names(AcceptedReason.values())),
                // What is True has no row: there is nothing to mend.
                Arguments.of(
                        API,
                        "### Programmed",
                        names(ProgrammedReason.values()).stream()
                                .filter(reason -> !reason.equals(ProgrammedReason.AllNodesReady.name()))
                                .toList()),
                Arguments.of(API, "## PortMapNode", names(NodeReason.values())),
                Arguments.of(ANNOTATIONS, "## What comes of it", names(PodReason.values())));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void each_reason_has_its_row_and_each_row_its_reason(Path document, String heading, List<String> reasons)
            throws IOException {
        assertThat(rows(document, heading)).containsExactlyInAnyOrderElementsOf(reasons);
    }

    /** The first cells of the table of reasons below a heading. */
    private static List<String> rows(Path document, String heading) throws IOException {
        return Files.readAllLines(document).stream()
                .dropWhile(line -> !line.equals(heading))
                .dropWhile(line -> !line.startsWith("| reason |"))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> line.replaceFirst("\\| `(\\w+)` \\|.*", "$1"))
                .toList();
    }

    /** The headings of the third level below one of the second. */
    private static List<String> headings(String section) throws IOException {
        return Files.readAllLines(DOCUMENT).stream()
                .dropWhile(line -> !line.equals("## " + section))
                .skip(1)
                .takeWhile(line -> !line.startsWith("## "))
                .filter(line -> line.startsWith("### "))
                .map(line -> line.substring("### ".length()))
                .toList();
    }
}
