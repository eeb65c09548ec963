package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Feature;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Several pods could have it, several nodes could serve it: all agents choose the same. */
class ChoicesNetnsIT {
    private static final int PORT = 3000;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain().with(Feature.SECOND_PUBLIC_NODE));

    private final World world = STAGE.world();
    private final Cluster cluster = STAGE.cluster();

    @BeforeAll
    static void serve() {
        STAGE.world().nodes().forEach(node -> node.pods().forEach(STAGE::serve));
    }

    @BeforeEach
    void single() {
        serving("Single");
        cluster.write("cluster", Manifests.cluster(world));
    }

    private void serving(String mode) {
        cluster.write(
                "class",
                Manifests.portMapClass(
                        "public",
                        "nodes: {edge: {interfaces: [eth0]}, edge2: {interfaces: [eth0]}}\nservingMode: " + mode));
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    private void endpoints(Backend... pods) {
        STAGE.publish("game", "public", PORT, pods);
        cluster.settle();
    }

    /** All agents say that it is this pod, and where it is published it answers. */
    private void chosen(String pod, Protocol protocol, IpAddress published) {
        String portMap = protocol == Protocol.TCP ? "game-tcp" : "game-udp";
        for (MeshNode node : world.nodes()) {
            assertThat(Objects.requireNonNull(
                                    cluster.agent(node).report(portMap).endpoint())
                            .pod())
                    .as("what " + node.name() + " chose")
                    .isEqualTo(pod);
        }
        Visits.seenAsItself(world.cli().namespace(), Dial.to(protocol, published, PORT), pod);
    }

    private void refuses(Protocol protocol, IpAddress address) {
        Visits.refused(world.cli().namespace(), Dial.to(protocol, address, PORT));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void E1_ready_pods_go_before_ending_ones_those_on_accepting_nodes_first_then_the_smallest_name(
            Protocol protocol, IpFamily family) {
        IpAddress edge = AddressPlan.A1.of(family);
        IpAddress edge2 = AddressPlan.EDGE2_ADDRESS.of(family);
        Backend home1 = STAGE.endpoint("home1-pod1");
        Backend home2 = STAGE.endpoint("home2-pod1");
        Backend accepting = STAGE.endpoint("edge2-pod1");
        endpoints(home2, home1);
        chosen("home1-pod1", protocol, edge);
        endpoints(home2, home1, accepting);
        chosen("edge2-pod1", protocol, edge2);
        endpoints(home2, home1, accepting.unready());
        chosen("home1-pod1", protocol, edge);
        endpoints(home2, home1.draining(), accepting.draining());
        chosen("home2-pod1", protocol, edge);
        endpoints(home2.draining(), home1.draining());
        chosen("home1-pod1", protocol, edge);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void E1_the_current_pod_stays_though_another_has_a_smaller_name(Protocol protocol, IpFamily family) {
        Backend home1 = STAGE.endpoint("home1-pod1");
        Backend home2 = STAGE.endpoint("home2-pod1");
        STAGE.publish("game", "public", PORT, home1, home2);
        for (String file : List.of("game-tcp", "game-udp")) {
            String text = Manifests.portMap(
                    file,
                    "game",
                    "className: public\nprotocol: %s\nport: %d".formatted(file.endsWith("tcp") ? "TCP" : "UDP", PORT));
            cluster.write(
                    file,
                    text
                            + """
                    status:
                      endpoint: {node: home2, pod: home2-pod1, address: %s, address6: "%s"}
                    """.formatted(
                                    home2.addresses().ipv4(), home2.addresses().ipv6()));
        }
        cluster.settle();
        chosen("home2-pod1", protocol, AddressPlan.A1.of(family));
        cluster.put("game", Manifests.workload("game", Stage.POD_PORT, home1, home2.unready()));
        chosen("home1-pod1", protocol, AddressPlan.A1.of(family));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void with_single_the_pods_node_serves_if_it_accepts_else_the_first_healthy_one(Protocol protocol, IpFamily family) {
        IpAddress edge = AddressPlan.A1.of(family);
        IpAddress edge2 = AddressPlan.EDGE2_ADDRESS.of(family);
        endpoints(STAGE.endpoint("edge2-pod1"));
        chosen("edge2-pod1", protocol, edge2);
        refuses(protocol, edge);

        endpoints(STAGE.endpoint("home1-pod1"));
        chosen("home1-pod1", protocol, edge);
        refuses(protocol, edge2);

        // The first node of the text is edge.
        cluster.put("cluster", Manifests.cluster(world).replaceFirst("status: \"True\"", "status: \"False\""));
        chosen("home1-pod1", protocol, edge2);
        refuses(protocol, edge);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void with_multi_every_healthy_accepting_node_sends_to_the_one_pod(Protocol protocol, IpFamily family) {
        IpAddress edge = AddressPlan.A1.of(family);
        IpAddress edge2 = AddressPlan.EDGE2_ADDRESS.of(family);
        serving("Multi");
        for (String pod : List.of("home1-pod1", "edge2-pod1")) {
            endpoints(STAGE.endpoint(pod));
            chosen(pod, protocol, edge);
            chosen(pod, protocol, edge2);
        }
        cluster.put("cluster", Manifests.cluster(world).replaceFirst("status: \"True\"", "status: \"False\""));
        chosen("edge2-pod1", protocol, edge2);
        refuses(protocol, edge);
    }
}
