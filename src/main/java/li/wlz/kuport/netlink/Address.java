package li.wlz.kuport.netlink;

import java.util.Comparator;
import li.wlz.kuport.model.IpAddress;

/**
 * An address on a device, as {@code ip address show} prints it.
 *
 * @param scope RT_SCOPE_*: 0 global, 253 link, 254 host
 * @param flags IFA_F_*
 */
public record Address(String device, IpAddress address, int prefixLength, int scope, int flags)
        implements Comparable<Address> {
    /** IFA_F_* of linux/if_addr.h. */
    public static final int TEMPORARY = 0x01;

    public static final int NODAD = 0x02;
    public static final int DADFAILED = 0x08;
    public static final int DEPRECATED = 0x20;
    public static final int TENTATIVE = 0x40;
    public static final int PERMANENT = 0x80;

    private static final Comparator<Address> ORDER = Comparator.comparing(Address::device)
            .thenComparing(Address::address)
            .thenComparingInt(Address::prefixLength);

    @Override
    public int compareTo(Address other) {
        return ORDER.compare(this, other);
    }
}
