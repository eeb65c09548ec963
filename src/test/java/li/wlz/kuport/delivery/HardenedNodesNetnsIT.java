package li.wlz.kuport.delivery;

import static li.wlz.kuport.lab.Feature.INGRESS_FIREWALL;
import static li.wlz.kuport.lab.Feature.ON_LINK_CLIENTS;
import static li.wlz.kuport.lab.Feature.SOURCE_VALID_MARK;
import static li.wlz.kuport.lab.Feature.STRICT_REVERSE_PATH;

import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Strict reverse path filters that look sources up by the packet's mark, and firewalls in filter prerouting, on all nodes. */
class HardenedNodesNetnsIT {
    @RegisterExtension
    static final Stage STAGE =
            new Stage(Layout.plain().with(STRICT_REVERSE_PATH, SOURCE_VALID_MARK, INGRESS_FIREWALL, ON_LINK_CLIENTS));

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

    /** The link's addresses are nowhere in such an uplink's table, by which the kernel looks the sources of replies up. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void A2_an_uplink_without_a_default_route_serves_its_own_network(Protocol protocol) {
        IpAddress gateway = AddressPlan.EDGE.gateway().ipv4();
        IpAddress router = AddressPlan.HOME_ROUTER.ipv4();
        Namespace edge = world.edge().namespace();
        edge.ip("route add %2$s via %1$s\nroute delete default via %1$s\n".formatted(gateway, router));
        try {
            STAGE.cluster().settle();
            Ways.everyServerSees(List.of(world.client("near")), protocol, List.of(AddressPlan.A1.ipv4()));
        } finally {
            edge.ip("route add default via %1$s\nroute delete %2$s via %1$s\n".formatted(gateway, router));
            STAGE.cluster().settle();
        }
    }
}
