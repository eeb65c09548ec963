package li.wlz.kuport.lab;

/** What a world may have beyond, or other than, the plain one. */
public enum Feature {
    /** A second public node, {@code edge2}, with one pod. */
    SECOND_PUBLIC_NODE,
    /** A second provider, {@code inet2}, with edge's eth1 and the second client. */
    SECOND_UPLINK,
    /** Edge's eth1 is a link to one peer, without gateway or neighbours, as ppp is. Brings {@link #SECOND_UPLINK}. */
    POINT_TO_POINT_UPLINK,
    /** Clients on the same network as edge's uplinks: {@code near} on eth0's, {@code near2} on that of an eth1. */
    ON_LINK_CLIENTS,
    /** Edge's eth0 has private IPv4 addresses; the provider translates A1 and A2 to them, one to one. */
    ONE_TO_ONE_NAT,
    /** Home nodes reach each other only through edge, which forwards in the mesh. */
    HUB,
    /** The internet drops TCP packets that belong to no connection it has seen begin. */
    STATEFUL_INTERNET,
    /** Nodes without the tables that nodes have: no kube-proxy, no CNI; so pods reach nothing outside the cluster. */
    BARE,
    /** A firewall in filter prerouting on every node, which drops what is addressed to the node and not allowed, as Talos has it. */
    INGRESS_FIREWALL,
    /** {@code rp_filter=1} on every interface of every node; else it is 2, as most distributions have it. */
    STRICT_REVERSE_PATH,
    /** {@code src_valid_mark=1} on every node, as wg-quick sets it. */
    SOURCE_VALID_MARK,
    /** Pods behind routed veth pairs, as Calico has them; else on a bridge. */
    ROUTED_PODS,
    /** The pods' bridge sends nothing back to the port it came from. */
    NO_HAIRPIN
}
