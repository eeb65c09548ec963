package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ranges of ports keep their numbers. They are on A2 alone, since the home nodes call edge's WireGuard at A1, with a port of that
 * range.
 */
class RangesNetnsIT {
    private static final int FIRST = 10_000;
    private static final int LAST = 60_000;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        World world = STAGE.world();
        Host far = world.home1().pod(1);
        Host near = world.edge().pod(1);
        for (int port : List.of(FIRST - 1, FIRST, 30_080, AddressPlan.WIREGUARD_PORT, LAST, LAST + 1)) {
            EchoServer.start(far.namespace(), far.name(), port);
        }
        for (int port : List.of(1999, 2000, 2009, 2010)) {
            EchoServer.start(near.namespace(), near.name(), port);
        }
        String addresses = "[%s, \"%s\"]".formatted(AddressPlan.A2.ipv4(), AddressPlan.A2.ipv6());
        Cluster cluster = STAGE.cluster();
        cluster.write(
                "class",
                Manifests.portMapClass(
                        "public",
                        "nodes: {edge: {addresses: %s}}\nports: {allowProtected: [30000-32767, 51820]}"
                                .formatted(addresses)));
        cluster.write(
                "careful", Manifests.portMapClass("careful", "nodes: {edge: {addresses: %s}}".formatted(addresses)));
        cluster.write("media", Manifests.workload("media", FIRST, Backend.of(world.home1(), far)));
        cluster.write("media-map", range("media", "UDP", FIRST, LAST));
        cluster.write("control", Manifests.workload("control", 2000, Backend.of(world.edge(), near)));
        cluster.write("control-map", range("control", "TCP", 2000, 2009));
        cluster.settle();
    }

    private static String range(String name, String protocol, int first, int last) {
        return Manifests.portMap(
                name, name, "className: public\nprotocol: %s\nport: %d\nendPort: %d".formatted(protocol, first, last));
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void P7_the_first_the_last_and_any_port_between_arrive_by_their_numbers(IpFamily family) {
        for (int port : List.of(FIRST, 30_080, AddressPlan.WIREGUARD_PORT, LAST)) {
            Visits.eachSeenAsItself(
                    List.of(world.cli(), world.cli2()),
                    List.of(AddressPlan.A2.of(family)),
                    Protocol.UDP,
                    port,
                    "home1-pod1");
        }
        for (int port : List.of(2000, 2009)) {
            Visits.eachSeenAsItself(
                    List.of(world.cli()), List.of(AddressPlan.A2.of(family)), Protocol.TCP, port, "edge-pod1");
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void P7_what_is_outside_is_the_hosts(IpFamily family) {
        for (int port : List.of(FIRST - 1, LAST + 1)) {
            refused(Dial.udp(AddressPlan.A2.of(family), port));
        }
        for (int port : List.of(1999, 2010, FIRST)) {
            refused(Dial.tcp(AddressPlan.A2.of(family), port));
        }
        // Another address of the interface is not in the class.
        refused(Dial.udp(AddressPlan.A1.of(family), FIRST));
    }

    private void refused(Dial dial) {
        // The kernel limits how many ICMP errors it sends to one host.
        Visits.refused(world.cli().namespace(), dial.attempts(20).within(Visits.PATIENCE));
    }

    @Test
    void P7_a_range_is_one_element_for_each_address_and_names_the_hosts_sockets_in_it() {
        Agent agent = STAGE.cluster().agent(world.edge());
        assertThat(agent.reason("media", "Accepted")).isEqualTo("Valid");
        assertThat(agent.reason("media", "Programmed")).isEqualTo("AllNodesReady");
        assertThat(world.edge()
                        .namespace()
                        .run("nft", "list", "map", "inet", "kuport", "accept-ranges4")
                        .lines())
                .filteredOn(line -> line.contains(FIRST + "-" + LAST))
                .hasSize(1);
        assertThat(agent.report("media").ownRow())
                .extracting(NodeRow::message)
                .asString()
                .contains(String.valueOf(AddressPlan.WIREGUARD_PORT));
    }

    @ParameterizedTest
    @ValueSource(ints = {FIRST, 20_000, LAST})
    void P7_a_single_port_inside_a_range_is_a_conflict_and_the_range_goes_on(int port) {
        Cluster cluster = STAGE.cluster();
        cluster.write(
                "z-single", Manifests.portMap("z-single", "media", "className: public\nprotocol: UDP\nport: " + port));
        try {
            cluster.settle();

            for (Agent agent : List.of(cluster.agent(world.edge()), cluster.agent(world.home1()))) {
                assertThat(agent.reason("z-single", "Accepted")).isEqualTo("PortConflict");
                assertThat(agent.reason("media", "Accepted")).isEqualTo("Valid");
            }
            Visits.seenAsItself(
                    world.cli().namespace(),
                    Dial.udp(AddressPlan.A2.ipv4(), FIRST).within(Visits.PATIENCE),
                    "home1-pod1");
        } finally {
            cluster.remove("z-single");
        }
    }

    @ParameterizedTest
    @CsvSource({"PortReserved, 29999, 30000", "PortReserved, 4790, 4791", "Valid, 5000, 5010", "Valid, 9990, 9999"})
    void P7_a_range_over_protected_ports_needs_the_classs_leave(String reason, int first, int last) {
        Cluster cluster = STAGE.cluster();
        cluster.write(
                "z",
                Manifests.workload(
                        "z", first, Backend.of(world.edge(), world.edge().pod(1))));
        cluster.write(
                "z-map",
                Manifests.portMap(
                        "z", "z", "className: careful\nprotocol: UDP\nport: %d\nendPort: %d".formatted(first, last)));
        try {
            cluster.settle();

            assertThat(cluster.agent(world.edge()).reason("z", "Accepted")).isEqualTo(reason);
        } finally {
            cluster.remove("z-map").remove("z");
        }
    }
}
