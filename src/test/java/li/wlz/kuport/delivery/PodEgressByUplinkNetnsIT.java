package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Feature;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.PodAnnotations;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A pod's mapped address is on an uplink that the node's default route does not take, and the providers drop others' sources. */
class PodEgressByUplinkNetnsIT {
    @RegisterExtension
    static final Stage STAGE =
            new Stage(Layout.plain().with(Feature.SECOND_UPLINK), settings -> settings.with(PodAnnotations.DEFAULT));

    private final World world = STAGE.world();
    private final MeshNode edge = world.edge();

    @BeforeAll
    static void serve() {
        STAGE.serve(STAGE.world().edge().pod(1));
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void A7_G1_what_the_pod_opens_leaves_with_that_address_by_that_uplink(Protocol protocol, IpFamily family) {
        String entry =
                "{\"entries\":[{\"ifaceAuto\":false,\"srcIP\":\"%s\",\"srcPort\":3000,\"dstPort\":%d,\"proto\":\"%s\"}]}"
                        .formatted(AddressPlan.A3.of(family), Stage.POD_PORT, protocol.lowerCase());
        STAGE.cluster().put("one", Asking.of(edge, edge.pod(1), entry).yaml());
        for (var client : List.of(world.cli(), world.cli2())) {
            Visits.seenAsItself(client.namespace(), Dial.to(protocol, AddressPlan.A3.of(family), 3000), "edge-pod1");
            try (EchoServer outside = EchoServer.start(client.namespace(), "outside", 4000)) {
                Visits.answered(
                        edge.pod(1).namespace(),
                        Dial.to(protocol, client.address(family), 4000).within(Visits.PATIENCE),
                        "outside");
                assertThat(outside.sources()).containsExactly(AddressPlan.A3.of(family));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void A1_A7_what_answers_a_client_of_the_other_uplink_leaves_by_that_one(Protocol protocol, IpFamily family) {
        String entry = "{\"ifaceAuto\":false,\"srcIP\":\"%s\",\"srcPort\":3000,\"dstPort\":%d,\"proto\":\"%s\"}";
        String entries = Stream.of(AddressPlan.A3, AddressPlan.A1)
                .map(address -> entry.formatted(address.of(family), Stage.POD_PORT, protocol.lowerCase()))
                .collect(Collectors.joining(",", "{\"entries\":[", "]}"));
        STAGE.cluster().put("one", Asking.of(edge, edge.pod(1), entries).yaml());
        for (IpAddress dialled : List.of(AddressPlan.A1.of(family), AddressPlan.A3.of(family))) {
            Visits.seenAsItself(world.cli().namespace(), Dial.to(protocol, dialled, 3000), "edge-pod1");
            Visits.seenAsItself(world.cli2().namespace(), Dial.to(protocol, dialled, 3000), "edge-pod1");
        }
    }
}
