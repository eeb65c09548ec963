package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.Ours;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whatever is done to kuport while clients dial on and on, a pod sees clients or nobody. */
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

    @Test
    void S2_whatever_is_lost_while_clients_dial_no_pod_sees_another_source() throws InterruptedException {
        try (Crowd crowd = new Crowd()) {
            crowd.awaitAnswers();
            for (MeshNode node : List.of(world.home1(), world.edge())) {
                for (Damage damage : damages(node)) {
                    damage.on(node);
                    letClientsDial();
                    cluster.agent(node).pass();
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
            }
            cluster.cleanUp();
            letClientsDial();
            cluster.settle();
            crowd.awaitAnswers();
        }

        Set<IpAddress> clients = Stream.of(AddressPlan.CLIENT, AddressPlan.CLIENT2)
                .flatMap(client -> client.both().stream())
                .collect(Collectors.toSet());
        Set<IpAddress> seen =
                PODS.stream().flatMap(pod -> pod.sources().stream()).collect(Collectors.toSet());
        assertThat(seen).isEqualTo(clients);
        assertThat(PODS)
                .allSatisfy(pod -> assertThat(pod.sightings()).as(pod.label()).isNotEmpty());
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

    /** Everything of kuport's on a node, thing by thing. */
    private List<Damage> damages(MeshNode node) {
        List<Damage> damages = new ArrayList<>();
        damages.add(n -> cluster.agent(n).restart());
        damages.add(n -> n.namespace().nft("delete table inet " + Ours.TABLE));
        damages.add(n -> n.namespace().nft("flush table inet " + Ours.TABLE));
        chains(node.namespace())
                .forEach(chain -> damages.add(n -> n.namespace().nft("flush chain inet " + Ours.TABLE + " " + chain)));
        damages.add(n -> n.namespace().nft(flushSixes(n.namespace())));
        for (String family : List.of("-4", "-6")) {
            damages.add(n -> n.namespace()
                    .run("sh", "-c", "while ip " + family + " rule del priority 90 2>/dev/null; do :; done"));
            damages.add(n -> n.namespace()
                    .run("sh", "-c", "ip " + family + " route flush table all proto " + Ours.ROUTE_PROTOCOL + " || :"));
        }
        damages.add(n -> n.namespace().ip("neigh flush dev " + Ours.LINK_DEVICE + " nud permanent"));
        damages.add(n -> n.namespace().ip("link set " + Ours.LINK_DEVICE + " down"));
        damages.add(n -> n.namespace().ip("link delete " + Ours.LINK_DEVICE));
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
