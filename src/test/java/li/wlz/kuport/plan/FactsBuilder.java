package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.InterfaceAddress;
import li.wlz.kuport.model.InterfaceRoute;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.Listener;
import li.wlz.kuport.model.MarkIndices;
import li.wlz.kuport.model.NetworkInterface;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.Sysctls;

/** Builds the facts of one node: what is not said is as on a node that is well. */
final class FactsBuilder {
    private final Map<String, NetworkInterface> interfaces = new LinkedHashMap<>();
    private final List<InterfaceRoute> routes = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();
    private final List<Dialled> opened = new ArrayList<>();
    private final List<NodeProblem> problems = new ArrayList<>();
    private MarkIndices indices = MarkIndices.NONE;
    private Sysctls sysctls = new Sysctls(true, true, true, 0, new PortRange(32768, 60999));

    /** The facts of a node of the address plan: its mesh interface wg0, and enp1s0 with its addresses outside. */
    static FactsBuilder of(String node) {
        FactsBuilder facts = new FactsBuilder().iface("wg0", 1420, AddressPlan.mesh(node) + "/24");
        return switch (node) {
            case "edge-a" ->
                facts.iface("enp1s0", 1500, "203.0.113.9/24", "2001:db8:a::9/64", "fe80::9/64")
                        .route("enp1s0", "0.0.0.0/0", "203.0.113.1", 100);
            case "edge-b" -> facts.iface("enp1s0", 1500, "203.0.113.77/24", "2001:db8:b::77/64");
            default -> facts.iface("enp0s3", 1500, "192.168.1.11/24");
        };
    }

    FactsBuilder iface(String name, int mtu, String... addresses) {
        List<InterfaceAddress> held = new ArrayList<>();
        for (String address : addresses) {
            int slash = address.indexOf('/');
            held.add(InterfaceAddress.of(address.substring(0, slash), Integer.parseInt(address.substring(slash + 1))));
        }
        return iface(name, mtu, held);
    }

    FactsBuilder iface(String name, int mtu, List<InterfaceAddress> addresses) {
        interfaces.put(
                name, new NetworkInterface(name, interfaces.size() + 1, mtu, true, name.equals("lo"), 0, addresses));
        return this;
    }

    FactsBuilder down(String name) {
        interfaces.put(name, new NetworkInterface(name, 99, 1370, false, false, 0, List.of()));
        return this;
    }

    FactsBuilder rpFilter(String name, int value) {
        interfaces.computeIfPresent(
                name,
                (n, i) -> new NetworkInterface(n, i.index(), i.mtu(), i.up(), i.loopback(), value, i.addresses()));
        return this;
    }

    FactsBuilder without(String name) {
        interfaces.remove(name);
        return this;
    }

    FactsBuilder route(String device, String destination, String gateway, int metric) {
        routes.add(new InterfaceRoute(device, Cidr.parse(destination), IpAddress.parse(gateway), false, metric, null));
        return this;
    }

    FactsBuilder localRoute(String destination) {
        routes.add(new InterfaceRoute("lo", Cidr.parse(destination), null, false, 0, null));
        return this;
    }

    FactsBuilder listener(Protocol protocol, String address, int port) {
        listeners.add(new Listener(protocol, IpAddress.parse(address), port, false, null));
        return this;
    }

    FactsBuilder opened(Dialled dialled) {
        opened.add(dialled);
        return this;
    }

    FactsBuilder indices(MarkIndices indices) {
        this.indices = indices;
        return this;
    }

    FactsBuilder sysctls(boolean forwarding4, boolean forwarding6, boolean ipv6) {
        this.sysctls = new Sysctls(forwarding4, forwarding6, ipv6, 0, sysctls.ephemeralPorts());
        return this;
    }

    FactsBuilder problem(NodeProblem problem) {
        problems.add(problem);
        return this;
    }

    NodeFacts build() {
        return new NodeFacts(
                List.copyOf(interfaces.values()), routes, listeners, indices, Sorted.copyOf(opened), sysctls, problems);
    }
}
