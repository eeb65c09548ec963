package li.wlz.kuport.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.PodAnnotations;
import li.wlz.kuport.model.PodAnnotations.Firewall;
import li.wlz.kuport.model.Sorted;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How pods may ask for ports of their node by an annotation. The short names are those of the older pod NAT controller. */
final class AnnotationOptions {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandSpec command;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandSpec own;

    @Option(
            names = {"-annotationkey", "--annotation-key"},
            paramLabel = "NAME",
            defaultValue = PodAnnotations.DEFAULT_KEY,
            description = "The annotation of pods that is read. Default: ${DEFAULT-VALUE}.")
    String key = PodAnnotations.DEFAULT_KEY;

    @Option(
            names = "--annotation-class",
            paramLabel = "CLASS",
            description =
                    "PortMapClass that entries are held to: its nodes, interfaces, ports, namespaces. Default: none.")
    @Nullable
    String className;

    @Option(
            names = {"-restrictedports", "--restricted-ports"},
            paramLabel = "PORTS",
            defaultValue = "22,53,6443",
            description = "Ports, with commas, that no entry may name; \"\" for none. Default: ${DEFAULT-VALUE}.")
    Texts.Ports restrictedPorts = new Texts.Ports(PodAnnotations.DEFAULT_RESTRICTED_PORTS);

    @Option(
            names = {"-restrictedportsenable", "--allow-restricted-ports"},
            description = "Lets entries name the restricted ports, too.")
    boolean allowRestrictedPorts;

    @Option(
            names = {"-internalnetwork", "--internal-network"},
            paramLabel = "CIDR",
            description = "Where the address that is detected may lie though it is not public. May be repeated.")
    List<Cidr> internalNetworks = new ArrayList<>();

    @Option(
            names = {"-firewallflavor", "--firewall-flavor"},
            paramLabel = "FLAVOR",
            defaultValue = "nftables",
            description =
                    "nftables, or iptables: chains in the tables of iptables, for nodes whose other rules live there;"
                            + " PortMaps are not served then. Default: ${DEFAULT-VALUE}.")
    Firewall firewall = Firewall.nftables;

    /** The names of those options of these that were given, as they were declared. */
    List<String> given() {
        return command.commandLine().getParseResult().matchedOptions().stream()
                .filter(own.options()::contains)
                .map(OptionSpec::longestName)
                .toList();
    }

    /** @param alone whether nothing else is served */
    PodAnnotations rules(boolean alone) {
        SortedSet<Integer> restricted = allowRestrictedPorts ? Sorted.set() : new TreeSet<>(restrictedPorts.ports());
        try {
            return new PodAnnotations(key, restricted, internalNetworks, className, firewall, alone);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), "Annotations: " + e.getMessage(), e);
        }
    }
}
