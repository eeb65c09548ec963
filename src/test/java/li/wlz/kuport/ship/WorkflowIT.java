package li.wlz.kuport.ship;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be run here is at least read by the programs that know its language. */
class WorkflowIT {
    @Test
    void actionlint_finds_nothing_in_the_workflows() {
        String actionlint = Shell.run("scripts/go-tool", "actionlint").strip();
        assertThat(Shell.run(actionlint, "-no-color", ".github/workflows/ci.yaml", ".github/workflows/release.yaml"))
                .isEmpty();
    }

    @Test
    void shellcheck_finds_nothing_in_the_scripts() throws IOException {
        List<String> command = new ArrayList<>(List.of("shellcheck", ".ci/run"));
        try (Stream<Path> scripts = Files.walk(Path.of("scripts"))) {
            scripts.filter(Files::isRegularFile).map(Path::toString).sorted().forEach(command::add);
        }
        assertThat(command).contains("scripts/image");
        assertThat(Shell.run(command.toArray(String[]::new))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"debian", "packages"})
    void the_dockerfile_takes_what_the_images_script_takes(String variable) throws IOException {
        String value = Files.readString(Path.of("scripts/image"))
                .lines()
                .filter(line -> line.startsWith(variable + "="))
                .findFirst()
                .orElseThrow()
                .substring(variable.length() + 1);
        assertThat(Files.readString(Path.of("Dockerfile"))).contains(value.replace(',', ' '));
    }
}
