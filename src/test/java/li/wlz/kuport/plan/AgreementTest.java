package li.wlz.kuport.plan;

import static li.wlz.kuport.model.Protocol.UDP;
import static li.wlz.kuport.plan.WorldBuilder.map;
import static li.wlz.kuport.plan.WorldBuilder.pod;
import static li.wlz.kuport.plan.WorldBuilder.portClass;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.Condition;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.World;
import org.junit.jupiter.api.Test;

/** The same input gives the same decision, and all nodes decide alike. */
class AgreementTest {
    private static final List<String> NODES = List.of("edge-a", "edge-b", "home1", "home2");

    /** Conflicts, several pods, two classes, a refusal, both serving modes. */
    private static WorldBuilder rich() {
        WorldBuilder world = WorldBuilder.cluster()
                .portClass(portClass().node("edge-a", "enp1s0").node("edge-b", "enp1s0"))
                .portClass(
                        portClass().name("all").multi().node("edge-a", "enp1s0").node("edge-b", "enp1s0"))
                .refusal("games/broken", AcceptedReason.InvalidPortRange, "endPort is below port")
                .refusal("games/broken-too", AcceptedReason.InvalidPortRange, "endPort is below port");
        for (int i = 0; i < 12; i++) {
            String name = "g" + i;
            world.game(name, 3000 + i / 2 * 10, NODES.get(i % 4))
                    .endpoints(
                            "games/" + name,
                            pod("a-" + i, NODES.get(i % 4)).dualStack().port("game", UDP, 3000),
                            pod("b-" + i, NODES.get((i + 1) % 4)).port("game", UDP, 3000),
                            pod("c-" + i, NODES.get((i + 2) % 4)).ending().port("game", UDP, 3000))
                    .portMap(map("games/" + name)
                            .udp(3000 + i / 2 * 10)
                            .service(name, "game")
                            .created(i % 3)
                            .className(i % 5 == 0 ? "all" : "public"));
        }
        return world;
    }

    private static Decision decide(World world, String node) {
        return new Planner(Settings.defaults(node))
                .decide(world, FactsBuilder.of(node).build());
    }

    @Test
    void shuffled_input_gives_an_equal_decision() {
        for (String node : NODES) {
            Decision expected = decide(rich().build(), node);
            for (long seed = 0; seed < 10; seed++) {
                assertThat(decide(rich().buildShuffled(seed), node)).isEqualTo(expected);
            }
        }
    }

    @Test
    void a_planner_decides_the_same_whatever_it_decided_before() {
        Planner planner = new Planner(Settings.defaults("edge-a"));
        Decision first =
                planner.decide(rich().build(), FactsBuilder.of("edge-a").build());
        planner.decide(
                rich().without("games/g0").notReady("edge-a").build(),
                FactsBuilder.of("edge-a").build());
        assertThat(planner.decide(rich().build(), FactsBuilder.of("edge-a").build()))
                .isEqualTo(first);
    }

    @Test
    void P2_all_nodes_come_to_the_same_verdicts_endpoints_and_published_addresses() {
        World world = rich().build();
        Decision expected = decide(world, "edge-a");
        assertThat(expected.portMaps().values())
                .extracting(r ->
                        Objects.requireNonNull(r.condition(Condition.ACCEPTED)).reason())
                .contains("Valid", "PortConflict", "InvalidPortRange");
        for (String node : NODES) {
            Decision decision = decide(world, node);
            assertThat(decision.portMaps().keySet())
                    .isEqualTo(expected.portMaps().keySet());
            decision.portMaps().forEach((key, report) -> {
                PortMapReport other = Objects.requireNonNull(expected.portMaps().get(key));
                assertThat(report.condition(Condition.ACCEPTED)).isEqualTo(other.condition(Condition.ACCEPTED));
                assertThat(report.endpoint()).isEqualTo(other.endpoint());
                assertThat(report.published()).isEqualTo(other.published());
            });
        }
    }

    @Test
    void each_status_has_exactly_one_writer() {
        World world = rich().build();
        List<String> writers = new ArrayList<>();
        for (String node : NODES) {
            Decision decision = decide(world, node);
            decision.portMaps().values().stream()
                    .filter(PortMapReport::writer)
                    .forEach(report -> writers.add(report.key().toString()));
            decision.classes().values().stream()
                    .filter(report -> report.writer())
                    .forEach(report -> writers.add(report.name()));
        }
        List<String> expected = new ArrayList<>(List.of("all", "public"));
        decide(world, "edge-a").portMaps().keySet().forEach(key -> expected.add(key.toString()));
        assertThat(writers).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void S1_whatever_an_accepting_node_sends_over_the_link_the_pod_s_node_takes() {
        World world = rich().build();
        Map<String, NodePlan> plans = new TreeMap<>();
        NODES.forEach(node -> plans.put(node, decide(world, node).node()));
        int sent = 0;
        for (NodePlan plan : plans.values()) {
            for (var entry : plan.accept().entrySet()) {
                var target = entry.getValue().target();
                for (Map.Entry<String, NodePlan.Peer> peer : plan.peers().entrySet()) {
                    if (target == null || !peer.getValue().linkAddresses().contains(target.address())) {
                        continue;
                    }
                    Dialled onTheLink =
                            new Dialled(target.address(), entry.getKey().protocol(), target.ports());
                    assertThat(Objects.requireNonNull(plans.get(peer.getKey())).deliver())
                            .containsKey(onTheLink);
                    sent++;
                }
            }
        }
        assertThat(sent).isGreaterThan(5);
    }

    @Test
    void both_ends_of_a_link_know_each_other_by_the_same_names() {
        World world = rich().build();
        NodePlan edge = decide(world, "edge-a").node();
        NodePlan home = decide(world, "home1").node();
        NodePlan.Link edgeLink = Objects.requireNonNull(edge.link());
        NodePlan.Peer edgeAtHome = Objects.requireNonNull(home.peers().get("edge-a"));
        assertThat(edgeAtHome.mac()).isEqualTo(edgeLink.mac());
        assertThat(edgeAtHome.underlay()).isEqualTo(edgeLink.underlay());
        assertThat(edgeAtHome.gateway(IpFamily.IPV4)).isNotEqualTo(edgeLink.address4());
        assertThat(home.link()).isNotNull();
    }
}
