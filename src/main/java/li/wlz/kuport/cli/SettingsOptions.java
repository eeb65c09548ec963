package li.wlz.kuport.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Settings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that make {@link Settings}: all but the first and {@code --underlay-cidr} must be the same on all nodes. */
final class SettingsOptions {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandSpec command;

    @Option(
            names = "--node-name",
            paramLabel = "NAME",
            description = "This node's exact name in the cluster. Default: $NODE_NAME.")
    @Nullable
    String nodeName;

    @Option(
            names = "--vni",
            paramLabel = "NUMBER",
            defaultValue = "" + Settings.DEFAULT_VNI,
            description = "VXLAN network identifier of the link; the same on all nodes. Default: ${DEFAULT-VALUE}.")
    int vni;

    @Option(
            names = "--link-port",
            paramLabel = "PORT",
            defaultValue = "" + Settings.DEFAULT_LINK_PORT,
            description = "UDP port of the link; the same on all nodes. Default: ${DEFAULT-VALUE}.")
    int linkPort;

    @Option(
            names = "--underlay-family",
            paramLabel = "FAMILY",
            defaultValue = "ipv4",
            description = "Addresses the link's outer packets use: ipv4 or ipv6; the same on all nodes. Default: ipv4.")
    IpFamily underlayFamily = IpFamily.IPV4;

    @Option(
            names = "--underlay-cidr",
            paramLabel = "CIDR",
            description = "Where to find this node's address in the mesh, unless its Node has the annotation"
                    + " kuport.wlz.li/underlay. May be repeated. Default: its first InternalIP.")
    List<Cidr> underlayCidrs = new ArrayList<>();

    @Option(
            names = "--link-range",
            paramLabel = "CIDR",
            defaultValue = "240.0.0.0/4",
            description = "IPv4 link addresses; the same on all nodes. Default: ${DEFAULT-VALUE}.")
    Cidr linkRange4 = Settings.DEFAULT_LINK_RANGE4;

    @Option(
            names = "--link-range6",
            paramLabel = "CIDR",
            defaultValue = "fd6b:7570:77::/48",
            description = "IPv6 link addresses; the same on all nodes. Default: ${DEFAULT-VALUE}.")
    Cidr linkRange6 = Settings.DEFAULT_LINK_RANGE6;

    @Mixin
    MarkOptions marks = new MarkOptions();

    @Option(
            names = "--node-ports",
            paramLabel = "RANGE",
            defaultValue = "30000-32767",
            description =
                    "The cluster's node-port range, protected unless a class allows it. Default: ${DEFAULT-VALUE}.")
    PortRange nodePorts = Settings.DEFAULT_NODE_PORTS;

    /** The settings asked for; a command line that contradicts itself, or names no node, is an error of usage. */
    Settings settings() {
        return settings(() -> {
            throw new ParameterException(
                    command.commandLine(), "Which node is this? Give --node-name NAME, or set NODE_NAME.");
        });
    }

    /** @param otherwise the node's name where none was given */
    Settings settings(Supplier<String> otherwise) {
        String given = nodeName != null ? nodeName : System.getenv().getOrDefault("NODE_NAME", "");
        String name = given.isBlank() ? otherwise.get() : given;
        try {
            return new Settings(
                    name,
                    marks.marks(),
                    vni,
                    linkPort,
                    underlayFamily,
                    linkRange4,
                    linkRange6,
                    underlayCidrs,
                    nodePorts,
                    null);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), "Settings: " + e.getMessage(), e);
        }
    }
}
