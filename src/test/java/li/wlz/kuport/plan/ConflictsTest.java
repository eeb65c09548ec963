package li.wlz.kuport.plan;

import static li.wlz.kuport.plan.WorldBuilder.key;
import static li.wlz.kuport.plan.WorldBuilder.map;
import static li.wlz.kuport.plan.WorldBuilder.pod;
import static li.wlz.kuport.plan.WorldBuilder.portClass;
import static li.wlz.kuport.plan.WorldBuilder.verdicts;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.World;
import li.wlz.kuport.model.World.ServicePort;
import org.junit.jupiter.api.Test;

class ConflictsTest {
    private static void assertAccepted(WorldBuilder world, String... portMaps) {
        Map<ObjectKey, Verdict> verdicts = verdicts(world.build());
        for (String portMap : portMaps) {
            assertThat(verdicts.get(key(portMap))).extracting(Verdict::reason).isEqualTo(AcceptedReason.Valid);
        }
    }

    private static void assertConflict(WorldBuilder world, String loser, String winner) {
        Verdict verdict = Objects.requireNonNull(verdicts(world.build()).get(key(loser)));
        assertThat(verdict.reason()).isEqualTo(AcceptedReason.PortConflict);
        assertThat(verdict.message()).contains("PortMap " + winner + " ");
        assertAccepted(world, winner);
    }

    /** Classes: public and second on edge-a's enp1s0, third on edge-b's. */
    private static WorldBuilder world() {
        return WorldBuilder.cluster()
                .portClass(portClass().node("edge-a", "enp1s0"))
                .portClass(portClass().name("second").node("edge-a", "enp1s0").node("edge-b", "eth0"))
                .portClass(portClass().name("third").node("edge-b", "enp1s0"))
                .service("games/a", new ServicePort("game", Protocol.UDP, 1), new ServicePort("web", Protocol.TCP, 1))
                .service("games/b", new ServicePort("game", Protocol.UDP, 1))
                .service("other/b", new ServicePort("game", Protocol.UDP, 1))
                .namespace("other", Map.of());
    }

    @Test
    void mappings_of_different_ports_live_side_by_side() {
        assertAccepted(
                world().portMap(map("games/a").udp("3000-3009"))
                        .portMap(map("games/b").udp("3010-3019")),
                "games/a",
                "games/b");
    }

    @Test
    void the_two_protocols_are_apart() {
        assertAccepted(
                world().portMap(map("games/a").tcp(3000).service("a", "web"))
                        .portMap(map("games/b").udp(3000)),
                "games/a",
                "games/b");
    }

    @Test
    void P2_the_older_mapping_wins_whatever_its_name() {
        assertConflict(
                world().portMap(map("games/a").created(20))
                        .portMap(map("games/b").created(10)),
                "games/a",
                "games/b");
    }

    @Test
    void P2_of_one_second_namespace_and_name_decide() {
        assertConflict(world().portMap(map("games/b")).portMap(map("other/b")), "other/b", "games/b");
        assertConflict(world().portMap(map("games/b")).portMap(map("games/a")), "games/b", "games/a");
    }

    @Test
    void P2_classes_that_share_an_entry_point_share_its_ports() {
        assertConflict(
                world().portMap(map("games/a"))
                        .portMap(map("games/b").className("second").created(2000)),
                "games/b",
                "games/a");
        assertAccepted(
                world().portMap(map("games/a")).portMap(map("games/b").className("third")), "games/a", "games/b");
    }

    @Test
    void P2_entry_points_that_a_mapping_does_not_ask_for_are_free() {
        assertAccepted(
                world().portMap(map("games/a"))
                        .portMap(map("games/b").className("second").interfaces("eth0")),
                "games/a",
                "games/b");
    }

    @Test
    void P3_the_loser_takes_over_when_the_winner_goes() {
        WorldBuilder world = world().portMap(map("games/a")).portMap(map("games/b"));
        assertConflict(world, "games/b", "games/a");
        assertAccepted(world.without("games/a"), "games/b");
    }

    @Test
    void P3_a_loser_holds_no_port_against_a_third() {
        WorldBuilder world = world().service("games/c", new ServicePort("game", Protocol.UDP, 1))
                .portMap(map("games/a").udp("3000-3009").created(1))
                .portMap(map("games/b").udp("3009-3019").created(2))
                .portMap(map("games/c").udp("3015-3016").created(3));
        assertConflict(world, "games/b", "games/a");
        assertAccepted(world, "games/a", "games/c");
    }

    @Test
    void P7_a_port_inside_another_s_range_is_a_conflict_both_ways() {
        assertConflict(
                world().portMap(map("games/a").udp("3000-3009").created(1))
                        .portMap(map("games/b").udp(3005)),
                "games/b",
                "games/a");
        assertConflict(
                world().portMap(map("games/a").udp("3000-3009").created(2000))
                        .portMap(map("games/b").udp(3005)),
                "games/a",
                "games/b");
    }

