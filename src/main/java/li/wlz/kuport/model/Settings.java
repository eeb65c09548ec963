package li.wlz.kuport.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an agent is told at its start. All but {@link #nodeName} and {@link #underlayCidrs} must be the same on all nodes.
 *
 * @param nodeName this node's exact name in the cluster
 * @param vni the VXLAN network identifier of the link, 1 to 16777215
 * @param linkPort the UDP port of the link's outer packets
 * @param underlayFamily the family of the link's outer packets
 * @param linkRange4 where IPv4 link addresses are taken from
 * @param linkRange6 where IPv6 link addresses are taken from
 * @param underlayCidrs where to look for this node's underlay address when its Node has no annotation; may be empty
 * @param nodePorts the cluster's node-port range, protected unless a class allows it
 * @param podAnnotations how pods may ask for ports by an annotation; null where they may not
 */
public record Settings(
        String nodeName,
        MarkSpace marks,
        int vni,
        int linkPort,
        IpFamily underlayFamily,
        Cidr linkRange4,
        Cidr linkRange6,
        List<Cidr> underlayCidrs,
        PortRange nodePorts,
        @Nullable PodAnnotations podAnnotations) {

    public static final int DEFAULT_VNI = 4242;
    public static final int DEFAULT_LINK_PORT = 4790;
    public static final Cidr DEFAULT_LINK_RANGE4 = Cidr.parse("240.0.0.0/4");
    public static final Cidr DEFAULT_LINK_RANGE6 = Cidr.parse("fd6b:7570:77::/48");
    public static final PortRange DEFAULT_NODE_PORTS = new PortRange(30000, 32767);

    public Settings {
        underlayCidrs = List.copyOf(underlayCidrs);
        if (nodeName.isBlank()) {
            throw new IllegalArgumentException("the node's name must not be empty");
        }
        if (vni < 1 || vni > 0xffffff) {
            throw new IllegalArgumentException("a VXLAN network identifier is 1 to 16777215, not " + vni);
        }
        PortRange.of(linkPort);
        if (linkRange4.family() != IpFamily.IPV4 || linkRange4.prefixLength() > 24) {
            throw new IllegalArgumentException(
                    "the IPv4 link range is an IPv4 block of at most 24 bits prefix: " + linkRange4);
        }
        if (linkRange6.family() != IpFamily.IPV6 || linkRange6.prefixLength() > 96) {
            throw new IllegalArgumentException(
                    "the IPv6 link range is an IPv6 block of at most 96 bits prefix: " + linkRange6);
        }
    }

    /** These settings, by which pods may ask for ports by an annotation. */
    public Settings with(@Nullable PodAnnotations annotations) {
        return new Settings(
                nodeName,
                marks,
                vni,
                linkPort,
                underlayFamily,
                linkRange4,
                linkRange6,
                underlayCidrs,
                nodePorts,
                annotations);
    }

    /** These settings, with other bits of marks. */
    public Settings with(MarkSpace otherMarks) {
        return new Settings(
                nodeName,
                otherMarks,
                vni,
                linkPort,
                underlayFamily,
                linkRange4,
                linkRange6,
                underlayCidrs,
                nodePorts,
                podAnnotations);
    }

    /** Whether the rules go to the tables of iptables, which serve annotations alone. */
    public boolean usesIptables() {
        return podAnnotations != null && podAnnotations.firewall() == PodAnnotations.Firewall.iptables;
    }

    /** The settings of a node where nothing was set. */
    public static Settings defaults(String nodeName) {
        return new Settings(
                nodeName,
                MarkSpace.DEFAULT,
                DEFAULT_VNI,
                DEFAULT_LINK_PORT,
                IpFamily.IPV4,
                DEFAULT_LINK_RANGE4,
                DEFAULT_LINK_RANGE6,
                List.of(),
                DEFAULT_NODE_PORTS,
                null);
    }

    /** The range that link addresses of a family are taken from. */
    public Cidr linkRange(IpFamily family) {
        return family == IpFamily.IPV4 ? linkRange4 : linkRange6;
    }

    /** How many bytes the link's encapsulation adds: IP, UDP and VXLAN headers and the inner Ethernet header (RFC 7348). */
    public int linkOverhead() {
        return underlayFamily == IpFamily.IPV4 ? 50 : 70;
    }
}
