package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Feature;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.Tally;
import li.wlz.kuport.lab.Tally.Hook;
import li.wlz.kuport.lab.Tally.Watch;
import li.wlz.kuport.lab.TcpStream;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Packets that connection tracking takes for none of their connection's, and so does not translate. On nodes without tables: where
 * kube-proxy is, its own drop of all such packets would hide what ours does.
 */
class InvalidPacketsNetnsIT {
    private static final int GAME = 3000;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain().with(Feature.BARE));

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        STAGE.world().nodes().forEach(node -> node.pods().forEach(STAGE::serve));
        STAGE.cluster().write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"));
        STAGE.publish("game", "public", GAME, STAGE.endpoint("home1-pod1"));
        STAGE.cluster().settle();
    }

    /** Gives the segments that leave a machine flags that no connection has; what was meant is sent again and again. */
    private static final class Garbled implements AutoCloseable {
        private final Namespace namespace;
        private final Tally tally;

        Garbled(Namespace namespace, String match) {
            this(namespace, "output", 0, match);
        }

        Garbled(Namespace namespace, String hook, int priority, String match) {
            this.namespace = namespace;
            tally = Tally.start(namespace, List.of(new Watch("invalid", Hook.POSTROUTING, match)));
            namespace.nft("""
                    table inet garble {
                        chain garbled {
                            type filter hook %s priority %d
                            %s tcp flags set syn | fin
                        }
                    }
                    """.formatted(hook, priority, match));
        }

        void awaitSome() {
            await().atMost(Visits.PATIENCE).until(() -> tally.packets("invalid") >= 3);
        }

        @Override
        public void close() {
            namespace.nft("delete table inet garble\n");
            tally.close();
        }
    }

    /** An exchange during which one side's segments are invalid, until they are not: it must come to its end after all. */
    private static void survives(TcpStream stream, Namespace side, String match)
            throws ExecutionException, InterruptedException {
        survives(stream, () -> new Garbled(side, match));
    }

    private static void survives(TcpStream stream, Supplier<Garbled> garbling)
            throws ExecutionException, InterruptedException {
        assertThat(stream.exchange(64, 64)).isInstanceOf(Answer.Reply.class);
        FutureTask<Answer> exchange = new FutureTask<>(() -> stream.exchange(64, 64));
        try (Garbled garbled = garbling.get()) {
            Thread.startVirtualThread(exchange);
            garbled.awaitSome();
        }
        assertThat(exchange.get()).isInstanceOf(Answer.Reply.class);
    }

    private static String ip(IpFamily family) {
        return family == IpFamily.IPV4 ? "ip" : "ip6";
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void U12_a_pods_invalid_segment_does_not_leave_untranslated_and_the_connection_lives_on(IpFamily family)
            throws ExecutionException, InterruptedException {
        IpAddress client = world.cli().address(family);
        List<Watch> leaks =
                List.of(new Watch("leak", Hook.PREROUTING, ip(family) + " daddr " + client + " tcp sport 8080"));
        try (TcpStream stream = TcpStream.open(
                        world.cli().namespace(),
                        Dial.tcp(AddressPlan.A1.of(family), GAME).within(Visits.PATIENCE));
                Tally router = Tally.start(world.router(), leaks);
                Tally edge = Tally.start(world.edge().namespace(), leaks)) {
            survives(stream, world.home1().pod(1).namespace(), "tcp sport 8080");
            assertThat(router.packets("leak"))
                    .as("by the pod's node's own uplink")
                    .isZero();
            assertThat(edge.packets("leak")).as("over the link").isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void U12_a_clients_invalid_segment_does_not_reach_the_host_and_the_connection_lives_on(IpFamily family)
            throws ExecutionException, InterruptedException {
        try (TcpStream stream = TcpStream.open(
                        world.cli().namespace(),
                        Dial.tcp(AddressPlan.A1.of(family), GAME).within(Visits.PATIENCE));
                Tally host = Tally.start(
                        world.edge().namespace(),
                        List.of(
                                new Watch("leak", Hook.INPUT, "tcp dport " + GAME),
                                new Watch("sent-on", Hook.POSTROUTING, "tcp flags & (syn | fin) == (syn | fin)")))) {
            survives(stream, world.cli().namespace(), "tcp dport " + GAME);
            assertThat(host.packets("leak")).isZero();
            assertThat(host.packets("sent-on")).as("to whatever address").isZero();
        }
    }

    /** Behind every translation: as if the other node's entry were gone, or had another window. */
    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void U12_what_is_invalid_when_it_comes_over_the_link_goes_no_further_and_the_connection_lives_on(IpFamily family)
            throws ExecutionException, InterruptedException {
        String sentOn = "tcp flags & (syn | fin) == (syn | fin)";
        try (TcpStream stream = TcpStream.open(
                world.cli().namespace(),
                Dial.tcp(AddressPlan.A1.of(family), GAME).within(Visits.PATIENCE))) {
            for (MeshNode from : List.of(world.edge(), world.home1())) {
                MeshNode to = from.equals(world.edge()) ? world.home1() : world.edge();
                try (Tally tally = Tally.start(
                        to.namespace(),
                        List.of(
                                new Watch("arrived", Hook.PREROUTING, "iifname \"kup0\" " + sentOn),
                                new Watch("sent-on", Hook.POSTROUTING, sentOn)))) {
                    survives(
                            stream,
                            () -> new Garbled(
                                    from.namespace(), "postrouting", 400, "oifname \"kup0\" meta l4proto tcp"));
                    assertThat(tally.packets("arrived")).isPositive();
                    assertThat(tally.packets("sent-on")).as("by " + to.name()).isZero();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void U12_invalid_segments_of_pods_that_nothing_maps_pass_as_before(IpFamily family)
            throws ExecutionException, InterruptedException {
        Host pod = world.home1().pod(2);
        MeshNode neighbour = world.home2();
        String route = "route %s " + pod.address(family) + " via "
                + world.home1().uplinks().getFirst().addresses().getFirst().of(family) + "\n";
        neighbour.namespace().ip(route.formatted("add"));
        try (TcpStream stream = TcpStream.open(
                        neighbour.namespace(),
                        Dial.tcp(pod.address(family), Stage.POD_PORT).within(Visits.PATIENCE));
                Tally arrived = Tally.start(
                        neighbour.namespace(),
                        List.of(new Watch(
                                "invalid",
                                Hook.PREROUTING,
                                "tcp sport 8080 tcp flags & (syn | fin) == (syn | fin)")))) {
            survives(stream, pod.namespace(), "tcp sport 8080");
            assertThat(arrived.packets("invalid")).isPositive();
        } finally {
            neighbour.namespace().ip(route.formatted("delete"));
        }
    }
}
