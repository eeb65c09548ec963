package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Nodes and pods of the cluster dial edge's published addresses, wherever they are and wherever it is served. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class InsideClients {
    private static final int HOST_PORT = 8090;
    private static final int HOME_POD = 3000;
    private static final int EDGE_POD = 3001;
    private static final int HOME_HOST = 3002;
    private static final int EDGE_HOST = 3003;
    /** Published at edge's mesh address, which is the link's underlay. */
    private static final int IN_MESH = 3004;

    /** What is served away from edge: by the port, by whom. */
    private static final List<Served> ON_HOME1 =
            List.of(new Served(HOME_POD, "home1-pod1"), new Served(HOME_HOST, "host-home1"));

    private static final List<Served> ON_EDGE =
            List.of(new Served(EDGE_POD, "edge-pod1"), new Served(EDGE_HOST, "host-edge"));

    private record Served(int port, String server) {}

    @RegisterExtension
    final Stage stage;

    InsideClients(Layout layout) {
        this.stage = new Stage(layout.pods("edge", 2));
    }

    private World world() {
        return stage.world();
    }

    @BeforeAll
    void serve() {
        MeshNode edge = world().edge();
        MeshNode home1 = world().home1();
        stage.serve(home1.pod(1));
        stage.serve(edge.pod(1));
        stage.serveOnHost(home1, HOST_PORT);
        stage.serveOnHost(edge, HOST_PORT);
        stage.cluster()
                .write("report", Manifests.portMapNode(edge))
                .write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"))
                .write(
                        "mesh-class",
                        Manifests.portMapClass(
                                "mesh",
                                "nodes: {edge: {addresses: [%s, \"%s\"]}}"
                                        .formatted(
                                                edge.mesh().ipv4(), edge.mesh().ipv6())));
        stage.publish("home-pod", "public", HOME_POD, Backend.of(home1, home1.pod(1)));
        stage.publish("edge-pod", "public", EDGE_POD, Backend.of(edge, edge.pod(1)));
        stage.publish("home-host", "public", HOME_HOST, HOST_PORT, Backend.inHostNetworkOf(home1));
        stage.publish("edge-host", "public", EDGE_HOST, HOST_PORT, Backend.inHostNetworkOf(edge));
        stage.publish("in-mesh", "mesh", IN_MESH, Backend.of(home1, home1.pod(1)));
        stage.cluster().settle();
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    private static List<IpAddress> dialled(IpFamily family) {
        return List.of(AddressPlan.A1.of(family), AddressPlan.A2.of(family));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void H4_the_accepting_node_reaches_its_own_published_addresses(Protocol protocol, IpFamily family) {
        for (Served served : both()) {
            for (IpAddress address : dialled(family)) {
                Visits.seenAsItself(
                        world().edge().namespace(), Dial.to(protocol, address, served.port()), served.server());
            }
            // S7: what the node dials from is its own address on the interface it dials.
            IpAddress first = AddressPlan.A1.of(family);
            Visits.seenAs(first, world().edge().namespace(), Dial.to(protocol, first, served.port()), served.server());
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void H3_pods_of_the_accepting_node_are_seen_as_themselves(Protocol protocol, IpFamily family) {
        for (Served served : both()) {
            for (Host pod : world().edge().pods()) {
                if (!pod.name().equals(served.server())) {
                    Visits.seenAsItself(
                            pod.namespace(),
                            Dial.to(protocol, AddressPlan.A1.of(family), served.port()),
                            served.server());
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void H3_the_serving_pods_own_node_and_its_pods_are_seen_as_themselves(Protocol protocol, IpFamily family) {
        for (Served served : ON_HOME1) {
            for (IpAddress address : dialled(family)) {
                Dial dial = Dial.to(protocol, address, served.port());
                Visits.seenAsItself(world().home1().namespace(), dial, served.server());
                Visits.seenAsItself(world().home1().pod(2).namespace(), dial, served.server());
            }
        }
        Visits.seenAsItself(
                world().home1().pod(1).namespace(),
                Dial.to(protocol, AddressPlan.A1.of(family), HOME_HOST),
                "host-home1");
    }

    @ParameterizedTest
    @MethodSource("ways")
    void H3_clients_on_other_nodes_are_seen_as_any_server_outside_sees_them(Protocol protocol, IpFamily family) {
        for (Served served : both()) {
            fromOutside(world().home2(), Dial.to(protocol, AddressPlan.A1.of(family), served.port()), served.server());
        }
        for (Served served : ON_EDGE) {
            fromOutside(world().home1(), Dial.to(protocol, AddressPlan.A1.of(family), served.port()), served.server());
        }
    }

    /** A node and its pods, which leave by the node's uplink: in IPv4 behind the home router's address. */
    private void fromOutside(MeshNode node, Dial dial, String server) {
        IpFamily family = dial.destination().address().family();
        IpAddress outside = family == IpFamily.IPV4
                ? AddressPlan.HOME_ROUTER.ipv4()
                : node.uplinks().getFirst().addresses().getFirst().ipv6();
        Visits.seenAs(outside, node.namespace(), dial, server);
        for (Host pod : node.pods()) {
            Visits.seenAs(outside, pod.namespace(), dial, server);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void H1_a_pod_that_dials_itself_is_answered_where_its_node_sends_it_its_own_packets(
            Protocol protocol, IpFamily family) {
        itself(world().home1(), Dial.to(protocol, AddressPlan.A1.of(family), HOME_POD));
        itself(world().edge(), Dial.to(protocol, AddressPlan.A2.of(family), EDGE_POD));
    }

    /** The one case in which a client is masqueraded, as an address of its node. */
    void itself(MeshNode node, Dial dial) {
        Namespace pod = node.pod(1).namespace();
        Answer.Reply reply = Visits.answered(pod, dial, pod.name());
        String seen = reply.sourceSeen().address().toString();
        assertThat(node.namespace().run("ip", "-o", "address", "show", "to", seen))
                .as("where " + node.name() + " holds " + seen)
                .isNotBlank();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void every_node_and_pod_reaches_the_accepting_nodes_mesh_address(Protocol protocol) {
        MeshNode home1 = world().home1();
        MeshNode home2 = world().home2();
        IpAddress mesh = world().edge().mesh().ipv4();
        Dial dial = Dial.to(protocol, mesh, IN_MESH);
        Visits.seenAsItself(world().edge().namespace(), dial, "home1-pod1");
        Visits.seenAsItself(world().edge().pod(2).namespace(), dial, "home1-pod1");
        Visits.seenAsItself(home1.namespace(), dial, "home1-pod1");
        Visits.seenAsItself(home1.pod(2).namespace(), dial, "home1-pod1");
        itself(home1, dial);
        Visits.seenAsItself(home2.namespace(), dial, "home1-pod1");
        Visits.seenAs(home2.mesh().ipv4(), home2.pod(1).namespace(), dial, "home1-pod1");
    }

    @Test
    void no_pod_can_be_had_by_an_address_that_is_not_published() {
        for (Protocol protocol : Protocol.values()) {
            for (IpFamily family : IpFamily.values()) {
                for (Namespace client : List.of(
                        world().home1().namespace(),
                        world().home2().namespace(),
                        world().home2().pod(1).namespace())) {
                    Visits.refused(client, Dial.to(protocol, world().edge().mesh(family), HOME_POD));
                }
            }
        }
    }

    private static List<Served> both() {
        return Stream.concat(ON_HOME1.stream(), ON_EDGE.stream()).toList();
    }
}
