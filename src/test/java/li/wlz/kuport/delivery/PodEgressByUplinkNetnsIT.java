package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.DualAddress;
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
        STAGE.serve(STAGE.world().home1().pod(1));
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    /** The pod asks for a port of each of these addresses, and leaves with the first. */
    private void ask(Protocol protocol, IpFamily family, DualAddress... addresses) {
        String entries = Stream.of(addresses)
                .map(address ->
                        "{\"ifaceAuto\":false,\"srcIP\":\"%s\",\"srcPort\":3000,\"dstPort\":%d,\"proto\":\"%s\"}"
                                .formatted(address.of(family), Stage.POD_PORT, protocol.lowerCase()))
                .collect(Collectors.joining(",", "{\"entries\":[", "]}"));
        STAGE.cluster().put("one", Asking.of(edge, edge.pod(1), entries).yaml());
    }

    @ParameterizedTest
    @MethodSource("ways")
    void A7_G1_what_the_pod_opens_leaves_with_that_address_by_that_uplink(Protocol protocol, IpFamily family) {
        ask(protocol, family, AddressPlan.A3);
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
        ask(protocol, family, AddressPlan.A3, AddressPlan.A1);
        for (IpAddress dialled : List.of(AddressPlan.A1.of(family), AddressPlan.A3.of(family))) {
            Visits.seenAsItself(world.cli().namespace(), Dial.to(protocol, dialled, 3000), "edge-pod1");
            Visits.seenAsItself(world.cli2().namespace(), Dial.to(protocol, dialled, 3000), "edge-pod1");
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void A7_G2_what_the_pod_opens_within_the_cluster_goes_as_ever(Protocol protocol, IpFamily family) {
        ask(protocol, family, AddressPlan.A3);
        IpAddress other = world.home1().pod(1).address(family);
        Visits.seenAsItself(edge.pod(1).namespace(), Dial.to(protocol, other, Stage.POD_PORT), "home1-pod1");
    }

    /** Whatever such a Service leads to is its own affair: the pod did not dial the internet. */
    @ParameterizedTest
    @MethodSource("ways")
    void A7_G2_a_service_that_leads_to_the_internet_is_reached_as_ever(Protocol protocol, IpFamily family) {
        ask(protocol, family, AddressPlan.A3);
        IpAddress service = IpAddress.parse(family == IpFamily.IPV4 ? "10.96.0.99" : "fd10:96::99");
        String word = family == IpFamily.IPV4 ? "ip" : "ip6";
        edge.namespace().nft("""
                table %1$s balancer {
                    chain prerouting {
                        type nat hook prerouting priority dstnat;
                        %1$s daddr %2$s dnat to %3$s
                    }
                }
                """.formatted(word, service, world.cli().address(family)));
        try (EchoServer outside = EchoServer.start(world.cli().namespace(), "outside", 4000)) {
            Visits.answered(
                    edge.pod(1).namespace(), Dial.to(protocol, service, 4000).within(Visits.PATIENCE), "outside");
            assertThat(outside.sources()).doesNotContain(AddressPlan.A3.of(family));
        } finally {
            edge.namespace().nft("delete table %s balancer\n".formatted(word));
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void A7_what_answers_those_who_dial_the_pods_own_address_goes_as_ever(Protocol protocol, IpFamily family) {
        ask(protocol, family, AddressPlan.A3);
        IpAddress own = edge.pod(1).address(family);
        String route = "route %s " + own + " via " + AddressPlan.A1.of(family) + "\n";
        // This provider knows the pods.
        world.inet().ip(route.formatted("add"));
        world.inet()
                .nft("insert rule inet access forward %s saddr %s accept\n"
                        .formatted(family == IpFamily.IPV4 ? "ip" : "ip6", own));
        try {
            Visits.seenAsItself(world.cli().namespace(), Dial.to(protocol, own, Stage.POD_PORT), "edge-pod1");
        } finally {
            world.inet().ip(route.formatted("delete"));
        }
    }
}
