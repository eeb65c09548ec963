package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.Tally;
import li.wlz.kuport.lab.Tally.Hook;
import li.wlz.kuport.lab.Tally.Watch;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What cannot be delivered is refused at once, by the address that was dialled, and leaves nothing behind that is in the way later. */
class RefusalNetnsIT {
    private static final int PORT = 3000;
    private static final int CLIENT_PORT = 43_000;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();
    private final Cluster cluster = STAGE.cluster();

    @BeforeAll
    static void serve() {
        World world = STAGE.world();
        Stream.of(world.edge().pod(1), world.home1().pod(1), world.home2().pod(1))
                .forEach(STAGE::serve);
        STAGE.cluster().write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"));
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    @BeforeEach
    void withoutEndpoint() {
        cluster.write("cluster", Manifests.cluster(world));
        STAGE.publish("game", "public", PORT);
        cluster.settle();
    }

    private Dial dial(Protocol protocol, IpFamily family) {
        return Dial.to(protocol, AddressPlan.A1.of(family), PORT).fromPort(CLIENT_PORT);
    }

    private void refusedFromEverywhere(Protocol protocol, IpFamily family) {
        for (Namespace client : List.of(
                world.cli().namespace(),
                world.edge().pod(1).namespace(),
                world.home1().namespace(),
                world.home2().pod(1).namespace())) {
            Visits.refused(client, dial(protocol, family));
        }
        Visits.refusedAtHome(world.edge().namespace(), dial(protocol, family));
    }

    private void served(Protocol protocol, IpFamily family, String server) {
        Visits.seenAsItself(world.cli().namespace(), dial(protocol, family), server);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void E2_without_an_endpoint_all_are_refused_and_the_same_client_port_works_once_a_pod_is_there(
            Protocol protocol, IpFamily family) {
        refusedFromEverywhere(protocol, family);
        Visits.refused(world.cli().namespace(), dial(protocol, family));

        STAGE.publish(
                "game", "public", PORT, Backend.of(world.home1(), world.home1().pod(1)));
        cluster.settle();
        served(protocol, family, "home1-pod1");

        STAGE.publish("game", "public", PORT);
        cluster.settle();
        refusedFromEverywhere(protocol, family);

        STAGE.publish(
                "game", "public", PORT, Backend.of(world.edge(), world.edge().pod(1)));
        cluster.settle();
        served(protocol, family, "edge-pod1");
    }

    /** Kernels limit their own ICMP errors, but no resets: somebody who forges sources could have them sent to others. */
    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void E2_of_a_flood_only_some_are_refused(IpFamily family) {
        int flood = 5000;
        String refusals = "tcp sport " + PORT + " tcp flags & rst == rst";
        try (Tally edge = Tally.start(
                        world.edge().namespace(), List.of(new Watch("resets", Hook.POSTROUTING, refusals)));
                Tally cli = Tally.start(
                        world.cli().namespace(),
                        List.of(new Watch("dialled", Hook.POSTROUTING, "tcp dport " + PORT + " tcp flags syn")))) {
            dialWithoutWaiting(
                    flood, new InetSocketAddress(AddressPlan.A1.of(family).toInetAddress(), PORT));
            assertThat(cli.packets("dialled")).isGreaterThanOrEqualTo(flood);
            assertThat(edge.packets("resets")).isBetween(100L, flood - 1L);
        }
    }

    private void dialWithoutWaiting(int times, InetSocketAddress server) {
        world.cli().namespace().call(() -> {
            for (int time = 0; time < times; time++) {
                try (SocketChannel channel = SocketChannel.open()) {
                    channel.configureBlocking(false);
                    channel.connect(server);
                }
            }
            return true;
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void E2_without_an_endpoint_no_listener_of_the_host_that_comes_later_answers(Protocol protocol, IpFamily family) {
        try (EchoServer host = EchoServer.start(world.edge().namespace(), "host", PORT)) {
            cluster.settle();
            refusedFromEverywhere(protocol, family);
            assertThat(host.sightings()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void N7_a_node_without_the_entry_refuses_and_the_same_client_port_works_once_its_agent_has_run(
            Protocol protocol, IpFamily family) {
        STAGE.publish(
                "game", "public", PORT, Backend.of(world.home1(), world.home1().pod(1)));
        cluster.agent("edge").pass();
        try (Tally pod = Tally.start(
                world.home1().pod(1).namespace(),
                List.of(new Watch("arrived", Hook.PREROUTING, "iifname \"eth0\" th dport 8080")))) {
            for (Namespace client : List.of(
                    world.cli().namespace(),
                    world.edge().namespace(),
                    world.edge().pod(1).namespace())) {
                Visits.refused(client, dial(protocol, family));
            }
            Visits.refused(world.cli().namespace(), dial(protocol, family));
            assertThat(pod.packets("arrived")).isZero();
        }

        cluster.agent("home1").pass();
        served(protocol, family, "home1-pod1");
    }

    /** The refusal comes from the link's own address then; one from a link-local address would be forwarded by nobody. */
    @Test
    void N7_a_node_without_the_entry_refuses_though_it_has_no_other_ipv6_address(@TempDir Path saved) {
        STAGE.publish(
                "game", "public", PORT, Backend.of(world.home1(), world.home1().pod(1)));
        cluster.agent("edge").pass();
        MeshNode home = world.home1();
        String save = """
                cd %s
                ip -6 address save scope global >addresses
                ip -6 route save table main >routes
                for device in eth0 cni0 %s; do ip -6 address flush dev $device scope global; done
                """.formatted(saved, home.meshInterface());
        // What is still there, kup0's, is complained about.
        String restore = """
                cd %s
                ip -6 address restore <addresses || :
                ip -6 route restore <routes || :
                """.formatted(saved);
        home.namespace().run("sh", "-c", save);
        try {
            Visits.refused(world.cli().namespace(), dial(Protocol.UDP, IpFamily.IPV6));
        } finally {
            home.namespace().run("sh", "-c", restore);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void N7_a_node_that_has_no_link_is_not_sent_to_and_the_same_client_port_works_once_it_has_one(
            Protocol protocol, IpFamily family) {
        String nodes = Manifests.cluster(world);
        String withoutAddresses = nodes.replace(
                "    - {type: InternalIP, address: %s}\n"
                        .formatted(world.home1().mesh().ipv4()),
                "");
        assertThat(withoutAddresses).isNotEqualTo(nodes);
        cluster.write("cluster", withoutAddresses);
        STAGE.publish(
                "game", "public", PORT, Backend.of(world.home1(), world.home1().pod(1)));
        cluster.agent("edge").pass();
        try (Tally edge =
                Tally.start(world.edge().namespace(), List.of(new Watch("link", Hook.OUTPUT, "udp dport 4790")))) {
            refusedFromEdge(protocol, family);
            assertThat(edge.packets("link")).isZero();
        }
        assertThat(cluster.agent("edge").reason("game-tcp", "Programmed")).isEqualTo("ReturnPathUnavailable");

        cluster.put("cluster", nodes);
        served(protocol, family, "home1-pod1");
    }

    private void refusedFromEdge(Protocol protocol, IpFamily family) {
        Visits.refused(world.cli().namespace(), dial(protocol, family));
        Visits.refusedAtHome(world.edge().namespace(), dial(protocol, family));
    }

    @Test
    void N7_a_dead_link_is_said_of_the_mapping() {
        cluster.write("report", Manifests.portMapNode(world.home1(), false));
        STAGE.publish(
                "game", "public", PORT, Backend.of(world.home1(), world.home1().pod(1)));
        cluster.settle();
        assertThat(cluster.agent("edge").reason("game-tcp", "Programmed")).isEqualTo("ReturnPathUnavailable");

        cluster.write("report", Manifests.portMapNode(world.home1())).settle();
        assertThat(cluster.agent("edge").report("game-tcp").ownRow())
                .isNotNull()
                .matches(row -> row.ready());
        cluster.remove("report");
    }

    @ParameterizedTest
    @MethodSource("ways")
    void a_mapping_that_is_deleted_is_refused_by_the_host_and_works_again_once_it_is_back(
            Protocol protocol, IpFamily family) {
        Backend pod = Backend.of(world.home2(), world.home2().pod(1));
        STAGE.publish("game", "public", PORT, pod);
        cluster.settle();
        served(protocol, family, "home2-pod1");

        cluster.remove("game-tcp");
        cluster.remove("game-udp");
        refusedFromEverywhere(protocol, family);

        STAGE.publish("game", "public", PORT, pod);
        cluster.settle();
        served(protocol, family, "home2-pod1");
    }

    @ParameterizedTest
    @MethodSource("ways")
    void nobody_is_refused_by_another_address_than_the_dialled_one(Protocol protocol, IpFamily family) {
        String word = family == IpFamily.IPV4 ? "ip" : "ip6";
        IpAddress dialled = AddressPlan.A2.of(family);
        Dial dial = Dial.to(protocol, dialled, PORT);
        try (Tally cli = Tally.start(
                world.cli().namespace(),
                List.of(
                        new Watch("dialled", Hook.PREROUTING, "iifname \"eth0\" " + word + " saddr " + dialled),
                        new Watch(
                                "others",
                                Hook.PREROUTING,
                                "iifname \"eth0\" " + word + " saddr != " + dialled
                                        + (family == IpFamily.IPV4 ? "" : " icmpv6 type != { 133-137 }"))))) {
            Visits.refused(world.cli().namespace(), dial);
            STAGE.publish(
                    "game",
                    "public",
                    PORT,
                    Backend.of(world.home1(), world.home1().pod(1)));
            cluster.agent("edge").pass();
            Visits.refused(world.cli().namespace(), dial);

            assertThat(cli.packets("dialled")).isEqualTo(2);
            assertThat(cli.packets("others")).isZero();
        }
    }
}
