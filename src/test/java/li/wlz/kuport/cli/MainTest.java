package li.wlz.kuport.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import li.wlz.kuport.inspect.AssumedFacts;
import li.wlz.kuport.inspect.Notation;
import li.wlz.kuport.intake.Intake;
import li.wlz.kuport.manifest.ManifestSource;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The front door: what is printed, and with which exit status. */
class MainTest {
    private static final String GOOD = "src/test/resources/stories/game-server/manifests";
    private static final String BAD = "src/test/resources/stories/refusals/manifests";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        return line.execute(arguments);
    }

    @ParameterizedTest
    @ValueSource(strings = {"agent", "podnat", "status", "check", "plan", "facts", "cleanup", "demo", "version"})
    void every_command_explains_itself(String command) {
        assertThat(run(command, "--help")).isZero();
        assertThat(out.toString()).contains("Usage: kuport " + command, "--help");
    }

    @Test
    void a_mistake_is_told_in_a_line_and_the_help_is_named_not_printed() {
        assertThat(run()).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).isEqualTo("Missing required subcommand\nSee 'kuport --help'.\n");
        err.getBuffer().setLength(0);
        assertThat(run("agent", "--manifests", GOOD, "--statusdir", "x")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString().lines())
                .startsWith("Unknown options: '--statusdir', 'x'")
                .endsWith("See 'kuport agent --help'.")
                .hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void help_begins_with_no_old_name() {
        assertThat(run("agent", "--help")).isZero();
        assertThat(run("plan", "--help")).isZero();
        assertThat(out.toString())
                .contains("\nUsage: kuport agent [OPTIONS]\n", "\nUsage: kuport plan -f=DIR [OPTIONS]\n");
    }

    @Test
    void a_check_needs_no_name_of_the_node() {
        // Here it may find what is missing, or may not look; it does not ask which node this is.
        assertThat(run("check")).isNotEqualTo(CommandLine.ExitCode.USAGE);
    }

    @Test
    void a_kubeconfig_that_is_not_there_is_named() {
        assertThat(run("status", "--kubeconfig", "/no/such/file")).isEqualTo(ExitCode.FAILED);
        assertThat(run("agent", "--node-name", "edge", "--kubeconfig", "/no/such/file"))
                .isEqualTo(ExitCode.FAILED);
        assertThat(err.toString().lines())
                .containsExactly(
                        "kuport status: cannot read --kubeconfig /no/such/file",
                        "kuport agent: cannot read --kubeconfig /no/such/file");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "plan -f DIR                                       | --node-name",
                "plan --node-name edge                             | --manifests",
                "plan -f DIR --node-name edge --link-port x        | --link-port",
                "plan -f DIR --node-name edge --link-port 0        | 1 to 65535",
                "plan -f DIR --node-name edge --vni 16777216       | 1 to 16777215",
                "plan -f DIR --node-name edge --mark-mask 0xff00   | low byte",
                "plan -f DIR --node-name edge --mark-base nope     | 32 bits",
                "plan -f DIR --node-name edge --link-range 10.0.0.1/8 | bits behind the prefix",
                "plan -f DIR --node-name edge -o xml               | json, yaml",
                "plan -f DIR --node-name edge --node-ports 5-4     | 5-4",
                "agent --node-name edge                            | --manifests",
                "agent --node-name edge --manifests DIR --verify-every soon | 90s",
                "agent --node-name edge --manifests DIR --verify-every 999999999h | longer than a year",
                "agent --node-name edge --manifests DIR --http-port 99999 | 99999\" is neither a port, 1 to 65535, nor 0",
                "agent --node-name edge --manifests DIR --http-port -1 | is neither a port",
                "podnat --node-name edge --manifests DIR --http-port=-1 | is neither a port",
                "podnat --node-name edge --manifests DIR -informerresync 999999999h | longer than a year",
                "plan -f DIR --node-name edge --annotation-class public | --annotation-class: no effect without --pod-annotations",
                "agent --node-name edge --manifests DIR --firewall-flavor iptables -restrictedports 1 | --firewall-flavor, --restricted-ports: no effect",
                "agent --node-name edge --status-dir DIR            | --status-dir: no effect without --manifests",
                "agent --node-name edge --manifests DIR --kubeconfig DIR | --kubeconfig and --manifests",
                "agent --node-name edge --manifests DIR --http-port 0 --http-address 192.0.2.1 | --http-address: no effect",
                "plam                                              | plam"
            })
    void a_wrong_command_line_is_refused_with_what_is_right(String line, String named) {
        assertThat(run(line.replace("DIR", GOOD).split(" "))).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains(named);
    }

    @Command(name = "broken")
    private static final class Broken implements Runnable {
        @Override
        public void run() {
            throw new IllegalStateException("two and two are five");
        }
    }

    @Test
    void a_bug_ends_with_a_status_of_its_own_and_a_stack_trace() {
        CommandLine line = Main.commandLine().addSubcommand(new Broken());
        line.setExecutionExceptionHandler(line.getExecutionExceptionHandler());
        line.setErr(new PrintWriter(err));
        assertThat(line.execute("broken")).isEqualTo(ExitCode.CRASHED);
        assertThat(err.toString())
                .startsWith("kuport broken: a bug ended it")
                .contains("two and two are five", "at " + Broken.class.getName() + ".run");
    }

    @Test
    void plan_prints_what_would_be_programmed() {
        assertThat(run("plan", "-f", GOOD, "--node-name", "edge")).isZero();
        assertThat(out.toString()).contains("games/gameserver", "table inet kuport", "ip link add kup0");
    }

    @Test
    void plan_names_each_mistake_and_still_plans_the_rest() {
        assertThat(run("plan", "-f", BAD, "--node-name", "edge")).isEqualTo(ExitCode.FAILED);
        assertThat(out.toString())
                .contains("broken.yaml: line 2")
                .contains("sctp.yaml: PortMap games/sctp: spec.protocol: SCTP")
                .contains("ClassNotFound")
                .contains("203.0.113.9 . tcp . 8083");
    }

    @Test
    void plan_of_a_folder_that_is_not_there_is_an_error_and_no_plan() {
        assertThat(run("plan", "-f", "/no/such/folder", "--node-name", "edge")).isEqualTo(ExitCode.FAILED);
        assertThat(err.toString()).isEqualTo("kuport plan: --manifests /no/such/folder: does not exist\n");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void plan_can_be_read_by_a_machine() {
        assertThat(run("plan", "-f", GOOD, "--node-name", "edge", "-o", "json")).isZero();
        JsonNode plan = JsonMapper.shared().readTree(out.toString());
        assertThat(plan.get("portMaps")
                        .get("games/gameserver")
                        .get("endpoint")
                        .get("node")
                        .asString())
                .isEqualTo("home1");
        assertThat(plan.get("ruleset").asString()).contains("table inet kuport");
        assertThat(plan.get("refused").isEmpty()).isTrue();
    }

    @Test
    void plan_takes_the_facts_that_facts_prints(@TempDir Path folder) throws Exception {
        var facts = AssumedFacts.of(
                new Intake(null)
                        .read(ManifestSource.read(Path.of(GOOD)).resources(), false)
                        .world(),
                "edge");
        Path file = Files.writeString(
                folder.resolve("facts.yaml"),
                new Notation().write(Notation.Format.yaml, facts).replace("203.0.113.9", "203.0.113.77"));
        assertThat(run("plan", "-f", GOOD, "--node-name", "edge", "--facts", file.toString()))
                .isZero();
        assertThat(out.toString()).contains("203.0.113.77 . udp . 3000").doesNotContain("assumed");
    }

    @Test
    void plan_says_what_is_wrong_with_facts_that_it_cannot_read(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("facts.yaml"), "interfaces: nonsense\n");
        assertThat(run("plan", "-f", GOOD, "--node-name", "edge", "--facts", file.toString()))
                .isEqualTo(ExitCode.FAILED);
        assertThat(err.toString())
                .contains("facts.yaml does not hold a node's facts")
                .contains("line 1");
        assertThat(run("plan", "-f", GOOD, "--node-name", "edge", "--facts", "/no/such/file"))
                .isEqualTo(ExitCode.FAILED);
        assertThat(err.toString()).contains("cannot read /no/such/file");
    }

    @Test
    void statuses_are_not_written_where_manifests_are_read() {
        assertThat(run("agent", "--node-name", "edge", "--manifests", GOOD, "--status-dir", GOOD + "/status"))
                .isEqualTo(ExitCode.FAILED);
        assertThat(err.toString()).contains("--status-dir must not lie inside --manifests");
    }

    @Test
    void version_can_be_read_by_a_person_and_by_a_machine() {
        assertThat(run("version")).isZero();
        assertThat(out.toString()).startsWith("kuport ");
        out.getBuffer().setLength(0);
        assertThat(run("version", "-o", "json")).isZero();
        assertThat(JsonMapper.shared().readTree(out.toString()).get("java").asString())
                .isEqualTo(Runtime.version().toString());
    }

    @Test
    void options_without_values_are_the_defaults_of_the_settings() {
        SettingsOptions options = new SettingsOptions();
        CommandLine line = new CommandLine(options);
        Texts.register(line);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.parseArgs("--node-name", "edge");
        assertThat(options.settings()).isEqualTo(Settings.defaults("edge"));
        assertThat(options.settings().marks()).isEqualTo(MarkSpace.DEFAULT);
    }

    @Test
    void durations_are_written_as_people_write_them() {
        assertThat(List.of("90", "90s", "5m", "1h30m", "200ms", "0"))
                .map(Texts::duration)
                .containsExactly(
                        Duration.ofSeconds(90),
                        Duration.ofSeconds(90),
                        Duration.ofMinutes(5),
                        Duration.ofMinutes(90),
                        Duration.ofMillis(200),
                        Duration.ZERO);
        for (String wrong : List.of("", "soon", "-1", "1d", "1m2h", "8761h", "999999999h", "999999999")) {
            assertThatThrownBy(() -> Texts.duration(wrong)).as(wrong).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
