package li.wlz.kuport.netlink;

import java.util.Comparator;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.MacAddress;

/** A permanent entry of a VXLAN device's forwarding database: {@code bridge fdb replace MAC dev DEVICE dst ADDRESS}. */
public record ForwardingEntry(String device, MacAddress mac, IpAddress destination)
        implements Comparable<ForwardingEntry> {
    private static final Comparator<ForwardingEntry> ORDER = Comparator.comparing(ForwardingEntry::device)
            .thenComparing(ForwardingEntry::mac)
            .thenComparing(ForwardingEntry::destination);

    @Override
    public int compareTo(ForwardingEntry other) {
        return ORDER.compare(this, other);
    }
}
