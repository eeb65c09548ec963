package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.DualAddress;
import li.wlz.kuport.lab.Feature;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.TcpStream;
import li.wlz.kuport.lab.UdpSender;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.PortMapReport.Published;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Two public nodes of one class: with {@code Multi} both serve, with {@code Single} one does. */
class AcceptingNodesNetnsIT {
    private static final int MULTI_HOME = 3000;
    private static final int MULTI_EDGE = 3001;
    private static final int MULTI_EDGE2 = 3002;
    private static final int MULTI_HOST = 3003;
    private static final int SINGLE_HOME = 4000;
    private static final int SINGLE_EDGE2 = 4001;
    private static final int HOST_PORT = 8090;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain().with(Feature.SECOND_PUBLIC_NODE));

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        World world = STAGE.world();
        String nodes = "nodes: {edge: {interfaces: [eth0]}, edge2: {interfaces: [eth0]}}\nservingMode: ";
        STAGE.cluster()
                .write("edge-report", Manifests.portMapNode(world.edge()))
                .write("edge2-report", Manifests.portMapNode(world.edge2()))
                .write("multi", Manifests.portMapClass("multi", nodes + "Multi"))
                .write("single", Manifests.portMapClass("single", nodes + "Single"));
        for (MeshNode node : List.of(world.edge(), world.edge2(), world.home1())) {
            STAGE.serve(node.pod(1));
        }
        STAGE.serveOnHost(world.edge2(), HOST_PORT);
        Backend home = Backend.of(world.home1(), world.home1().pod(1));
        Backend edge2 = Backend.of(world.edge2(), world.edge2().pod(1));
        STAGE.publish("multi-home", "multi", MULTI_HOME, home);
        STAGE.publish(
                "multi-edge",
                "multi",
                MULTI_EDGE,
                Backend.of(world.edge(), world.edge().pod(1)));
        STAGE.publish("multi-edge2", "multi", MULTI_EDGE2, edge2);
        STAGE.publish("multi-host", "multi", MULTI_HOST, HOST_PORT, Backend.inHostNetworkOf(world.edge2()));
        STAGE.publish("single-home", "single", SINGLE_HOME, home);
        STAGE.publish("single-edge2", "single", SINGLE_EDGE2, edge2);
        STAGE.cluster().settle();
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void S1_with_multi_every_accepting_node_delivers_wherever_the_pod_is(Protocol protocol, IpFamily family) {
        for (DualAddress address : List.of(AddressPlan.A1, AddressPlan.A2, AddressPlan.EDGE2_ADDRESS)) {
            for (Host client : List.of(world.cli(), world.cli2())) {
                reached(client, protocol, family, address, MULTI_HOME, "home1-pod1");
                reached(client, protocol, family, address, MULTI_EDGE, "edge-pod1");
                reached(client, protocol, family, address, MULTI_EDGE2, "edge2-pod1");
                reached(client, protocol, family, address, MULTI_HOST, "host-edge2");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void S1_with_single_the_serving_node_delivers_and_the_other_refuses(Protocol protocol, IpFamily family) {
        String file = protocol == Protocol.TCP ? "-tcp" : "-udp";
        for (MeshNode node : world.nodes()) {
            assertThat(STAGE.cluster().agent(node).report("single-home" + file).published())
                    .as("who serves, as " + node.name() + " sees it")
                    .extracting(Published::node)
                    .containsOnly("edge");
        }
        reached(world.cli(), protocol, family, AddressPlan.A1, SINGLE_HOME, "home1-pod1");
        Visits.refused(world.cli().namespace(), Dial.to(protocol, AddressPlan.EDGE2_ADDRESS.of(family), SINGLE_HOME));

        // Where the pod is on an accepting node, that one serves.
        reached(world.cli(), protocol, family, AddressPlan.EDGE2_ADDRESS, SINGLE_EDGE2, "edge2-pod1");
        Visits.refused(world.cli().namespace(), Dial.to(protocol, AddressPlan.A1.of(family), SINGLE_EDGE2));
    }

    private static void reached(
            Host client, Protocol protocol, IpFamily family, DualAddress address, int port, String server) {
        Visits.seenAsItself(client.namespace(), Dial.to(protocol, address.of(family), port), server);
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void two_accepting_nodes_dialled_from_one_client_port_over_tcp_both_go_on_being_answered(IpFamily family) {
        Dial one = Dial.tcp(AddressPlan.A1.of(family), MULTI_HOME).fromPort(41_000);
        Dial other = Dial.tcp(AddressPlan.EDGE2_ADDRESS.of(family), MULTI_HOME).fromPort(41_000);
        try (TcpStream first = TcpStream.open(world.cli().namespace(), one);
                TcpStream second = TcpStream.open(world.cli().namespace(), other)) {
            for (int round = 0; round < 3; round++) {
                for (TcpStream stream : List.of(first, second)) {
                    assertThat(stream.exchange(64, 64))
                            .isInstanceOfSatisfying(
                                    Answer.Reply.class,
                                    // Both in one pod's table: one of them has to bear another port.
                                    reply -> assertThat(reply.sourceSeen().address())
                                            .isEqualTo(AddressPlan.CLIENT.of(family)));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void two_accepting_nodes_dialled_from_one_client_port_over_udp_both_go_on_being_answered(IpFamily family) {
        Dial one = Dial.udp(AddressPlan.A1.of(family), MULTI_HOME).fromPort(41_001);
        Dial other = Dial.udp(AddressPlan.EDGE2_ADDRESS.of(family), MULTI_HOME).fromPort(41_001);
        try (UdpSender first = UdpSender.start(world.cli().namespace(), one);
                UdpSender second = UdpSender.start(world.cli().namespace(), other)) {
            for (int round = 0; round < 2; round++) {
                first.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
                second.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
            }
            for (UdpSender sender : List.of(first, second)) {
                assertThat(sender.received())
                        .allSatisfy(answer ->
                                assertThat(answer.sourceSeen().address()).isEqualTo(AddressPlan.CLIENT.of(family)));
            }
        }
    }
}
