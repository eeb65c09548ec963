package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Feature;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Tally;
import li.wlz.kuport.lab.Tally.Hook;
import li.wlz.kuport.lab.Tally.Watch;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Home nodes meet only through edge, which forwards in the mesh and runs an agent like any node. */
class HubNetnsIT {
    private static final int BY_HUB = 3000;
    /** Accepted by home2 in the home network, served by home1: the hub forwards the link between them. */
    private static final int BY_SPOKE = 3001;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain().with(Feature.HUB));

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        World world = STAGE.world();
        Stream.of(world.home1().pod(1), world.home2().pod(1)).forEach(STAGE::serve);
        STAGE.cluster()
                .write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"))
                .write("home-class", Manifests.portMapClass("home", "nodes: {home2: {interfaces: [eth0]}}"));
        STAGE.publish(
                "hub", "public", BY_HUB, Backend.of(world.home1(), world.home1().pod(1)));
        STAGE.publish(
                "hub-other",
                "public",
                BY_HUB + 100,
                Backend.of(world.home2(), world.home2().pod(1)));
        STAGE.publish(
                "spoke",
                "home",
                BY_SPOKE,
                Backend.of(world.home1(), world.home1().pod(1)));
        STAGE.cluster().settle();
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void the_hub_delivers_to_either_spoke(Protocol protocol, IpFamily family) {
        for (Host client : List.of(world.cli(), world.cli2())) {
            IpAddress address = AddressPlan.A1.of(family);
            Visits.seenAsItself(client.namespace(), Dial.to(protocol, address, BY_HUB), "home1-pod1");
            Visits.seenAsItself(client.namespace(), Dial.to(protocol, address, BY_HUB + 100), "home2-pod1");
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void the_hub_forwards_the_link_between_two_spokes(Protocol protocol, IpFamily family) {
        MeshNode home2 = world.home2();
        IpAddress accepting = home2.uplinks().getFirst().addresses().getFirst().of(family);
        try (Tally hub =
                Tally.start(world.edge().namespace(), List.of(new Watch("link", Hook.FORWARD, "udp dport 4790")))) {
            Visits.seenAsItself(world.router(), Dial.to(protocol, accepting, BY_SPOKE), "home1-pod1");
            Visits.seenAsItself(home2.pod(1).namespace(), Dial.to(protocol, accepting, BY_SPOKE), "home1-pod1");
            Visits.seenAsItself(home2.namespace(), Dial.to(protocol, accepting, BY_SPOKE), "home1-pod1");

            // There and back.
            assertThat(hub.packets("link")).isGreaterThanOrEqualTo(6);
        }
    }
}
