package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.Endpoint;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.LabelSelector;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.World;
import org.jspecify.annotations.Nullable;

/** Builds worlds for tests: what is not said is as in a healthy cluster. */
final class WorldBuilder {
    private boolean rowsShared = true;
    private final Map<String, ClusterNode> nodes = new LinkedHashMap<>();
    private final Map<String, NodeReport> reports = new LinkedHashMap<>();
    private final Map<String, Map<String, String>> namespaces = new LinkedHashMap<>();
    private final Map<String, PortClass> classes = new LinkedHashMap<>();
    private final Map<ObjectKey, PortRequest> portMaps = new LinkedHashMap<>();
    private final List<World.Refusal> refused = new ArrayList<>();
    private final Map<ObjectKey, List<World.ServicePort>> services = new LinkedHashMap<>();
    private final Map<ObjectKey, List<Endpoint>> endpoints = new LinkedHashMap<>();

    /** Nodes edge-a, edge-b, home1 and home2 with reports, and namespace games; a class or a mapping is up to the test. */
    static WorldBuilder cluster() {
        return new WorldBuilder()
                .node("edge-a")
                .report("edge-a", Map.of("enp1s0", List.of(AddressPlan.EDGE_A, AddressPlan.EDGE_A6)))
                .node("edge-b")
                .report("edge-b", Map.of("enp1s0", List.of(AddressPlan.EDGE_B, AddressPlan.EDGE_B6)))
                .node("home1")
                .report("home1", Map.of())
                .node("home2")
                .report("home2", Map.of())
                .namespace("games", Map.of());
    }

    /** As agents see it that all read a folder. */
    WorldBuilder folder() {
        rowsShared = false;
        reports.clear();
        return this;
    }

    WorldBuilder node(String name) {
        return node(name, true, Map.of(), List.of());
    }

    WorldBuilder node(String name, boolean ready, Map<String, String> labels, List<IpAddress> annotation) {
        IpAddress mesh = AddressPlan.mesh(name);
        nodes.put(
                name,
                new ClusterNode(name, 1000, Sorted.copyOf(labels), ready, List.of(mesh), List.of(mesh), annotation));
        return this;
    }

    WorldBuilder node(ClusterNode node) {
        nodes.put(node.name(), node);
        return this;
    }

    WorldBuilder notReady(String name) {
        return node(name, false, Map.of(), List.of());
    }

    WorldBuilder withoutNode(String name) {
        nodes.remove(name);
        return this;
    }

    WorldBuilder report(String node, Map<String, List<IpAddress>> interfaces) {
        return report(new NodeReport(
                node,
                true,
                List.of(AddressPlan.mesh(node)),
                1420,
                1370,
                Settings.DEFAULT_LINK_PORT,
                Settings.DEFAULT_VNI,
                Sorted.copyOf(interfaces),
                List.of()));
    }

    WorldBuilder report(NodeReport report) {
        reports.put(report.node(), report);
        return this;
    }

    WorldBuilder withoutReport(String node) {
        reports.remove(node);
        return this;
    }

    WorldBuilder namespace(String name, Map<String, String> labels) {
        namespaces.put(name, labels);
        return this;
    }

    WorldBuilder portClass(ClassBuilder builder) {
        PortClass built = builder.build();
        classes.put(built.name(), built);
        return this;
    }

    WorldBuilder portMap(MapBuilder builder) {
        PortRequest built = builder.build();
        portMaps.put(built.key(), built);
        return this;
    }

    WorldBuilder without(String portMap) {
        portMaps.remove(key(portMap));
        return this;
    }

    WorldBuilder refusal(String portMap, AcceptedReason reason, String message) {
        refused.add(new World.Refusal(key(portMap), 1, reason, message));
        return this;
    }

    WorldBuilder service(String service, World.ServicePort... ports) {
        services.put(key(service), List.of(ports));
        return this;
    }

    WorldBuilder withoutService(String service) {
        services.remove(key(service));
        return this;
    }

    /** Replaces the endpoints of a Service. */
    WorldBuilder endpoints(String service, PodBuilder... pods) {
        endpoints.put(
                key(service), List.of(pods).stream().map(PodBuilder::build).toList());
        return this;
    }

    /**
     * The usual game: Service games/NAME with a UDP port named "game", one pod {@code NAME-0} of the node, and a PortMap that asks for
     * the port in class {@code public}.
     */
    WorldBuilder game(String name, int port, String node) {
        return service("games/" + name, new World.ServicePort("game", Protocol.UDP, port))
                .endpoints("games/" + name, pod(name + "-0", node).port("game", Protocol.UDP, port))
                .portMap(map("games/" + name).udp(port).service(name, "game"));
    }

