package li.wlz.kuport.model;

import java.util.Comparator;

/**
 * Where a packet is sent on to: a pod, or a link address.
 *
 * @param ports as long as the range dialled; a range keeps its numbers, so that only a single port may be translated
 */
public record Target(IpAddress address, PortRange ports) implements Comparable<Target> {
    private static final Comparator<Target> ORDER =
            Comparator.comparing(Target::address).thenComparing(Target::ports);

    @Override
    public int compareTo(Target other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return (address.family() == IpFamily.IPV4 ? address.toString() : "[" + address + "]") + ":" + ports;
    }
}
