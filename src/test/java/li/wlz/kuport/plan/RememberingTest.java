package li.wlz.kuport.plan;

import static li.wlz.kuport.plan.WorldBuilder.map;
import static li.wlz.kuport.plan.WorldBuilder.pod;
import static li.wlz.kuport.plan.WorldBuilder.portClass;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.Condition;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.LabelSelector;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.World;
import li.wlz.kuport.model.World.ServicePort;
import li.wlz.kuport.plan.WorldBuilder.MapBuilder;
import li.wlz.kuport.plan.WorldBuilder.PodBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A planner that remembers decides as one that knows nothing, whatever changes in whatever order. */
class RememberingTest {
    private static final List<String> NODES = List.of("edge-a", "edge-b", "home1", "home2");
    private static final int CHANGES = 400;

    /** Changes a world and a node's facts at random, within few names and ports, so that much collides. */
    private static final class Changer {
        private record Socket(Protocol protocol, int port) {}

        private final Random random;
        private final String self;
        private final WorldBuilder world;
        private final Set<Dialled> opened = new HashSet<>();
        private final List<Socket> listeners = new ArrayList<>();
        private boolean forwarding6 = true;

        Changer(long seed, String self) {
            this.random = new Random(seed);
            this.self = self;
            this.world = WorldBuilder.cluster().namespace("other", Map.of("trusted", "yes"));
            if (random.nextInt(4) == 0) {
                world.folder();
            }
            for (int i = 0; i < 4; i++) {
                changeClass();
            }
            for (int i = 0; i < 8; i++) {
                changeService();
                changeEndpoints();
            }
        }

        private <T> T one(List<T> items) {
            return items.get(random.nextInt(items.size()));
        }

        private boolean sometimes() {
            return random.nextInt(4) == 0;
        }

        private String service() {
            return one(List.of("games", "games", "other")) + "/s" + random.nextInt(4);
        }

        private String portMap() {
            return one(List.of("games", "games", "other")) + "/m" + random.nextInt(12);
        }

        void change() {
            switch (random.nextInt(20)) {
                case 0 -> changeClass();
                case 1 -> changeNode();
                case 2 -> changeReport();
                case 3 -> world.namespace("other", sometimes() ? Map.of() : Map.of("trusted", "yes"));
                case 4, 5 -> changeService();
                case 6, 7, 8 -> changeEndpoints();
                case 9, 10 -> world.without(portMap());
                case 11 -> changeFacts();
                case 12 -> changeRefusals();
                default -> changePortMap();
            }
        }

        private void changeClass() {
            var built = portClass().name(one(List.of("public", "second", "third")));
            if (random.nextBoolean()) {
                built.node("edge-a", "enp1s0");
            } else {
                built.listed("edge-a", AddressPlan.EDGE_A, AddressPlan.EDGE_A6);
            }
            if (random.nextBoolean()) {
                built.node("edge-b", "enp1s0");
            }
            if (sometimes()) {
                built.multi();
            }
            if (sometimes()) {
                built.withoutReturnPath();
            }
            if (sometimes()) {
                built.namespaces(new LabelSelector(Sorted.copyOf(Map.of("trusted", "yes")), List.of()));
            }
            world.portClass(built);
        }

        private void changeNode() {
            String node = one(NODES);
            if (sometimes()) {
                world.withoutNode(node);
            } else if (random.nextBoolean()) {
                world.notReady(node);
            } else {
                world.node(node);
            }
        }

        private void changeReport() {
            String node = one(NODES);
            if (sometimes()) {
                world.withoutReport(node);
            } else {
                world.report(
                        node,
                        Map.of(
                                one(List.of("enp1s0", "eth0")),
                                List.of(one(List.of(AddressPlan.EDGE_A, AddressPlan.EDGE_B)), AddressPlan.EDGE_A6)));
            }
        }

        private void changeService() {
            if (sometimes()) {
                world.withoutService(service());
            } else {
                world.service(
                        service(),
                        new ServicePort("game", Protocol.UDP, 3000),
                        new ServicePort(sometimes() ? "other" : "web", Protocol.TCP, 3000));
            }
        }

        private void changeEndpoints() {
            List<PodBuilder> pods = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                PodBuilder pod = pod("p-" + random.nextInt(5), one(NODES));
                if (random.nextInt(5) > 0) {
                    pod.port("game", Protocol.UDP, 3000 + random.nextInt(2));
                }
                if (random.nextInt(5) > 0) {
                    pod.port("web", Protocol.TCP, 8080);
                }
                switch (random.nextInt(6)) {
                    case 0 -> pod.unready();
                    case 1 -> pod.ending();
                    case 2 -> pod.dualStack();
                    case 3 -> pod.hostNetwork();
                    case 4 -> pod.onNoNode();
                    default -> pod.port("extra", Protocol.TCP, 1);
                }
                pods.add(pod);
            }
            world.endpoints(service(), pods.toArray(PodBuilder[]::new));
        }

