package li.wlz.kuport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.ProgrammedReason;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** docs/troubleshooting.md explains each reason that the code can give, and no other. */
class TroubleshootingTest {
    private static final Path DOCUMENT = Path.of("docs/troubleshooting.md");

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
