package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.Segment;
import li.wlz.kuport.lab.Tally;
import li.wlz.kuport.lab.Tally.Hook;
import li.wlz.kuport.lab.Tally.Watch;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.Ours;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is done to kuport while clients dial on and on, a pod sees clients or nobody, and a provider the sources that are its own. */
class NeverAnotherSourceNetnsIT {
    private static final int PORT = 3000;
    private static final Duration PAUSE = Duration.ofMillis(20);
    /** Short, so that a client dials on soon after what it dialled was damaged. */
    private static final Duration CLIENTS_PATIENCE = Duration.ofMillis(250);

    @RegisterExtension
    static final Stage STAGE = Stage.ofDamage(Layout.plain());

    private static final List<EchoServer> PODS = new ArrayList<>();

    private final World world = STAGE.world();
    private final Cluster cluster = STAGE.cluster();

    @BeforeAll
    static void serve() {
        World world = STAGE.world();
        Stream.of(
                        world.edge().pod(1),
                        world.home1().pod(1),
                        world.home1().pod(2),
                        world.home2().pod(1))
                .map(STAGE::serve)
                .forEach(PODS::add);
        STAGE.cluster().write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"));
        STAGE.publish(
                "game", "public", PORT, Backend.of(world.home1(), world.home1().pod(1)));
        STAGE.cluster().settle();
    }

    /** Clients that dial over and over, one thread for each client, protocol and family. */
    private final class Crowd implements AutoCloseable {
        private final AtomicBoolean going = new AtomicBoolean(true);
        private final AtomicInteger answers = new AtomicInteger();
        private final List<Thread> threads = new ArrayList<>();

        Crowd() {
            for (Host client : List.of(world.cli(), world.cli2())) {
                Visits.forEachWay((protocol, family) -> {
                    Dial dial =
                            Dial.to(protocol, AddressPlan.A1.of(family), PORT).within(CLIENTS_PATIENCE);
                    threads.add(Thread.ofPlatform().daemon().start(() -> dialOn(client, dial)));
                });
            }
        }

