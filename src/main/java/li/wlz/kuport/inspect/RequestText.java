package li.wlz.kuport.inspect;

import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MarkSpace.Hex;
import li.wlz.kuport.netlink.Address;
import li.wlz.kuport.netlink.ForwardingEntry;
import li.wlz.kuport.netlink.Neighbour;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.netlink.Route;
import li.wlz.kuport.netlink.Rule;

/** Says a netlink request in the words of iproute2: the command that does the same. */
public final class RequestText {
    private RequestText() {}

    /** The command; what nft does is not among these. */
    public static String of(Request request) {
        return switch (request) {
            case Request.CreateVxlan r ->
                "ip link add %s alias %s group %d address %s mtu %d type vxlan id %d local %s dstport %d nolearning"
                        .formatted(r.name(), r.alias(), r.group(), r.mac(), r.mtu(), r.vni(), r.local(), r.port());
            case Request.DeleteLink r -> "ip link delete " + r.name();
            case Request.SetMtu r -> "ip link set " + r.name() + " mtu " + r.mtu();
            case Request.SetUp r -> "ip link set " + r.name() + " up";
            case Request.SetRpFilter r -> "sysctl net.ipv4.conf." + r.name() + ".rp_filter=" + r.value();
            case Request.SetVxlanLocal r -> "ip link set " + r.name() + " type vxlan local " + r.local();
            case Request.AddAddress r -> "ip address replace " + address(r.address());
            case Request.DeleteAddress r -> "ip address delete " + address(r.address());
            case Request.AddNeighbour r ->
                "ip neigh replace " + neighbour(r.neighbour()) + " lladdr "
                        + r.neighbour().mac() + " nud permanent protocol 109";
            case Request.DeleteNeighbour r -> "ip neigh delete " + neighbour(r.neighbour());
            case Request.AddForwardingEntry r -> "bridge fdb replace " + entry(r.entry()) + " self permanent";
            case Request.DeleteForwardingEntry r -> "bridge fdb delete " + entry(r.entry()) + " self";
            case Request.AddRoute r -> "ip route replace " + route(r.route());
            case Request.DeleteRoute r -> "ip route delete " + route(r.route());
            case Request.AddRule r -> ip(r.rule()) + " rule add " + rule(r.rule());
            case Request.DeleteRule r -> ip(r.rule()) + " rule delete " + rule(r.rule());
        };
    }

    private static String address(Address address) {
        return address.address() + "/" + address.prefixLength() + " dev " + address.device();
    }

    private static String neighbour(Neighbour neighbour) {
        return neighbour.address() + " dev " + neighbour.device();
    }

    private static String entry(ForwardingEntry entry) {
        return entry.mac() + " dev " + entry.device() + " dst " + entry.destination();
    }

    private static String route(Route route) {
        StringBuilder text = new StringBuilder();
        if (route.type() != Route.Type.UNICAST) {
            text.append(route.type().name().toLowerCase(java.util.Locale.ROOT)).append(' ');
        }
        text.append(route.destination());
        if (route.gateway() != null) {
            text.append(" via ").append(route.gateway());
        }
        if (route.device() != null) {
            text.append(" dev ").append(route.device());
        }
        if (route.onlink()) {
            text.append(" onlink");
        }
        if (route.source() != null) {
            text.append(" src ").append(route.source());
        }
        if (route.metric() != 0) {
            text.append(" metric ").append(Integer.toUnsignedString(route.metric()));
        }
        if (route.lockedMtu() != 0) {
            text.append(" mtu lock ").append(route.lockedMtu());
        }
        if (route.table() != Route.TABLE_MAIN) {
            text.append(" table ").append(Integer.toUnsignedString(route.table()));
        }
        return text.append(" protocol ").append(route.protocol()).toString();
    }

    private static String ip(Rule rule) {
        return rule.family() == IpFamily.IPV4 ? "ip" : "ip -6";
    }

    private static String rule(Rule rule) {
        return "pref %d fwmark %s/%s lookup %s protocol %d"
                .formatted(
                        rule.priority(),
                        Hex.of(rule.mark()),
                        Hex.of(rule.mask()),
                        Integer.toUnsignedString(rule.table()),
                        rule.protocol());
    }
}
