package li.wlz.kuport.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import li.wlz.kuport.lab.MeshNode.Uplink;

/** Lays out a {@link World}. Each method wires one part of it. */
final class WorldBuilder {
    private final Layout layout;
    private final Wiring wiring = new Wiring();
    private final Map<String, Namespace> namespaces;
    private final Map<String, Host> clients = new LinkedHashMap<>();
    private final Map<String, MeshNode> nodes = new LinkedHashMap<>();
    /** Who may use which sources at a provider's port: nft rules by provider. */
    private final Map<Namespace, StringBuilder> access = new LinkedHashMap<>();

    WorldBuilder(Layout layout) {
        this.layout = layout;
        this.namespaces = Namespace.createAll(names(layout)).stream()
                .collect(Collectors.toMap(Namespace::name, namespace -> namespace, (a, b) -> a, LinkedHashMap::new));
    }

    private static List<String> names(Layout layout) {
        List<String> names = new ArrayList<>(List.of("inet", "cli", "cli2", "edge", "router", "home1", "home2"));
        if (layout.has(Feature.SECOND_UPLINK)) {
            names.add("inet2");
        }
        if (layout.has(Feature.SECOND_PUBLIC_NODE)) {
            names.add("edge2");
        }
        if (layout.has(Feature.ON_LINK_CLIENTS)) {
            names.add("near");
            if (layout.has(Feature.SECOND_UPLINK)) {
                names.add("near2");
            }
        }
        layout.pods()
                .forEach(
                        (node, count) -> IntStream.rangeClosed(1, count).forEach(pod -> names.add(podName(node, pod))));
        return names;
    }

    private static String podName(String node, int pod) {
        return node + "-pod" + pod;
    }

