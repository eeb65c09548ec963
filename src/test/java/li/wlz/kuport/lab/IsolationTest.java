package li.wlz.kuport.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How {@code isolate.sh} decides, with stand-ins for the programs that it asks; {@code LayoutNetnsIT} runs it for real. */
class IsolationTest {
    @TempDir
    Path programs;

    private record Result(int status, String output) {}

    private void program(String name, String script) throws IOException {
        Path file = Files.writeString(programs.resolve(name), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void programs() throws IOException {
        for (String name : List.of("unshare", "setpriv", "nsenter", "mount", "ip", "nft", "wg", "wireguard-go")) {
            program(name, "exit 0");
        }
        program("setpriv", "echo setpriv \"$@\"");
        program("id", "echo 1000");
    }

    private Result isolate(String... command) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(Isolation.command(List.of(command)));
        line.set(0, "/bin/sh");
        ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
        builder.environment().put("PATH", programs.toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output);
    }

    @Test
    void root_runs_the_command_in_namespaces_of_its_own() throws Exception {
        programs();
        program("id", "echo 0");

        Result result = isolate("java", "-version");

        assertThat(result.output())
                .startsWith(
                        "setpriv --pdeathsig KILL unshare --mount --net --pid --fork --kill-child --mount-proc sh -c")
                .endsWith("isolate java -version\n");
        assertThat(result.status()).isZero();
    }

    @Test
    void who_may_make_no_namespaces_uses_sudo() throws Exception {
        programs();
        program("unshare", "exit 1");
        program("sudo", "[ \"$2\" = true ] || echo sudo \"$@\"");

        assertThat(isolate("java").output()).startsWith("sudo -n setpriv --pdeathsig KILL unshare --mount");
    }

    @Test
    void who_may_neither_is_told_what_is_missing() throws Exception {
        programs();
        program("unshare", "exit 1");
        program("sudo", "exit 1");

        Result result = isolate();

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output())
                .startsWith("the lab cannot run here: you are not root, sudo asks for a password, and ")
                .contains("Run it as root, or ");
    }

    @Test
    void a_root_without_the_capability_is_told_so() throws Exception {
        programs();
        program("id", "echo 0");
        program("unshare", "exit 1");

        assertThat(isolate().output()).contains("CAP_SYS_ADMIN", "--privileged");
    }

    @Test
    void missing_programs_are_named_with_the_command_that_installs_them() throws Exception {
        programs();
        Files.delete(programs.resolve("wireguard-go"));
        Files.delete(programs.resolve("wg"));

        assertThat(isolate().output())
                .isEqualTo(
                        "the lab cannot run here: these programs are missing: wg wireguard-go." + " Run: make setup\n");
    }
}
