package li.wlz.kuport.delivery;

import static li.wlz.kuport.lab.Feature.INGRESS_FIREWALL;
import static li.wlz.kuport.lab.Feature.SECOND_UPLINK;
import static li.wlz.kuport.lab.Feature.SOURCE_VALID_MARK;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All nodes have a firewall in filter prerouting that drops what is addressed to the node, as Talos has it, and the kernel looks
 * sources up by the packet's mark, as wg-quick wants it.
 */
class IngressFirewallNetnsIT {
    private static final int UNPUBLISHED = 3999;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain().with(INGRESS_FIREWALL, SOURCE_VALID_MARK, SECOND_UPLINK));

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        Ways.serve(STAGE, "nodes: {edge: {interfaces: [eth0, eth1]}}");
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    private static List<IpAddress> addresses(IpFamily family) {
        return List.of(AddressPlan.A1.of(family), AddressPlan.A2.of(family), AddressPlan.A3.of(family));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void what_is_published_passes_the_firewalls_on_both_nodes(Protocol protocol, IpFamily family) {
        Ways.everyServerSees(List.of(world.cli(), world.cli2()), protocol, addresses(family));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void what_is_not_published_is_left_to_the_firewall(Protocol protocol, IpFamily family) {
        try (EchoServer host = EchoServer.start(world.edge().namespace(), "host", UNPUBLISHED)) {
            for (IpAddress address : addresses(family)) {
                Dial dial = Dial.to(protocol, address, UNPUBLISHED).within(Duration.ofMillis(300));
                assertThat(world.cli().dial(dial)).isEqualTo(new Answer.TimedOut());
            }
            assertThat(host.sightings()).isEmpty();
        }
    }
}
