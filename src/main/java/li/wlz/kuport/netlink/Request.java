package li.wlz.kuport.netlink;

import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.MacAddress;

/** A change asked of rtnetlink. Adding what is there and deleting what is not are both successes. */
public sealed interface Request {

    /**
     * Creates a VXLAN device, down: {@code ip link add NAME alias ALIAS group GROUP address MAC mtu MTU type vxlan id VNI local
     * LOCAL dstport PORT nolearning}, with {@code addrgenmode none}.
     */
    record CreateVxlan(
            String name, String alias, int group, MacAddress mac, int mtu, int vni, int port, IpAddress local)
            implements Request {}

    /** {@code ip link delete NAME}. */
    record DeleteLink(String name) implements Request {}

    /** {@code ip link set NAME mtu MTU}. */
    record SetMtu(String name, int mtu) implements Request {}

    /** {@code ip link set NAME up}. */
    record SetUp(String name) implements Request {}

    /** {@code sysctl net.ipv4.conf.NAME.rp_filter=VALUE}, over rtnetlink, for containers whose /proc/sys is read-only. */
    record SetRpFilter(String name, int value) implements Request {}

    /** {@code ip link set NAME type vxlan local LOCAL}, in place. */
    record SetVxlanLocal(String name, IpAddress local) implements Request {}

    /** {@code ip address replace}. */
    record AddAddress(Address address) implements Request {}

    /** {@code ip address delete}. */
    record DeleteAddress(Address address) implements Request {}

    /** {@code ip neigh replace ... nud permanent protocol 109}. */
    record AddNeighbour(Neighbour neighbour) implements Request {}

    /** {@code ip neigh delete}. */
    record DeleteNeighbour(Neighbour neighbour) implements Request {}

    /** {@code bridge fdb replace ... self permanent}. */
    record AddForwardingEntry(ForwardingEntry entry) implements Request {}

    /** {@code bridge fdb delete}. */
    record DeleteForwardingEntry(ForwardingEntry entry) implements Request {}

    /** {@code ip route replace}: takes the place of a route of the same table, destination and metric. */
    record AddRoute(Route route) implements Request {}

    /** {@code ip route delete}. */
    record DeleteRoute(Route route) implements Request {}

    /** {@code ip rule add}. */
    record AddRule(Rule rule) implements Request {}

    /** {@code ip rule delete}. */
    record DeleteRule(Rule rule) implements Request {}
}
