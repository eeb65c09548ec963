package li.wlz.kuport.plan;

import li.wlz.kuport.model.IpAddress;

/**
 * The addresses of this room's tests: documentation ranges (RFC 5737, RFC 3849) outside, 100.64/10 in the mesh, 10.244/16 for pods.
 *
 * <p>{@code edge-a} and {@code edge-b} are public nodes, {@code home1} and {@code home2} sit behind home routers.
 */
final class AddressPlan {
    static final IpAddress EDGE_A = IpAddress.parse("203.0.113.9");
    static final IpAddress EDGE_A_SECOND = IpAddress.parse("203.0.113.10");
    static final IpAddress EDGE_A6 = IpAddress.parse("2001:db8:a::9");
    static final IpAddress EDGE_A_OTHER_UPLINK = IpAddress.parse("198.51.100.9");
    static final IpAddress EDGE_B = IpAddress.parse("203.0.113.77");
    static final IpAddress EDGE_B6 = IpAddress.parse("2001:db8:b::77");

    static final IpAddress MESH_EDGE_A = IpAddress.parse("100.64.0.1");
    static final IpAddress MESH_EDGE_B = IpAddress.parse("100.64.0.2");
    static final IpAddress MESH_HOME1 = IpAddress.parse("100.64.0.11");
    static final IpAddress MESH_HOME2 = IpAddress.parse("100.64.0.12");

    private AddressPlan() {}

    /** The mesh address of a node; nodes that are not in the plan get one by a number. */
    static IpAddress mesh(String node) {
        return switch (node) {
            case "edge-a" -> MESH_EDGE_A;
            case "edge-b" -> MESH_EDGE_B;
            case "home1" -> MESH_HOME1;
            case "home2" -> MESH_HOME2;
            default -> IpAddress.parse("100.64.1." + Integer.parseInt(node.replaceAll("\\D", "")));
        };
    }

    /** A pod's address on a node: {@code 10.244.NODE.POD}. */
    static IpAddress pod(String node, int pod) {
        return IpAddress.parse("10.244." + number(node) + "." + pod);
    }

    /** A pod's IPv6 address on a node. */
    static IpAddress pod6(String node, int pod) {
        return IpAddress.parse("fd00:10:244:" + number(node) + "::" + pod);
    }

    private static long number(String node) {
        return mesh(node).low() & 0xff;
    }
}