    World build() {
        return new World(
                rowsShared,
                Sorted.copyOf(nodes),
                Sorted.copyOf(reports),
                Sorted.copyOf(sortedLabels()),
                Sorted.copyOf(classes),
                Sorted.copyOf(portMaps),
                refused,
                Sorted.copyOf(services),
                Sorted.copyOf(endpoints),
                Sorted.map());
    }

    private Map<String, SortedMap<String, String>> sortedLabels() {
        Map<String, SortedMap<String, String>> sorted = new LinkedHashMap<>();
        namespaces.forEach((name, labels) -> sorted.put(name, Sorted.copyOf(labels)));
        return sorted;
    }

    /** The same world, with every list whose order means nothing in another order. */
    World buildShuffled(long seed) {
        Random random = new Random(seed);
        endpoints.replaceAll((key, list) -> {
            List<Endpoint> shuffled = new ArrayList<>(list);
            Collections.shuffle(shuffled, random);
            return shuffled;
        });
        services.replaceAll((key, list) -> {
            List<World.ServicePort> shuffled = new ArrayList<>(list);
            Collections.shuffle(shuffled, random);
            return shuffled;
        });
        Collections.shuffle(refused, random);
        return build();
    }

    /** The verdicts of all agents on the PortMaps of a world. */
    static Map<ObjectKey, Verdict> verdicts(World world) {
        Map<ObjectKey, Verdict> verdicts = new LinkedHashMap<>();
        rulings(world)
                .forEach((key, ruling) -> verdicts.put(key, ruling.settled().verdict()));
        return verdicts;
    }

    /** What all agents decide about the PortMaps of a world. */
    static SortedMap<ObjectKey, Ruling> rulings(World world) {
        SortedMap<ObjectKey, Ruling> rulings = new TreeMap<>();
        new Rulings(Agreement.of(world), Settings.defaults("edge-a"))
                .update(world)
                .fresh()
                .forEach(overlap -> overlap.members().forEach(member -> rulings.put(member.key(), member)));
        return rulings;
    }

    static ObjectKey key(String text) {
        int slash = text.indexOf('/');
        return new ObjectKey(text.substring(0, slash), text.substring(slash + 1));
    }

    static ClassBuilder portClass() {
        return new ClassBuilder();
    }

    static MapBuilder map(String key) {
        return new MapBuilder(key(key));
    }

    /** A ready pod {@code NAME-N} whose address ends in N + 10. */
    static PodBuilder pod(String name, String node) {
        return new PodBuilder(name, node);
    }

    /** A class; by default {@code public}, with interface enp1s0 of edge-a. */
    static final class ClassBuilder {
        private String name = "public";
        private final Map<String, PortClass.NodeOffer> nodes = new LinkedHashMap<>();
        private @Nullable LabelSelector nodeSelector;
        private List<String> interfaces = List.of();
        private PortClass.ServingMode mode = PortClass.ServingMode.Single;
        private PortClass.PortPolicy ports = PortClass.PortPolicy.ANY;
        private LabelSelector namespaceSelector = LabelSelector.EVERYTHING;
        private PortClass.ReturnPathMode returnPath = PortClass.ReturnPathMode.Vxlan;
        private PortClass.@Nullable Vxlan vxlan;

        ClassBuilder name(String name) {
            this.name = name;
            return this;
        }

        ClassBuilder node(String node, String... interfaces) {
            return node(node, new PortClass.NodeOffer(List.of(interfaces), List.of(), Sorted.map()));
        }

        ClassBuilder node(String node, PortClass.NodeOffer offer) {
            nodes.put(node, offer);
            return this;
        }

        ClassBuilder listed(String node, IpAddress... addresses) {
            return node(node, new PortClass.NodeOffer(List.of(), List.of(addresses), Sorted.map()));
        }

        ClassBuilder selecting(LabelSelector selector, String... interfaces) {
            this.nodeSelector = selector;
            this.interfaces = List.of(interfaces);
            return this;
        }

        ClassBuilder multi() {
            this.mode = PortClass.ServingMode.Multi;
            return this;
        }

        ClassBuilder ports(PortClass.PortPolicy ports) {
            this.ports = ports;
            return this;
        }

        ClassBuilder allow(String... ports) {
            return ports(new PortClass.PortPolicy(
                    PortClass.PortPolicy.ANY.range(),
                    List.of(),
                    List.of(ports).stream().map(PortRange::parse).toList()));
        }

        ClassBuilder namespaces(LabelSelector selector) {
            this.namespaceSelector = selector;
            return this;
        }

        ClassBuilder withoutReturnPath() {
            this.returnPath = PortClass.ReturnPathMode.None;
            return this;
        }

        ClassBuilder vxlan(int vni, int port) {
            this.vxlan = new PortClass.Vxlan(vni, port);
            return this;
        }

