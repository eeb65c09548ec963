package li.wlz.kuport.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.PodAnnotations;
import li.wlz.kuport.model.PodAnnotations.Firewall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The command line of the older pod NAT controller, as Go's flag package reads it. */
class PodnatCommandTest {
    private static PodnatCommand parse(String line) {
        List<String> words = line.isEmpty() ? List.of() : List.of(line.split(" +"));
        String[] arguments = new String[words.size() + 1];
        arguments[0] = "podnat";
        for (int i = 0; i < words.size(); i++) {
            arguments[i + 1] = words.get(i).replace("''", "");
        }
        return (PodnatCommand) Main.commandLine()
                .parseArgs(arguments)
                .subcommand()
                .commandSpec()
                .userObject();
    }

    @Test
    void the_old_command_line_is_read_word_for_word() {
        PodnatCommand command =
                parse("-stateuri http://localhost:8080 -internalnetwork 192.168.0.0/16 -logtostderr -dryrun");
        assertThat(command.stateUri).isEqualTo("http://localhost:8080");
        assertThat(command.annotations.rules(true).internalNetworks()).containsExactly(Cidr.parse("192.168.0.0/16"));
        assertThat(command.logToStderr).isTrue();
        assertThat(command.serving.dryRun).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "-dryrun, true",
        "--dryrun, true",
        "-dry-run, true",
        "--dry-run, true",
        "-dryrun=true, true",
        "--dryrun=true, true",
        "-dryrun=t, true",
        "-dryrun=T, true",
        "-dryrun=1, true",
        "-dryrun=TRUE, true",
        "-dryrun=True, true",
        "-dryrun=false, false",
        "--dry-run=false, false",
        "-dryrun=f, false",
        "-dryrun=F, false",
        "-dryrun=0, false",
        "-dryrun=FALSE, false",
        "-dryrun=False, false",
        "-dryrun -dryrun=false, false",
        "-dryrun=false --dry-run, true",
        "'', false"
    })
    void a_switch_is_read_in_every_form(String line, boolean value) {
        assertThat(parse(line).serving.dryRun).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-httpport 9000",
                "-httpport=9000",
                "--httpport 9000",
                "--httpport=9000",
                "-http-port=9000",
                "--http-port 9000",
                "-httpport 1 -httpport 9000",
                "-logtostderr -httpport 9000 -dryrun"
            })
    void a_value_is_read_in_every_form(String line) {
        assertThat(parse(line).serving.httpPort).isEqualTo(9000);
    }

    @ParameterizedTest
    @CsvSource({
        "'', 180",
        "-informerresync 0, 0",
        "-informerresync=60, 60",
        "--resync 3m, 180",
        "--resync=1h30m, 5400",
        "-informerresync 600, 600"
    })
    void the_resync_is_seconds_or_a_duration(String line, long seconds) {
        assertThat(parse(line).resync).isEqualTo(Duration.ofSeconds(seconds));
    }

    @Test
    void defaults_are_those_of_the_table() {
        PodnatCommand command = parse("");
        assertThat(command.annotations.rules(true))
                .isEqualTo(new PodAnnotations(
                        "bln.space/podnat",
                        PodAnnotations.DEFAULT_RESTRICTED_PORTS,
                        List.of(),
                        null,
                        Firewall.nftables,
                        true));
        assertThat(command.serving.httpPort).isEqualTo(8484);
        assertThat(command.serving.httpAddresses).isEmpty();
    }

    @Test
    void every_flag_of_the_table_does_what_it_says() {
        PodnatCommand command =
                parse("-annotationkey example.org/nat -restrictedports 22,80 -internalnetwork 10.0.0.0/8"
                        + " --internal-network fd00::/8 -firewallflavor iptables --annotation-class pods -stateflavor configmap"
                        + " --http-address 192.0.2.1 --node-name n1 --manifests dir");
        assertThat(command.annotations.rules(true))
                .isEqualTo(new PodAnnotations(
                        "example.org/nat",
                        li.wlz.kuport.model.Sorted.copyOf(List.of(22, 80)),
                        List.of(Cidr.parse("10.0.0.0/8"), Cidr.parse("fd00::/8")),
                        "pods",
                        Firewall.iptables,
                        true));
        assertThat(command.serving.httpAddresses).containsExactly(IpAddress.parse("192.0.2.1"));
        assertThat(command.nodeName).isEqualTo("n1");
        assertThat(command.serving.manifests).isEqualTo(Path.of("dir"));
        assertThat(parse("-restrictedportsenable").annotations.rules(true).restrictedPorts())
                .isEmpty();
        assertThat(parse("-restrictedports ''").annotations.rules(true).restrictedPorts())
                .isEmpty();
        assertThat(parse("-restrictedports=").annotations.rules(true).restrictedPorts())
                .isEmpty();
        assertThat(parse("-internalnetwork ''").annotations.rules(true).internalNetworks())
                .isEmpty();
        assertThat(parse("-restrictedports 22,53").annotations.rules(true).restrictedPorts())
                .containsExactly(22, 53);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-nosuchflag            | -nosuchflag",
                "-DryRun                | -DryRun",
                "-v=4                   | -v=4",
                "-dryrun=yes            | neither true nor false",
                "-dryrun false          | false",
                "-httpport              | --http-port",
                "-httpport x            | x",
                "-restrictedports 22,x  | neither a port",
                "-restrictedports 22,65558 | 65558",
                "-restrictedports 1-9   | is a range",
                "-internalnetwork 192.168.0.1/16 | bits behind the prefix",
                "-firewallflavor ipfw   | ipfw",
                "-informerresync soon   | soon",
                "--mark-mask 0xff00     | low byte",
                "--http-port 0 --http-address 192.0.2.1 | --http-port 0",
                "--kubeconfig config    | --manifests",
                "more                   | more"
            })
    void what_is_wrong_is_an_error_that_names_the_help(String line, String named) {
        StringWriter err = new StringWriter();
        CommandLine command = Main.commandLine().setErr(new PrintWriter(err));
        String[] words = ("podnat --node-name edge --manifests nowhere " + line).split(" +");
        assertThat(command.execute(words)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains(named).endsWith("See 'kuport podnat --help'.\n");
    }

    @Test
    void marks_can_be_others_where_those_of_another_program_clash() {
        assertThat(parse("--node-name edge --mark-base 0x00500000 --mark-mask 0x00f000ff")
                        .settings()
                        .marks())
                .isEqualTo(new MarkSpace(0x00500000, 0x00f000ff));
        assertThat(parse("--node-name edge").settings().marks()).isEqualTo(MarkSpace.DEFAULT);
    }

    @Test
    void the_help_shows_old_and_new_names() {
        StringWriter out = new StringWriter();
        assertThat(Main.commandLine().setOut(new PrintWriter(out)).execute("podnat", "--help"))
                .isZero();
        assertThat(out.toString())
                .contains(
                        "-annotationkey",
                        "--annotation-key",
                        "-dryrun",
                        "--dry-run",
                        "-informerresync",
                        "--resync",
                        "-restrictedportsenable",
                        "--allow-restricted-ports",
                        "-restrictedports",
                        "--restricted-ports",
                        "-internalnetwork",
                        "--internal-network",
                        "-httpport",
                        "--http-port",
                        "--http-address",
                        "-firewallflavor",
                        "--firewall-flavor",
                        "-stateuri",
                        "-stateflavor",
                        "-logtostderr",
                        "--node-name");
    }

    @Test
    void a_bad_item_among_the_ports_is_told_at_once() {
        assertThatThrownBy(() -> Texts.Ports.parse("22, x")).hasMessageContaining("x");
        assertThat(Texts.Ports.parse("22, 53").ports()).containsExactly(22, 53);
    }
}