        private void changePortMap() {
            String key = portMap();
            int first = 3000 + random.nextInt(12);
            String ports = sometimes() ? first + "-" + (first + 1 + random.nextInt(4)) : Integer.toString(first);
            MapBuilder built = map(key).className(one(List.of("public", "public", "second", "third", "unknown")))
                    .created(random.nextInt(4))
                    .generation(1 + random.nextInt(3));
            String service = "s" + random.nextInt(4);
            if (random.nextBoolean()) {
                built.udp(ports).service(service, "game");
            } else {
                built.tcp(ports).service(service, "web");
            }
            if (sometimes()) {
                built.interfaces(one(List.of("enp1s0", "eth0")));
            }
            if (sometimes()) {
                built.currently(one(NODES), "p-" + random.nextInt(5));
            }
            if (sometimes()) {
                built.servedBy(one(NODES));
            }
            if (sometimes()) {
                built.readyRow(one(NODES), NodeRow.Role.Accepting, AddressPlan.pod(one(NODES), 10));
            }
            world.portMap(built);
        }

        private void changeFacts() {
            switch (random.nextInt(4)) {
                case 0 -> forwarding6 = !forwarding6;
                case 1 -> listeners.clear();
                case 2 -> listeners.add(new Socket(one(List.of(Protocol.values())), 3000 + random.nextInt(12)));
                default ->
                    opened.add(new Dialled(
                            AddressPlan.EDGE_A,
                            one(List.of(Protocol.values())),
                            PortRange.of(3000 + random.nextInt(12))));
            }
        }

        /** What is open is mostly what was decided last. */
        void open(Decision decision) {
            if (random.nextBoolean()) {
                opened.clear();
                opened.addAll(decision.node().accept().keySet());
            }
        }

        private void changeRefusals() {
            world.refusal(
                    "games/broken" + random.nextInt(3), AcceptedReason.InvalidPortRange, "words " + random.nextInt(2));
        }

        World world() {
            return world.build();
        }

        NodeFacts facts() {
            FactsBuilder facts = FactsBuilder.of(self).sysctls(true, forwarding6, true);
            listeners.forEach(socket -> facts.listener(socket.protocol, "0.0.0.0", socket.port));
            opened.forEach(facts::opened);
            return facts.build();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void whatever_changes_the_decision_is_that_of_a_planner_that_knows_nothing(long seed) {
        String self = NODES.get((int) seed % NODES.size());
        Settings settings = Settings.defaults(self);
        Changer changer = new Changer(seed, self);
        Planner remembering = new Planner(settings);
        Set<String> reasons = new HashSet<>();
        for (int i = 0; i < CHANGES; i++) {
            for (int change = changer.random.nextInt(3); change >= 0; change--) {
                changer.change();
            }
            World world = changer.world();
            NodeFacts facts = changer.facts();
            Decision decision = remembering.decide(world, facts);
            assertThat(decision)
                    .as("seed %d, change %d", seed, i)
                    .isEqualTo(new Planner(settings).decide(world, facts));
            decision.portMaps().values().stream()
                    .map(PortMapReport::conditions)
                    .flatMap(List::stream)
                    .map(Condition::reason)
                    .forEach(reasons::add);
            changer.open(decision);
        }
        // The changes are worth something only if they lead to different things.
        assertThat(reasons)
                .contains("Valid", "PortConflict", "ServiceNotFound", "ClassNotFound", "NoReadyEndpoint")
                .hasSizeGreaterThan(10);
    }

    @Test
    void what_did_not_change_is_the_same_object_as_before() {
        WorldBuilder world = WorldBuilder.cluster()
                .portClass(portClass().node("edge-a", "enp1s0"))
                .game("still", 3000, "home1")
                .game("moving", 4000, "home1");
        Planner planner = new Planner(Settings.defaults("edge-a"));
        NodeFacts facts = FactsBuilder.of("edge-a").build();
        Decision before = planner.decide(world.build(), facts);
        world.endpoints("games/moving", pod("moving-1", "home2").port("game", Protocol.UDP, 4000));
        Decision after = planner.decide(world.build(), facts);
        assertThat(after).isNotEqualTo(before);
        assertThat(after.portMaps().get(WorldBuilder.key("games/still")))
                .isSameAs(before.portMaps().get(WorldBuilder.key("games/still")));
    }
}
