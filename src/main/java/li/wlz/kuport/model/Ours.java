package li.wlz.kuport.model;

/**
 * The names and numbers by which everything of kuport's in the kernel is known, on every node, whatever the agent's flags.
 *
 * <p>{@code kuport cleanup} finds our things by these alone, so changing one needs a release that still cleans up the old one.
 */
public final class Ours {
    /** The one nftables table, of family inet. */
    public static final String TABLE = "kuport";

    /** The one VXLAN device. */
    public static final String LINK_DEVICE = "kup0";

    /** The device's alias (IFLA_IFALIAS): a device of the name without it is somebody else's. */
    public static final String LINK_ALIAS = "kuport";

    /** The device's group: matched by rules since it costs a third of a match by name and survives re-creation. */
    public static final int LINK_GROUP = 1803;

    /** The routing protocol number (rtm_protocol, FRA_PROTOCOL, NDA_PROTOCOL) on all our rules, routes and neighbours. */
    public static final int ROUTE_PROTOCOL = 109;

    /** The preference of our ip rules: below {@code local} (0), above VPNs' catch-alls (netbird 105) and {@code main} (32766). */
    public static final int RULE_PRIORITY = 90;

    /** Stands for the dialled address between the steer chain and the nat chain (see docs/datapath.md). */
    public static final IpAddress STAND_IN4 = IpAddress.parse("169.254.76.1");

    /** As {@link #STAND_IN4}, for IPv6. */
    public static final IpAddress STAND_IN6 = IpAddress.parse("fd6b:7570:76::1");

    private Ours() {}

    /** The stand-in of a family. */
    public static IpAddress standIn(IpFamily family) {
        return family == IpFamily.IPV4 ? STAND_IN4 : STAND_IN6;
    }
}
