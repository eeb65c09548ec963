package li.wlz.kuport.delivery;

import static li.wlz.kuport.delivery.Manifests.portMap;
import static li.wlz.kuport.delivery.Manifests.portMapClass;
import static li.wlz.kuport.delivery.Manifests.workload;
import static org.assertj.core.api.Assertions.assertThat;

import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The main job: a client outside dials edge, and the pod, wherever it is, sees the client. */
class DeliveryNetnsIT {
    private static World world;
    private static Cluster cluster;

    @BeforeAll
    static void serve() {
        world = World.build(Layout.plain());
        cluster = Cluster.on(world);
        cluster.write("class", portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"));
        publish("far", world.home1(), world.home1().pod(1), 3000);
        publish("near", world.edge(), world.edge().pod(1), 3001);
        cluster.settle();
    }

    private static void publish(String name, MeshNode node, Host pod, int port) {
        EchoServer.start(pod.namespace(), pod.name(), 8080);
        cluster.write(name + "-service", workload(name, 8080, Backend.of(node, pod)));
        cluster.write(name + "-tcp", portMap(name + "-tcp", name, "className: public\nprotocol: TCP\nport: " + port));
        cluster.write(name + "-udp", portMap(name + "-udp", name, "className: public\nprotocol: UDP\nport: " + port));
    }

    @AfterAll
    static void end() {
        cluster.close();
        world.close();
    }

    @ParameterizedTest
    @CsvSource({
        "TCP, IPV4, 3000, home1-pod1", "UDP, IPV4, 3000, home1-pod1", "TCP, IPV6, 3000, home1-pod1",
        "UDP, IPV6, 3000, home1-pod1", "TCP, IPV4, 3001, edge-pod1", "UDP, IPV4, 3001, edge-pod1",
        "TCP, IPV6, 3001, edge-pod1", "UDP, IPV6, 3001, edge-pod1"
    })
    void S1_the_pod_sees_the_client_and_the_client_hears_from_what_it_dialled(
            Protocol protocol, IpFamily family, int port, String server) {
        IpAddress dialled = AddressPlan.A1.of(family);

        Answer answer = world.cli().dial(Dial.to(protocol, dialled, port));

        assertThat(answer).isInstanceOfSatisfying(Answer.Reply.class, reply -> {
            assertThat(reply.server()).isEqualTo(server);
            assertThat(reply.sourceSeen()).isEqualTo(reply.sentFrom());
            assertThat(reply.sourceSeen().address()).isEqualTo(AddressPlan.CLIENT.of(family));
            assertThat(reply.repliedFrom().address()).isEqualTo(dialled);
            assertThat(reply.repliedFrom().port()).isEqualTo(port);
        });
    }

    @Test
    void a_second_pass_changes_nothing() {
        for (MeshNode node : world.nodes()) {
            String before = node.namespace().run("nft", "--handle", "list", "table", "inet", "kuport");
            cluster.agent(node).pass();
            assertThat(node.namespace().run("nft", "--handle", "list", "table", "inet", "kuport"))
                    .isEqualTo(before);
        }
    }
}
