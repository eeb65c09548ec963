package li.wlz.kuport.delivery;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpFamily;

/** The texts of manifests for a world of the lab. */
public final class Manifests {
    /** The namespace that all workloads of the tests live in. */
    public static final String NAMESPACE = "games";

    private static final String API = "apiVersion: kuport.wlz.li/v1alpha1\n";

    private Manifests() {}

    /** The world's nodes as Kubernetes describes them, and the workloads' namespace. */
    static String cluster(World world) {
        String nodes = world.nodes().stream()
                .sorted(Comparator.comparing(MeshNode::name))
                .map(Manifests::node)
                .collect(Collectors.joining("---\n"));
        return nodes + "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: " + NAMESPACE + "}\n";
    }

    private static String node(MeshNode node) {
        return """
                apiVersion: v1
                kind: Node
                metadata: {name: %s}
                status:
                  conditions: [{type: Ready, status: "True"}]
                  addresses:
                    - {type: InternalIP, address: %s}
                    - {type: InternalIP, address: "%s"}
                """.formatted(node.name(), node.mesh().ipv4(), node.mesh().ipv6());
    }

    /**
     * A class.
     *
     * @param spec more lines of its spec, in YAML; {@code returnPath} is there unless they bring their own
     */
    public static String portMapClass(String name, String spec) {
        String body = spec.contains("returnPath:") ? spec : spec + "\nreturnPath: {mode: Vxlan}";
        return API + "kind: PortMapClass\nmetadata: {name: " + name + "}\nspec:\n" + body.indent(2);
    }

    /** A node's PortMapNode as its agent would write it: its link, and what its uplinks hold. */
    public static String portMapNode(MeshNode node) {
        return portMapNode(node, true);
    }

    /** As {@link #portMapNode(MeshNode)}, with a link that is up or not. */
    public static String portMapNode(MeshNode node, boolean linkUp) {
        String uplinks = node.uplinks().stream()
                .map(uplink -> "    - {name: %s, addresses: [%s], addresses6: [%s]}\n"
                        .formatted(
                                uplink.interfaceName(),
                                addresses(uplink, IpFamily.IPV4),
                                addresses(uplink, IpFamily.IPV6)))
                .collect(Collectors.joining());
        return API + """
                kind: PortMapNode
                metadata: {name: %s}
                status:
                  link: {up: %s, underlay: %s, underlayMTU: 1420, mtu: 1370, port: 4790, vni: 4242}
                  interfaces:
                """.formatted(node.name(), linkUp, node.mesh().ipv4()) + uplinks;
    }

    private static String addresses(MeshNode.Uplink uplink, IpFamily family) {
        return uplink.addresses().stream()
                .map(address -> '"' + address.of(family).toString() + '"')
                .collect(Collectors.joining(", "));
    }

    /** A PortMap of class {@code public}; its Service has the mapping's name, and the port {@code main}. */
    public static String portMap(String name, String protocol, int port) {
        return portMap(name, name, "className: public\nprotocol: " + protocol + "\nport: " + port);
    }

    /**
     * A PortMap.
     *
     * @param spec the lines of its spec before {@code serviceRef}
     */
    public static String portMap(String name, String service, String spec) {
        return API + "kind: PortMap\nmetadata: {name: " + name + ", namespace: " + NAMESPACE + "}\nspec:\n"
                + spec.indent(2) + "  serviceRef: {name: " + service + ", port: main}\n";
    }

    /** A Service with one port {@code main} for TCP and UDP each, and slices that list these pods, all ready. */
    public static String workload(String service, int podPort, Backend... pods) {
        return """
                apiVersion: v1
                kind: Service
                metadata: {name: %s, namespace: %s}
                spec:
                  ports:
                    - {name: main, protocol: TCP, port: %d}
                    - {name: main, protocol: UDP, port: %d}
                """.formatted(service, NAMESPACE, podPort, podPort)
                + slice(service, IpFamily.IPV4, podPort, List.of(pods))
                + slice(service, IpFamily.IPV6, podPort, List.of(pods));
    }

    private static String slice(String service, IpFamily family, int podPort, List<Backend> pods) {
        List<Backend> listed =
                pods.stream().filter(pod -> pod.families().contains(family)).toList();
        if (listed.isEmpty()) {
            return "";
        }
        return """
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata:
                  name: %1$s-%2$s
                  namespace: %3$s
                  labels: {kubernetes.io/service-name: %1$s}
                addressType: %4$s
                ports:
                  - {name: main, protocol: TCP, port: %5$d}
                  - {name: main, protocol: UDP, port: %5$d}
                endpoints:
                """.formatted(service, family.digit(), NAMESPACE, family == IpFamily.IPV4 ? "IPv4" : "IPv6", podPort)
                + listed.stream()
                        .map(pod -> """
                                  - addresses: ["%s"]
                                    nodeName: %s
                                    targetRef: {kind: Pod, namespace: %s, name: %s}
                                    conditions: {ready: %s, serving: %s, terminating: %s}
                                """.formatted(
                                        pod.addresses().of(family),
                                        pod.node(),
                                        NAMESPACE,
                                        pod.name(),
                                        pod.ready(),
                                        pod.serving(),
                                        pod.terminating())
                                .indent(0))
                        .collect(Collectors.joining());
    }

    /** A pod behind a Service. */
    public record Backend(
            String name,
            String node,
            li.wlz.kuport.lab.DualAddress addresses,
            List<IpFamily> families,
            boolean ready,
            boolean serving,
            boolean terminating) {
        /** A ready pod of both families. */
        public static Backend of(MeshNode node, Host pod) {
            return new Backend(
                    pod.name(), node.name(), pod.addresses(), Arrays.asList(IpFamily.values()), true, true, false);
        }

        /** A ready pod in the node's own network, at the node's mesh addresses. */
        public static Backend inHostNetworkOf(MeshNode node) {
            return new Backend(
                    "host-" + node.name(),
                    node.name(),
                    node.mesh(),
                    Arrays.asList(IpFamily.values()),
                    true,
                    true,
                    false);
        }

        /** This pod with addresses of one family alone. */
        public Backend only(IpFamily family) {
            return new Backend(name, node, addresses, List.of(family), ready, serving, terminating);
        }

        /** This pod about to end: it still answers, and should get nothing new. */
        public Backend draining() {
            return new Backend(name, node, addresses, families, false, true, true);
        }

        /** This pod not ready, and not answering. */
        public Backend unready() {
            return new Backend(name, node, addresses, families, false, false, false);
        }
    }
}