    @Test
    void P4_one_port_on_two_listed_addresses_goes_to_two_mappings() {
        WorldBuilder world = world().portClass(portClass().name("one").listed("edge-a", AddressPlan.EDGE_A))
                .portClass(portClass().name("two").listed("edge-a", AddressPlan.EDGE_A_SECOND))
                .portMap(map("games/a").udp(53).className("one"))
                .portMap(map("games/b").udp(53).className("two"));
        assertAccepted(world, "games/a", "games/b");
    }

    @Test
    void P4_an_interface_overlaps_a_listed_address_unless_the_report_shows_it_elsewhere() {
        WorldBuilder world = world().portClass(portClass().name("listed").listed("edge-a", AddressPlan.EDGE_A_SECOND))
                .portMap(map("games/a").udp(53))
                .portMap(map("games/b").udp(53).className("listed").created(2000));
        assertConflict(world, "games/b", "games/a");
        assertConflict(
                world.report("edge-a", Map.of("enp1s0", List.of(AddressPlan.EDGE_A_SECOND))), "games/b", "games/a");
        assertAccepted(
                world.report("edge-a", Map.of("enp2s0", List.of(AddressPlan.EDGE_A_SECOND))), "games/a", "games/b");
    }

    @Test
    void a_mapping_without_its_service_keeps_its_port_and_its_reason() {
        WorldBuilder world = world().portMap(map("games/a").service("gone", "game"))
                .portMap(map("games/b").created(2000));
        Map<ObjectKey, Verdict> verdicts = verdicts(world.build());
        assertThat(verdicts.get(key("games/a"))).extracting(Verdict::reason).isEqualTo(AcceptedReason.ServiceNotFound);
        assertThat(verdicts.get(key("games/b"))).extracting(Verdict::reason).isEqualTo(AcceptedReason.PortConflict);
    }

    @Test
    void a_rollout_to_another_number_hands_a_range_to_nobody_else() {
        WorldBuilder world = world().endpoints("games/a", pod("a-0", "home1").port("game", Protocol.UDP, 4000))
                .portMap(map("games/a").udp("3000-3009"))
                .portMap(map("games/b").created(2000));
        Map<ObjectKey, Verdict> verdicts = verdicts(world.build());
        assertThat(verdicts.get(key("games/a"))).extracting(Verdict::reason).isEqualTo(AcceptedReason.RangeTranslation);
        assertThat(verdicts.get(key("games/b"))).extracting(Verdict::reason).isEqualTo(AcceptedReason.PortConflict);
    }

    @Test
    void a_mapping_that_may_not_have_its_port_does_not_keep_it() {
        WorldBuilder world = world().portMap(map("games/a").interfaces("none"))
                .portMap(map("games/b").created(2000));
        assertAccepted(world, "games/b");
    }

    /** The whole rule in its slow and plain form, against which the indexed one is held. */
    @Test
    void many_mappings_are_settled_as_by_comparing_each_with_each() {
        Random random = new Random(7);
        String[] classes = {"public", "second", "third", "one", "two"};
        for (int round = 0; round < 20; round++) {
            WorldBuilder world = world().portClass(portClass().name("one").listed("edge-a", AddressPlan.EDGE_A))
                    .portClass(portClass().name("two").listed("edge-a", AddressPlan.EDGE_A_SECOND));
            for (int i = 0; i < 120; i++) {
                int first = 1000 + random.nextInt(300);
                world.portMap(map("games/m" + i)
                        .service("b", "game")
                        .className(classes[random.nextInt(classes.length)])
                        .created(random.nextInt(50))
                        .udp(first + "-" + (first + random.nextInt(6))));
            }
            World built = world.build();
            List<ObjectKey> expected = new ArrayList<>();
            List<PortRequest> standing = new ArrayList<>();
            built.portMaps().values().stream().sorted(Accepted.OLDEST_FIRST).forEach(request -> {
                boolean loses = standing.stream()
                        .anyMatch(other -> other.ports().overlaps(request.ports()) && share(other, request));
                if (!loses) {
                    standing.add(request);
                    expected.add(request.key());
                }
            });
            assertThat(verdicts(built).entrySet().stream()
                            .filter(e -> e.getValue().accepted())
                            .map(Map.Entry::getKey))
                    .containsExactlyInAnyOrderElementsOf(expected)
                    .hasSizeBetween(30, 119);
        }
    }

    private static boolean share(PortRequest one, PortRequest other) {
        List<String> pair = List.of(one.className(), other.className());
        if (pair.contains("third")) {
            return one.className().equals(other.className());
        }
        // EDGE_A is reported on enp1s0; where EDGE_A_SECOND is nobody says.
        return !(pair.contains("one") && pair.contains("two"));
    }
}
