package li.wlz.kuport.delivery;

import static li.wlz.kuport.lab.Feature.POINT_TO_POINT_UPLINK;

import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Edge's second uplink has one peer and no gateway, as ppp and tunnels have. */
class PointToPointUplinkNetnsIT {
    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain().with(POINT_TO_POINT_UPLINK));

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        Ways.serve(STAGE, "nodes: {edge: {interfaces: [eth0, eth1]}}");
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void A1_a_reply_leaves_by_the_uplink_that_its_client_came_in_by_though_it_has_no_gateway(
            Protocol protocol, IpFamily family) {
        Ways.everyServerSees(
                List.of(world.cli(), world.cli2()),
                protocol,
                List.of(AddressPlan.A1.of(family), AddressPlan.A2.of(family), AddressPlan.A3.of(family)));
    }
}