        private void dialOn(Host client, Dial dial) {
            try {
                while (going.get()) {
                    if (client.dial(dial) instanceof Answer.Reply) {
                        answers.incrementAndGet();
                    }
                    Thread.sleep(PAUSE);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Waits until as many answers more have come as there are clients. */
        void awaitAnswers() {
            int enough = answers.get() + threads.size();
            Awaitility.await("more than " + enough + " answers")
                    .atMost(Visits.PATIENCE)
                    .until(() -> answers.get() > enough);
        }

        @Override
        public void close() {
            going.set(false);
            try {
                for (Thread thread : threads) {
                    thread.join();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
        }
    }

    private interface Damage {
        void on(MeshNode node);
    }

    /** Counts what comes out of edge and of home1 with a source that is not that machine's, wherever it is meant to go. */
    private final class Uplinks implements AutoCloseable {
        private final Tally provider = tally(world.inet(), "edge", AddressPlan.EDGE);
        private final Tally router = tally(world.router(), "lan0", AddressPlan.HOME);

        private static Tally tally(Namespace namespace, String port, Segment own) {
            String strange = "iifname \"" + port + "\" ";
            return Tally.start(
                    namespace,
                    List.of(
                            new Watch("strange4", Hook.PREROUTING, strange + "ip saddr != " + own.ipv4()),
                            new Watch(
                                    "strange6",
                                    Hook.PREROUTING,
                                    strange + "ip6 saddr != { %s, fe80::/10, :: }".formatted(own.ipv6()))));
        }

        void carriedNothingStrange(String afterwards) {
            Map<String, Tally> uplinks = Map.of("edge", provider, "the home nodes", router);
            assertThat(uplinks).allSatisfy((who, tally) -> {
                assertThat(tally.packets("strange4"))
                        .as("IPv4 from " + who + " after " + afterwards)
                        .isZero();
                assertThat(tally.packets("strange6"))
                        .as("IPv6 from " + who + " after " + afterwards)
                        .isZero();
            });
        }

        @Override
        public void close() {
            provider.close();
            router.close();
        }
    }

    @Test
    void S2_whatever_is_lost_while_clients_dial_neither_pod_nor_provider_sees_a_strange_source()
            throws InterruptedException {
        try (Crowd crowd = new Crowd();
                Uplinks uplinks = new Uplinks()) {
            crowd.awaitAnswers();
            for (MeshNode node : List.of(world.edge(), world.home1())) {
                for (Map.Entry<String, Damage> damage : damages(node).entrySet()) {
                    damage.getValue().on(node);
                    letClientsDial();
                    cluster.agent(node).pass();
                    uplinks.carriedNothingStrange(damage.getKey() + " on " + node.name());
                }
                crowd.awaitAnswers();
            }
            for (Host pod : List.of(
                    world.home2().pod(1),
                    world.edge().pod(1),
                    world.home1().pod(2),
                    world.home1().pod(1))) {
                moveTo(pod);
                crowd.awaitAnswers();
                uplinks.carriedNothingStrange("a move to " + pod.name());
            }
        }
        podsSawClientsOnly();
        assertThat(PODS)
                .allSatisfy(pod -> assertThat(pod.sightings()).as(pod.label()).isNotEmpty());
    }

    /** Flows that are translated go on being so by their entries, and nothing is left to hold their replies back. */
    @ParameterizedTest
    @ValueSource(strings = {"delete table inet kuport", "flush table inet kuport"})
    void S2_when_the_whole_table_is_lost_while_clients_dial_no_pod_sees_another_source(String loss)
            throws InterruptedException {
        try (Crowd crowd = new Crowd()) {
            crowd.awaitAnswers();
            for (MeshNode node : List.of(world.home1(), world.edge())) {
                node.namespace().nft(loss);
                letClientsDial();
                cluster.agent(node).pass();
                crowd.awaitAnswers();
            }
        }
        podsSawClientsOnly();
    }

    @Test
    void S2_when_all_is_cleaned_up_while_clients_dial_no_pod_sees_another_source() throws InterruptedException {
        try (Crowd crowd = new Crowd()) {
            crowd.awaitAnswers();
            cluster.cleanUp();
            letClientsDial();
            cluster.settle();
            crowd.awaitAnswers();
        }
        podsSawClientsOnly();
    }

    private static void podsSawClientsOnly() {
        Set<IpAddress> clients = Stream.of(AddressPlan.CLIENT, AddressPlan.CLIENT2)
                .flatMap(client -> client.both().stream())
                .collect(Collectors.toSet());
        Set<IpAddress> seen =
                PODS.stream().flatMap(pod -> pod.sources().stream()).collect(Collectors.toSet());
        assertThat(seen).isEqualTo(clients);
    }

    private static void letClientsDial() throws InterruptedException {
        // What is to be seen is that nothing happens, for as long as a client waits.
        Thread.sleep(CLIENTS_PATIENCE);
    }

    private void moveTo(Host pod) {
        MeshNode node = world.nodes().stream()
                .filter(candidate -> candidate.pods().contains(pod))
                .findFirst()
                .orElseThrow();
        STAGE.publish("game", "public", PORT, Backend.of(node, pod));
        // The old pod's node learns of it last, and the new one's after the accepting one.
        Stream.of(world.edge(), world.home2(), world.home1())
                .forEach(n -> cluster.agent(n).pass());
    }

    /** Everything of kuport's on a node, thing by thing, but the table as a whole. */
    private Map<String, Damage> damages(MeshNode node) {
        Map<String, Damage> damages = new LinkedHashMap<>();
        damages.put("a restart", n -> cluster.agent(n).restart());
        for (String chain : chains(node.namespace())) {
            String flush = "flush chain inet " + Ours.TABLE + " " + chain;
            damages.put(flush, n -> n.namespace().nft(flush));
        }
        damages.put("a flush of IPv6's maps", n -> n.namespace().nft(flushSixes(n.namespace())));
        for (String family : List.of("-4", "-6")) {
            for (String command : List.of(
                    "while ip %s rule del priority 90 2>/dev/null; do :; done".formatted(family),
                    "ip %s route flush table all proto %d || :".formatted(family, Ours.ROUTE_PROTOCOL))) {
                damages.put(command, n -> n.namespace().run("sh", "-c", command));
            }
        }
        for (String command : List.of(
                "neigh flush dev %s nud permanent".formatted(Ours.LINK_DEVICE),
                "link set %s down".formatted(Ours.LINK_DEVICE),
                "link delete " + Ours.LINK_DEVICE)) {
            damages.put("ip " + command, n -> n.namespace().ip(command));
        }
        return damages;
    }

    /** The base chains: whatever hangs on one of them is lost with it. */
    private static List<String> chains(Namespace node) {
        List<String> chains = new ArrayList<>();
        String chain = "";
        for (String line :
                node.run("nft", "list", "table", "inet", Ours.TABLE).lines().toList()) {
            chain = line.startsWith("\tchain ") ? line.strip().split(" ", -1)[1] : chain;
            if (line.contains(" hook ")) {
                chains.add(chain);
            }
        }
        return chains;
    }

    /** Empties IPv6's maps and sets: {@code flush map inet kuport accept6}. */
    private static String flushSixes(Namespace node) {
        return node.run("nft", "list", "table", "inet", Ours.TABLE)
                .lines()
                .map(String::strip)
                .filter(line -> line.matches("(map|set) \\S*6 \\{"))
                .map(line -> line.split(" ", -1))
                .map(words -> "flush " + words[0] + " inet " + Ours.TABLE + " " + words[1] + "\n")
                .collect(Collectors.joining());
    }
}