        PortClass build() {
            return new PortClass(
                    name,
                    1000,
                    1,
                    Sorted.copyOf(nodes),
                    nodeSelector,
                    interfaces,
                    mode,
                    ports,
                    namespaceSelector,
                    returnPath,
                    vxlan);
        }
    }

    /** A PortMap; by default of class {@code public}, UDP 3000, port {@code game} of the Service of its own name. */
    static final class MapBuilder {
        private final ObjectKey key;
        private long created = 1000;
        private long generation = 1;
        private String className = "public";
        private Protocol protocol = Protocol.UDP;
        private PortRange ports = PortRange.of(3000);
        private List<String> interfaces = List.of();
        private String service;
        private String servicePort = "game";
        private PortRequest.@Nullable CurrentEndpoint currentEndpoint;
        private @Nullable String currentServingNode;
        private final Map<String, NodeRow> rows = new LinkedHashMap<>();

        MapBuilder(ObjectKey key) {
            this.key = key;
            this.service = key.name();
        }

        MapBuilder created(long seconds) {
            this.created = seconds;
            return this;
        }

        MapBuilder generation(long generation) {
            this.generation = generation;
            return this;
        }

        MapBuilder className(String name) {
            this.className = name;
            return this;
        }

        MapBuilder udp(int port) {
            return udp(Integer.toString(port));
        }

        MapBuilder udp(String ports) {
            this.protocol = Protocol.UDP;
            this.ports = PortRange.parse(ports);
            return this;
        }

        MapBuilder tcp(int port) {
            return tcp(Integer.toString(port));
        }

        MapBuilder tcp(String ports) {
            this.protocol = Protocol.TCP;
            this.ports = PortRange.parse(ports);
            return this;
        }

        MapBuilder interfaces(String... names) {
            this.interfaces = List.of(names);
            return this;
        }

        MapBuilder service(String name, String port) {
            this.service = name;
            this.servicePort = port;
            return this;
        }

        MapBuilder currently(String node, String pod) {
            this.currentEndpoint = new PortRequest.CurrentEndpoint(node, pod);
            return this;
        }

        MapBuilder servedBy(String node) {
            this.currentServingNode = node;
            return this;
        }

        MapBuilder row(NodeRow row) {
            rows.put(row.node(), row);
            return this;
        }

        /** A row that says all is well, of this generation. */
        MapBuilder readyRow(String node, NodeRow.Role role, IpAddress endpoint) {
            return row(new NodeRow(node, role, true, endpoint, generation, null, ""));
        }

        PortRequest build() {
            return new PortRequest(
                    key,
                    created,
                    generation,
                    className,
                    protocol,
                    ports,
                    interfaces,
                    service,
                    servicePort,
                    currentEndpoint,
                    currentServingNode,
                    Sorted.copyOf(rows));
        }
    }

    /** An endpoint; by default a ready pod with an IPv4 address of its node's pod network. */
    static final class PodBuilder {
        private @Nullable String name;
        private @Nullable String node;
        private boolean ready = true;
        private boolean serving = true;
        private boolean terminating = false;
        private final Map<IpFamily, IpAddress> addresses = new LinkedHashMap<>();
        private final List<Endpoint.Port> ports = new ArrayList<>();

        PodBuilder(String name, String node) {
            this.name = name;
            this.node = node;
            String digits = name.replaceAll("\\D", "");
            address(AddressPlan.pod(node, 10 + (digits.isEmpty() ? 0 : Integer.parseInt(digits) % 100)));
        }

        PodBuilder unready() {
            this.ready = false;
            this.serving = false;
            return this;
        }

        /** About to end, and still answering. */
        PodBuilder ending() {
            this.ready = false;
            this.terminating = true;
            return this;
        }

        PodBuilder address(IpAddress address) {
            addresses.put(address.family(), address);
            return this;
        }

        PodBuilder dualStack() {
            return address(AddressPlan.pod6(Objects.requireNonNull(node), 10));
        }

        PodBuilder only(IpAddress address) {
            addresses.clear();
            return address(address);
        }

        /** In the host's network: its address is its node's. */
        PodBuilder hostNetwork() {
            return only(AddressPlan.mesh(Objects.requireNonNull(node)));
        }

        /** An endpoint that is no pod. */
        PodBuilder noPod() {
            this.name = null;
            return this;
        }

        PodBuilder onNoNode() {
            this.node = null;
            return this;
        }

        PodBuilder port(String name, Protocol protocol, int port) {
            ports.add(new Endpoint.Port(name, protocol, port));
            return this;
        }

        Endpoint build() {
            return new Endpoint(name, node, ready, serving, terminating, Sorted.copyOf(addresses), ports);
        }
    }
}
