package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.DualAddress;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.TcpStream;
import li.wlz.kuport.lab.UdpSender;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Two classes list one of edge's two addresses each. */
class AddressesNetnsIT {
    private static final int DNS = 53;
    /** Both to pods of home1. */
    private static final int HOME = 3000;

    private static final int SAME_POD = 3001;
    /** At the first address alone. */
    private static final int FIRST_ONLY = 3002;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        World world = STAGE.world();
        MeshNode home1 = world.home1();
        Stream.of(world.edge().pod(1), home1.pod(1), home1.pod(2)).forEach(STAGE::serve);
        STAGE.cluster().write("one", onlyOn("one", AddressPlan.A1)).write("two", onlyOn("two", AddressPlan.A2));
        STAGE.publish(
                "one-dns", "one", DNS, Backend.of(world.edge(), world.edge().pod(1)));
        STAGE.publish("two-dns", "two", DNS, Backend.of(home1, home1.pod(1)));
        STAGE.publish("one-home", "one", HOME, Backend.of(home1, home1.pod(1)));
        STAGE.publish("two-home", "two", HOME, Backend.of(home1, home1.pod(2)));
        STAGE.publish("one-same", "one", SAME_POD, Backend.of(home1, home1.pod(1)));
        STAGE.publish("two-same", "two", SAME_POD, Backend.of(home1, home1.pod(1)));
        STAGE.publish("one-only", "one", FIRST_ONLY, Backend.of(home1, home1.pod(1)));
        STAGE.cluster().settle();
    }

    private static String onlyOn(String portClass, DualAddress address) {
        return Manifests.portMapClass(
                portClass, "nodes: {edge: {addresses: [%s, \"%s\"]}}".formatted(address.ipv4(), address.ipv6()));
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    private void reached(DualAddress address, int port, Protocol protocol, IpFamily family, String server) {
        for (Host client : List.of(world.cli(), world.cli2())) {
            Visits.seenAsItself(client.namespace(), Dial.to(protocol, address.of(family), port), server);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void P4_one_port_of_two_addresses_leads_to_pods_on_two_nodes(Protocol protocol, IpFamily family) {
        reached(AddressPlan.A1, DNS, protocol, family, "edge-pod1");
        reached(AddressPlan.A2, DNS, protocol, family, "home1-pod1");
    }

    @ParameterizedTest
    @MethodSource("ways")
    void P4_one_port_of_two_addresses_leads_to_two_pods_on_one_other_node(Protocol protocol, IpFamily family) {
        reached(AddressPlan.A1, HOME, protocol, family, "home1-pod1");
        reached(AddressPlan.A2, HOME, protocol, family, "home1-pod2");
    }

    @ParameterizedTest
    @MethodSource("ways")
    void P4_an_address_that_is_not_named_does_not_answer(Protocol protocol, IpFamily family) {
        reached(AddressPlan.A1, FIRST_ONLY, protocol, family, "home1-pod1");
        Dial other = Dial.to(protocol, AddressPlan.A2.of(family), FIRST_ONLY);
        for (Namespace client : List.of(
                world.cli().namespace(),
                world.edge().namespace(),
                world.edge().pod(1).namespace(),
                world.home2().namespace())) {
            Visits.refused(client, other);
        }
        Visits.refused(world.home2().namespace(), Dial.to(protocol, world.edge().mesh(family), FIRST_ONLY));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void P4_the_port_of_an_address_that_is_not_named_stays_the_hosts(Protocol protocol, IpFamily family) {
        try (EchoServer host = EchoServer.start(world.edge().namespace(), "host", FIRST_ONLY, AddressPlan.A2.both())) {
            reached(AddressPlan.A2, FIRST_ONLY, protocol, family, "host");
            reached(AddressPlan.A1, FIRST_ONLY, protocol, family, "home1-pod1");
            assertThat(host.sightings()).hasSize(2);
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void two_addresses_dialled_from_one_client_port_over_tcp_both_go_on_being_answered(IpFamily family) {
        for (int port : List.of(HOME, SAME_POD)) {
            Dial one = Dial.tcp(AddressPlan.A1.of(family), port).fromPort(42_000);
            Dial two = Dial.tcp(AddressPlan.A2.of(family), port).fromPort(42_000);
            try (TcpStream first = TcpStream.open(world.cli().namespace(), one);
                    TcpStream second = TcpStream.open(world.cli().namespace(), two)) {
                for (int round = 0; round < 3; round++) {
                    answers(first, "home1-pod1", family);
                    answers(second, port == HOME ? "home1-pod2" : "home1-pod1", family);
                }
            }
        }
    }

    private static void answers(TcpStream stream, String server, IpFamily family) {
        assertThat(stream.exchange(64, 64)).isInstanceOfSatisfying(Answer.Reply.class, reply -> {
            assertThat(reply.server()).isEqualTo(server);
            assertThat(reply.sourceSeen().address()).isEqualTo(AddressPlan.CLIENT.of(family));
        });
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void two_addresses_dialled_from_one_client_port_over_udp_both_go_on_being_answered(IpFamily family) {
        Dial one = Dial.udp(AddressPlan.A1.of(family), HOME).fromPort(42_001);
        Dial two = Dial.udp(AddressPlan.A2.of(family), HOME).fromPort(42_001);
        try (UdpSender first = UdpSender.start(world.cli().namespace(), one);
                UdpSender second = UdpSender.start(world.cli().namespace(), two)) {
            for (int round = 0; round < 2; round++) {
                first.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
                second.awaitAnswerOf("home1-pod2", Visits.PATIENCE);
            }
            assertThat(first.servers()).containsExactly("home1-pod1");
            assertThat(second.servers()).containsExactly("home1-pod2");
            Stream.of(first, second)
                    .flatMap(sender -> sender.received().stream())
                    .forEach(answer ->
                            assertThat(answer.sourceSeen().address()).isEqualTo(AddressPlan.CLIENT.of(family)));
        }
    }
}