    World build() {
        World world = new World(layout, namespaces, clients, nodes);
        try {
            namespaces.values().forEach(this::base);
            providers();
            clients();
            edge();
            if (layout.has(Feature.SECOND_PUBLIC_NODE)) {
                edge2();
            }
            home();
            nodes.values().forEach(this::pods);
            nodes.values().forEach(this::background);
            access.forEach((provider, rules) -> wiring.nft(provider, accessTable(provider, rules.toString())));
            wiring.apply();
            new Mesh(nodes.values(), layout.has(Feature.HUB), Files.createTempDirectory(Path.of("/run"), "mesh"))
                    .start();
            return world;
        } catch (IOException e) {
            world.close();
            throw new LabException("cannot make a folder for the mesh's logs: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            world.close();
            throw e;
        }
    }

    private Namespace namespace(String name) {
        Namespace found = namespaces.get(name);
        if (found == null) {
            throw new IllegalStateException("no namespace " + name);
        }
        return found;
    }

    /** What every machine has: no wait for duplicate addresses, no trust in routers' advertisements. */
    private void base(Namespace namespace) {
        wiring.ip(namespace, "link set lo up");
        filterBridged(namespace, false);
        for (String which : List.of("all", "default")) {
            wiring.sysctl(namespace, "net.ipv6.conf." + which + ".accept_dad", "0");
            wiring.sysctl(namespace, "net.ipv6.conf." + which + ".accept_ra", "0");
            wiring.sysctl(namespace, "net.ipv4.conf." + which + ".rp_filter", "0");
        }
    }

    /**
     * Whether what a bridge carries passes the rules for forwarded packets. On a node it does, as kube-proxy wants it: else two pods
     * on one bridge would not meet through a Service. A kernel without br_netfilter has no such parameter, and never does it.
     */
    private void filterBridged(Namespace namespace, boolean filter) {
        if (Files.exists(Path.of("/proc/sys/net/bridge"))) {
            for (String which : List.of("iptables", "ip6tables")) {
                wiring.sysctl(namespace, "net.bridge.bridge-nf-call-" + which, filter ? "1" : "0");
            }
        }
    }

    private void forward(Namespace namespace) {
        wiring.sysctl(namespace, "net.ipv4.ip_forward", "1");
        wiring.sysctl(namespace, "net.ipv6.conf.all.forwarding", "1");
    }

    private void providers() {
        Namespace inet = namespace("inet");
        forward(inet);
        access.put(inet, new StringBuilder());
        if (!layout.has(Feature.SECOND_UPLINK)) {
            return;
        }
        Namespace inet2 = namespace("inet2");
        forward(inet2);
        access.put(inet2, new StringBuilder());
        DualAddress one = AddressPlan.BETWEEN_PROVIDERS.host(1);
        DualAddress other = AddressPlan.BETWEEN_PROVIDERS.host(2);
        wiring.veth(inet, "inet2", inet2, "inet");
        wiring.address(inet, "inet2", AddressPlan.BETWEEN_PROVIDERS, one);
        wiring.address(inet2, "inet", AddressPlan.BETWEEN_PROVIDERS, other);
        wiring.route(inet, AddressPlan.EDGE_SECOND, other);
        wiring.route(inet, AddressPlan.MORE_CLIENTS, other);
        wiring.defaultRoute(inet2, one);
    }

    private void clients() {
        client("cli", namespace("inet"), AddressPlan.CLIENTS);
        client("cli2", provider2(), AddressPlan.MORE_CLIENTS);
    }

    private Namespace provider2() {
        return namespace(layout.has(Feature.SECOND_UPLINK) ? "inet2" : "inet");
    }

    private void client(String name, Namespace provider, Segment segment) {
        Namespace namespace = namespace(name);
        wiring.veth(namespace, "eth0", provider, name);
        join(namespace, "eth0", segment, List.of(segment.host(7)));
        accessPort(provider, name, segment, List.of(segment));
        clients.put(name, new Host(namespace, segment.host(7)));
    }

    /** A device's addresses, and the default route by the segment's gateway. */
    private void join(Namespace namespace, String device, Segment segment, List<DualAddress> addresses) {
        addresses.forEach(address -> wiring.address(namespace, device, segment, address));
        wiring.defaultRoute(namespace, segment.gateway());
    }

    /** A provider's port: its gateway address, and the check that who is behind it uses its own sources alone. */
    private void accessPort(Namespace provider, String port, Segment segment, List<Segment> allowed) {
        wiring.address(provider, port, segment, segment.gateway());
        StringBuilder rules = access.computeIfAbsent(provider, p -> new StringBuilder());
        rules.append("iifname \"%s\" ip saddr != { %s } counter name spoofed drop%n"
                .formatted(port, text(allowed.stream().map(Segment::ipv4))));
        rules.append("iifname \"%s\" ip6 saddr != { %s } counter name spoofed drop%n"
                .formatted(port, text(allowed.stream().map(Segment::ipv6))));
    }

    private static String text(Stream<?> values) {
        return values.map(Object::toString).collect(Collectors.joining(", "));
    }

    private String accessTable(Namespace provider, String rules) {
        boolean stateful = layout.has(Feature.STATEFUL_INTERNET);
        String strangers =
                stateful ? "tcp flags & (syn | ack | rst) != syn ct state new drop\nct state invalid drop" : "";
        String translation = provider.name().equals("inet") && layout.has(Feature.ONE_TO_ONE_NAT) ? oneToOne() : "";
        return """
                table inet access {
                    counter spoofed {
                    }

                    chain forward {
                        type filter hook forward priority filter
                %s
                %s
                    }
                }
                %s
                """.formatted(rules, strangers, translation);
    }

    /** Public addresses that the provider keeps, each for one private address of edge's. */
    private static String oneToOne() {
        String first = AddressPlan.EDGE_PRIVATE.host(9).ipv4().toString();
        String second = AddressPlan.EDGE_PRIVATE.host(10).ipv4().toString();
        return """
                table ip one-to-one {
                    chain prerouting {
                        type nat hook prerouting priority dstnat
                        dnat to ip daddr map { %1$s : %3$s, %2$s : %4$s }
                    }

                    chain postrouting {
                        type nat hook postrouting priority srcnat
                        snat to ip saddr map { %3$s : %1$s, %4$s : %2$s }
                    }
                }
                """.formatted(AddressPlan.A1.ipv4(), AddressPlan.A2.ipv4(), first, second);
    }

    private void edge() {
        Namespace edge = namespace("edge");
        Namespace inet = namespace("inet");
        Segment segment = layout.has(Feature.ONE_TO_ONE_NAT) ? AddressPlan.EDGE_PRIVATE : AddressPlan.EDGE;
        List<DualAddress> addresses = List.of(segment.host(9), segment.host(10));
        List<Uplink> uplinks = new ArrayList<>(List.of(new Uplink("eth0", addresses)));
        shared(edge, "eth0", inet, "edge", "near", segment);
        join(edge, "eth0", segment, addresses);
        accessPort(inet, "edge", segment, List.of(segment));
        if (layout.has(Feature.SECOND_UPLINK)) {
            secondUplink(edge);
            uplinks.add(new Uplink("eth1", List.of(AddressPlan.A3)));
        }
        node("edge", World.EDGE, uplinks);
    }

    /** A node's wire to its provider; with on-link clients a bridge on the provider's side, to which one more is wired. */
    private void shared(
            Namespace node, String device, Namespace provider, String port, String neighbour, Segment segment) {
        if (!layout.has(Feature.ON_LINK_CLIENTS)) {
            wiring.veth(node, device, provider, port);
            return;
        }
        Namespace near = namespace(neighbour);
        wiring.veth(node, device, provider, port + "-a");
        wiring.veth(near, "eth0", provider, port + "-b");
        wiring.bridge(provider, port);
        wiring.port(provider, port, port + "-a");
        wiring.port(provider, port, port + "-b");
        join(near, "eth0", segment, List.of(segment.host(20)));
        clients.put(neighbour, new Host(near, segment.host(20)));
    }

    /** Edge's eth1. As with DHCP on two interfaces, its default route is there, with a greater metric. */
    private void secondUplink(Namespace edge) {
        Namespace inet2 = namespace("inet2");
        Segment segment = AddressPlan.EDGE_SECOND;
        if (layout.has(Feature.POINT_TO_POINT_UPLINK)) {
            pointToPoint(edge, inet2);
            return;
        }
        shared(edge, "eth1", inet2, "edge", "near2", segment);
        wiring.address(edge, "eth1", segment, AddressPlan.A3);
        accessPort(inet2, "edge", segment, List.of(segment));
        segment.gateway()
                .both()
                .forEach(gateway -> wiring.ip(
                        edge, "route add %s via %s metric 2048".formatted(Wiring.anywhere(gateway), gateway)));
    }

    /** A link without neighbour discovery, as ppp has none: with one MAC at both ends either takes what the other sends. */
    private void pointToPoint(Namespace edge, Namespace inet2) {
        wiring.veth(edge, "eth1", inet2, "edge");
        DualAddress gateway = AddressPlan.EDGE_SECOND.gateway();
        for (Namespace end : List.of(edge, inet2)) {
            String device = end.equals(edge) ? "eth1" : "edge";
            DualAddress here = end.equals(edge) ? AddressPlan.A3 : gateway;
            DualAddress there = end.equals(edge) ? gateway : AddressPlan.A3;
            wiring.ip(end, "link set %s arp off address 02:00:00:00:00:01".formatted(device));
            wiring.ip(end, "address add %s peer %s/32 dev %s".formatted(here.ipv4(), there.ipv4(), device));
            wiring.ip(end, "address add %s peer %s/128 dev %s".formatted(here.ipv6(), there.ipv6(), device));
        }
        wiring.ip(edge, "route add 0.0.0.0/0 dev eth1 metric 2048");
        wiring.ip(edge, "route add ::/0 dev eth1 metric 2048");
        StringBuilder rules = access.computeIfAbsent(inet2, p -> new StringBuilder());
        rules.append("iifname \"edge\" ip saddr != %s counter name spoofed drop%n".formatted(AddressPlan.A3.ipv4()));
        rules.append("iifname \"edge\" ip6 saddr != %s counter name spoofed drop%n".formatted(AddressPlan.A3.ipv6()));
    }

    private void edge2() {
        Namespace edge2 = namespace("edge2");
        Namespace inet = namespace("inet");
        wiring.veth(edge2, "eth0", inet, "edge2");
        join(edge2, "eth0", AddressPlan.EDGE2, List.of(AddressPlan.EDGE2_ADDRESS));
        accessPort(inet, "edge2", AddressPlan.EDGE2, List.of(AddressPlan.EDGE2));
        node("edge2", World.EDGE2, List.of(new Uplink("eth0", List.of(AddressPlan.EDGE2_ADDRESS))));
    }

    private void home() {
        Namespace inet = namespace("inet");
        Namespace router = namespace("router");
        forward(router);
        wiring.veth(router, "wan0", inet, "router");
        join(router, "wan0", AddressPlan.HOME_UPLINK, List.of(AddressPlan.HOME_ROUTER));
        accessPort(inet, "router", AddressPlan.HOME_UPLINK, List.of(AddressPlan.HOME_UPLINK, AddressPlan.HOME));
        wiring.ip(inet, "route add %s via %s".formatted(AddressPlan.HOME.ipv6(), AddressPlan.HOME_ROUTER.ipv6()));
        wiring.bridge(router, "lan0");
        wiring.address(router, "lan0", AddressPlan.HOME, AddressPlan.HOME.gateway());
        wiring.nft(router, Background.homeRouter());
        homeNode("home1", World.HOME1);
        homeNode("home2", World.HOME2);
    }

    private void homeNode(String name, int number) {
        Namespace node = namespace(name);
        Namespace router = namespace("router");
        DualAddress address = AddressPlan.HOME.host(9 + number);
        wiring.veth(node, "eth0", router, name);
        wiring.port(router, "lan0", name);
        join(node, "eth0", AddressPlan.HOME, List.of(address));
        node(name, number, List.of(new Uplink("eth0", List.of(address))));
    }

    private void node(String name, int number, List<Uplink> uplinks) {
        Namespace namespace = namespace(name);
        forward(namespace);
        filterBridged(namespace, true);
        String strictness = layout.has(Feature.STRICT_REVERSE_PATH) ? "1" : "2";
        for (String which : List.of("all", "default")) {
            wiring.sysctl(namespace, "net.ipv4.conf." + which + ".rp_filter", strictness);
        }
        if (layout.has(Feature.SOURCE_VALID_MARK)) {
            wiring.sysctl(namespace, "net.ipv4.conf.all.src_valid_mark", "1");
        }
        List<Host> pods = IntStream.rangeClosed(1, layout.podsOf(name))
                .mapToObj(pod -> new Host(namespace(podName(name, pod)), AddressPlan.pod(number, pod)))
                .toList();
        nodes.put(name, new MeshNode(namespace, number, uplinks, pods));
    }

    private void pods(MeshNode node) {
        if (layout.has(Feature.ROUTED_PODS)) {
            node.pods().forEach(pod -> routedPod(node, pod));
        } else {
            bridgedPods(node);
        }
        for (Host pod : node.pods()) {
            wiring.ip(pod.namespace(), "link set eth0 mtu %d".formatted(AddressPlan.MESH_MTU));
        }
    }

    /** Device names of a node's pods: {@code veth1}, {@code veth2}. */
    private static String podDevice(MeshNode node, Host pod) {
        return "veth" + (node.pods().indexOf(pod) + 1);
    }

    private void bridgedPods(MeshNode node) {
        Namespace namespace = node.namespace();
        Segment block = node.podBlock();
        wiring.bridge(namespace, "cni0");
        wiring.address(namespace, "cni0", block, block.gateway());
        for (Host pod : node.pods()) {
            String device = podDevice(node, pod);
            wiring.veth(pod.namespace(), "eth0", namespace, device);
            wiring.ip(namespace, "link set %s mtu %d".formatted(device, AddressPlan.MESH_MTU));
            wiring.port(namespace, "cni0", device);
            if (!layout.has(Feature.NO_HAIRPIN)) {
                wiring.ip(namespace, "link set %s type bridge_slave hairpin on".formatted(device));
            }
            join(pod.namespace(), "eth0", block, List.of(pod.addresses()));
        }
    }

    /** Calico's way: the pod has nothing but a link-local gateway, which every such device of the node answers for. */
    private void routedPod(MeshNode node, Host pod) {
        Namespace namespace = node.namespace();
        String device = podDevice(node, pod);
        wiring.veth(pod.namespace(), "eth0", namespace, device);
        wiring.ip(namespace, "link set %s mtu %d".formatted(device, AddressPlan.MESH_MTU));
        wiring.ip(namespace, "address add 169.254.1.1/32 dev %s".formatted(device));
        wiring.ip(namespace, "address add fe80::1/64 dev %s".formatted(device));
        wiring.ip(namespace, "route add %s dev %s".formatted(pod.addresses().ipv4(), device));
        wiring.ip(namespace, "route add %s dev %s".formatted(pod.addresses().ipv6(), device));
        wiring.ip(
                pod.namespace(),
                "address add %s/32 dev eth0".formatted(pod.addresses().ipv4()));
        wiring.ip(
                pod.namespace(),
                "address add %s/128 dev eth0".formatted(pod.addresses().ipv6()));
        wiring.ip(pod.namespace(), "route add 169.254.1.1 dev eth0");
        wiring.ip(pod.namespace(), "route add default via 169.254.1.1");
        wiring.ip(pod.namespace(), "route add ::/0 via fe80::1 dev eth0");
    }

    private void background(MeshNode node) {
        if (!layout.has(Feature.BARE)) {
            wiring.nft(node.namespace(), Background.node(node));
        }
        if (layout.has(Feature.INGRESS_FIREWALL)) {
            wiring.nft(node.namespace(), Background.ingressFirewall(node));
        }
    }
}
