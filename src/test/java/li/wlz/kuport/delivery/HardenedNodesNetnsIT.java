package li.wlz.kuport.delivery;

import static li.wlz.kuport.lab.Feature.INGRESS_FIREWALL;
import static li.wlz.kuport.lab.Feature.SOURCE_VALID_MARK;
import static li.wlz.kuport.lab.Feature.STRICT_REVERSE_PATH;

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

/** Strict reverse path filters that look sources up by the packet's mark, and firewalls in filter prerouting, on all nodes. */
class HardenedNodesNetnsIT {
    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain().with(STRICT_REVERSE_PATH, SOURCE_VALID_MARK, INGRESS_FIREWALL));

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        Ways.serve(STAGE, "nodes: {edge: {interfaces: [eth0]}}");
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void A2_what_is_published_passes_filters_and_firewalls_on_both_nodes(Protocol protocol, IpFamily family) {
        Ways.everyServerSees(
                List.of(world.cli(), world.cli2()),
                protocol,
                List.of(AddressPlan.A1.of(family), AddressPlan.A2.of(family)));
    }
}
