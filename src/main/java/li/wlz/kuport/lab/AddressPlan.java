package li.wlz.kuport.lab;

import li.wlz.kuport.model.Cidr;

/**
 * Every address of the lab.
 *
 * <p>Outside are the blocks set aside for documentation (RFC 5737, RFC 3849), the mesh has shared address space (RFC 6598) and a
 * unique local block (RFC 4193), pods have 10.244.0.0/16 and another. {@code A1 A2 A3} are named as in the scenarios: the accepting
 * node's addresses, the third on an uplink of its own.
 */
public final class AddressPlan {
    /** The longest packet on the outside networks, in bytes. */
    public static final int OUTSIDE_MTU = 1500;
    /** The longest packet in the mesh and on the pods' interfaces, in bytes: WireGuard over IPv6 costs 80. */
    public static final int MESH_MTU = 1420;
    /** The UDP port of WireGuard on public nodes. */
    public static final int WIREGUARD_PORT = 51820;

    static final Segment CLIENTS = Segment.of("198.51.100.0/25", "2001:db8:1::/64");
    static final Segment MORE_CLIENTS = Segment.of("198.51.100.128/25", "2001:db8:2::/64");
    /** Between edge's eth0 and the internet. */
    public static final Segment EDGE = Segment.of("203.0.113.0/26", "2001:db8:9::/64");
    /** Between edge's eth1 and the other provider. */
    public static final Segment EDGE_SECOND = Segment.of("203.0.113.64/26", "2001:db8:19::/64");
    /** Between edge2's eth0 and the internet. */
    public static final Segment EDGE2 = Segment.of("203.0.113.128/26", "2001:db8:29::/64");
    /** Where edge's eth0 is behind a 1:1 NAT; IPv6 is not translated. */
    static final Segment EDGE_PRIVATE = new Segment(Cidr.parse("10.10.0.0/26"), EDGE.ipv6());

    static final Segment HOME_UPLINK = Segment.of("192.0.2.0/25", "2001:db8:50::/64");
    /** The home nodes' network, behind NAT in IPv4 and a firewall in IPv6. */
    public static final Segment HOME = Segment.of("192.168.1.0/24", "2001:db8:51::/64");

    static final Segment BETWEEN_PROVIDERS = Segment.of("192.0.2.252/30", "2001:db8:ff::/64");

    /** The mesh: a node's number is its host number. */
    public static final Segment MESH = Segment.of("100.64.0.0/24", "fd64:6d65:7368::/64");
    /** All pods of the cluster. */
    public static final Segment PODS = Segment.of("10.244.0.0/16", "fd10:244::/48");
    /** A ClusterIP in the kube-proxy-like tables; its port 80 leads to port 8080 of home1's first pod. */
    public static final DualAddress CLUSTER_SERVICE = DualAddress.of("10.96.0.80", "fd10:96::50");

    /** The first client, {@code cli}. */
    public static final DualAddress CLIENT = CLIENTS.host(7);
    /** The second client, {@code cli2}; behind the other provider where there is one. */
    public static final DualAddress CLIENT2 = MORE_CLIENTS.host(7);
    /** The first address of edge's eth0, as the internet sees it. */
    public static final DualAddress A1 = EDGE.host(9);
    /** The second address of edge's eth0, as the internet sees it. */
    public static final DualAddress A2 = EDGE.host(10);
    /** The address of edge's eth1. */
    public static final DualAddress A3 = EDGE_SECOND.host(9);
    /** The address of edge2's eth0. */
    public static final DualAddress EDGE2_ADDRESS = EDGE2.host(9);
    /** The home router's address on the internet: where home nodes seem to come from in IPv4. */
    public static final DualAddress HOME_ROUTER = HOME_UPLINK.host(50);
    /** A client on the same network as edge's eth0. */
    public static final DualAddress NEAR = EDGE.host(20);
    /** A client on the same network as edge's eth1. */
    public static final DualAddress NEAR2 = EDGE_SECOND.host(20);

    private AddressPlan() {}

    /** The pods of one node. */
    public static Segment pods(int node) {
        return Segment.of("10.244." + node + ".0/24", "fd10:244:0:" + node + "::/64");
    }

    /** The addresses of a node's n-th pod, counted from 1. */
    public static DualAddress pod(int node, int pod) {
        return pods(node).host(9 + pod);
    }
}
