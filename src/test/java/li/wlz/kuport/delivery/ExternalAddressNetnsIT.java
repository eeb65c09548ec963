package li.wlz.kuport.delivery;

import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Feature;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Edge is behind a 1:1 NAT in IPv4: the internet knows it by addresses that it does not hold. */
class ExternalAddressNetnsIT {
    private static final int HOME_POD = 3000;
    private static final int EDGE_POD = 3001;

    @RegisterExtension
    static final Stage STAGE =
            new Stage(Layout.plain().with(Feature.ONE_TO_ONE_NAT).pods("edge", 2));

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        World world = STAGE.world();
        MeshNode edge = world.edge();
        STAGE.serve(world.home1().pod(1));
        STAGE.serve(edge.pod(1));
        String external = "%s: %s, %s: %s"
                .formatted(local(edge, 0), AddressPlan.A1.ipv4(), local(edge, 1), AddressPlan.A2.ipv4());
        STAGE.cluster()
                .write("report", Manifests.portMapNode(edge))
                .write(
                        "class",
                        Manifests.portMapClass(
                                "public", "nodes: {edge: {interfaces: [eth0], external: {" + external + "}}}"));
        STAGE.publish(
                "home-pod",
                "public",
                HOME_POD,
                Backend.of(world.home1(), world.home1().pod(1)));
        STAGE.publish("edge-pod", "public", EDGE_POD, Backend.of(edge, edge.pod(1)));
        STAGE.cluster().settle();
    }

    private static IpAddress local(MeshNode edge, int which) {
        return edge.uplinks().getFirst().addresses().get(which).ipv4();
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    private static List<IpAddress> external() {
        return List.of(AddressPlan.A1.ipv4(), AddressPlan.A2.ipv4());
    }

    @ParameterizedTest
    @MethodSource("ways")
    void clients_outside_are_seen_as_themselves(Protocol protocol, li.wlz.kuport.model.IpFamily family) {
        for (Host client : List.of(world.cli(), world.cli2())) {
            for (IpAddress address : List.of(AddressPlan.A1.of(family), AddressPlan.A2.of(family))) {
                Visits.seenAsItself(client.namespace(), Dial.to(protocol, address, HOME_POD), "home1-pod1");
                Visits.seenAsItself(client.namespace(), Dial.to(protocol, address, EDGE_POD), "edge-pod1");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void H4_the_accepting_node_reaches_the_addresses_that_the_internet_knows_it_by(Protocol protocol) {
        for (IpAddress address : external()) {
            reached(world.edge().namespace(), protocol, address);
        }
        reached(world.edge().namespace(), protocol, local(world.edge(), 0));
    }

    private static void reached(Namespace client, Protocol protocol, IpAddress address) {
        Visits.seenAsItself(client, Dial.to(protocol, address, HOME_POD), "home1-pod1");
        Visits.seenAsItself(client, Dial.to(protocol, address, EDGE_POD), "edge-pod1");
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void pods_of_the_accepting_node_reach_the_addresses_that_the_internet_knows_it_by(Protocol protocol) {
        Namespace other = world.edge().pod(2).namespace();
        for (IpAddress address : external()) {
            reached(other, protocol, address);
            Visits.seenAsItself(world.edge().pod(1).namespace(), Dial.to(protocol, address, HOME_POD), "home1-pod1");
            // H1: to itself.
            Visits.answered(world.edge().pod(1).namespace(), Dial.to(protocol, address, EDGE_POD), "edge-pod1");
        }
        reached(other, protocol, local(world.edge(), 1));
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void H3_the_serving_pods_node_and_its_pods_are_seen_as_themselves(Protocol protocol) {
        for (IpAddress address : external()) {
            Dial dial = Dial.to(protocol, address, HOME_POD);
            Visits.seenAsItself(world.home1().namespace(), dial, "home1-pod1");
            Visits.seenAsItself(world.home1().pod(2).namespace(), dial, "home1-pod1");
            Visits.answered(world.home1().pod(1).namespace(), dial, "home1-pod1");
        }
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void clients_on_other_nodes_are_seen_as_any_server_outside_sees_them(Protocol protocol) {
        IpAddress router = AddressPlan.HOME_ROUTER.ipv4();
        for (IpAddress address : external()) {
            Dial dial = Dial.to(protocol, address, HOME_POD);
            Visits.seenAs(router, world.home2().namespace(), dial, "home1-pod1");
            Visits.seenAs(router, world.home2().pod(1).namespace(), dial, "home1-pod1");
            Visits.seenAs(router, world.home1().namespace(), Dial.to(protocol, address, EDGE_POD), "edge-pod1");
        }
    }
}
