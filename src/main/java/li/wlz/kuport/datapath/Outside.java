package li.wlz.kuport.datapath;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.stream.Stream;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;

/** Which destinations are outside the cluster and mean the same everywhere: there a pod's mapped address is its source. */
final class Outside {
    /** What is no public IPv4 address (RFC 6890); blocks for documentation count as public. */
    private static final List<Cidr> SPECIAL4 = Stream.of(
                    "0.0.0.0/8",
                    "10.0.0.0/8",
                    "100.64.0.0/10",
                    "127.0.0.0/8",
                    "169.254.0.0/16",
                    "172.16.0.0/12",
                    "192.168.0.0/16",
                    "224.0.0.0/3")
            .map(Cidr::parse)
            .toList();

    /** Global unicast, and IPv4 behind a translator (RFC 6052). */
    private static final List<Cidr> PUBLIC6 =
            Stream.of("2000::/3", "64:ff9b::/96").map(Cidr::parse).toList();

    private Outside() {}

    static boolean contains(IpAddress destination, SortedSet<Cidr> cluster) {
        boolean isPublic = destination.family() == IpFamily.IPV4
                ? SPECIAL4.stream().noneMatch(block -> block.contains(destination))
                : PUBLIC6.stream().anyMatch(block -> block.contains(destination));
        return isPublic && cluster.stream().noneMatch(block -> block.contains(destination));
    }

    /** The blocks of a family that are not outside; for IPv6 those of the cluster alone, see {@link #publicBlocks6}. */
    static List<Cidr> notOutside(IpFamily family, SortedSet<Cidr> cluster) {
        List<Cidr> blocks = new ArrayList<>(family == IpFamily.IPV4 ? SPECIAL4 : List.of());
        cluster.stream().filter(block -> block.family() == family).forEach(blocks::add);
        return blocks;
    }

    /** The blocks of public IPv6 addresses: few, while what is not public are many. */
    static List<Cidr> publicBlocks6() {
        return PUBLIC6;
    }

    /** {@code { 10.0.0.0/8, 203.0.113.9 }}. */
    static String set(List<Cidr> blocks) {
        return "{ " + String.join(", ", blocks.stream().map(Outside::text).toList()) + " }";
    }

    /** A block as nft and iptables read it. */
    static String text(Cidr block) {
        return block.prefixLength() == block.family().bits() ? block.network().toString() : block.toString();
    }
}
