package li.wlz.kuport.netlink;

import java.util.Optional;
import li.wlz.kuport.model.IpFamily;

/** Address family numbers, AF_* of sys/socket.h. */
final class Family {
    static final int AF_UNSPEC = 0;
    static final int AF_INET = 2;
    static final int AF_BRIDGE = 7;
    static final int AF_INET6 = 10;

    private Family() {}

    static int number(IpFamily family) {
        return switch (family) {
            case IPV4 -> AF_INET;
            case IPV6 -> AF_INET6;
        };
    }

    /** Empty for families other than the two of IP. */
    static Optional<IpFamily> of(int number) {
        return switch (number) {
            case AF_INET -> Optional.of(IpFamily.IPV4);
            case AF_INET6 -> Optional.of(IpFamily.IPV6);
            default -> Optional.empty();
        };
    }
}
