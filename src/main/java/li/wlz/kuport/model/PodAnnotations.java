package li.wlz.kuport.model;

import java.util.List;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * How pods may ask for ports of their own node by an annotation.
 *
 * @param key the annotation's name
 * @param restrictedPorts ports that may be neither asked for nor delivered to
 * @param internalNetworks where an auto-detected address may lie though it is not public
 * @param className the PortMapClass that entries are held to; null for none
 * @param firewall where the rules go
 * @param alone whether nothing else is served: no PortMaps, so no link either
 */
public record PodAnnotations(
        String key,
        SortedSet<Integer> restrictedPorts,
        List<Cidr> internalNetworks,
        @Nullable String className,
        Firewall firewall,
        boolean alone) {
    public static final String DEFAULT_KEY = "bln.space/podnat";
    public static final SortedSet<Integer> DEFAULT_RESTRICTED_PORTS = Sorted.copyOf(List.of(22, 53, 6443));

    /** As without any flag. */
    public static final PodAnnotations DEFAULT =
            new PodAnnotations(DEFAULT_KEY, DEFAULT_RESTRICTED_PORTS, List.of(), null, Firewall.nftables, false);

    public PodAnnotations {
        restrictedPorts = Sorted.copyOf(restrictedPorts);
        internalNetworks = List.copyOf(internalNetworks);
        if (key.isBlank()) {
            throw new IllegalArgumentException("the annotation's name must not be empty");
        }
        restrictedPorts.forEach(PortRange::of);
    }

    /** What holds the rules. */
    public enum Firewall {
        /** Our own nftables table, as for PortMaps. */
        nftables,
        /** Chains of our own in the tables of iptables, for nodes whose other rules live there. */
        iptables
    }
}
