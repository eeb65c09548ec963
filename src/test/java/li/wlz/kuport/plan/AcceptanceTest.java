package li.wlz.kuport.plan;

import static li.wlz.kuport.plan.WorldBuilder.key;
import static li.wlz.kuport.plan.WorldBuilder.map;
import static li.wlz.kuport.plan.WorldBuilder.pod;
import static li.wlz.kuport.plan.WorldBuilder.portClass;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.LabelSelector;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.World.ServicePort;
import org.junit.jupiter.api.Test;

class AcceptanceTest {
    private static Verdict verdict(WorldBuilder world, String portMap) {
        return Objects.requireNonNull(WorldBuilder.verdicts(world.build()).get(key(portMap)));
    }

    private static void assertRefused(WorldBuilder world, AcceptedReason reason, String... inMessage) {
        Verdict verdict = verdict(world, "games/game");
        assertThat(verdict.reason()).as(verdict.message()).isEqualTo(reason);
        for (String part : inMessage) {
            assertThat(verdict.message()).contains(part);
        }
    }

    private static WorldBuilder game(WorldBuilder.ClassBuilder portClass) {
        return WorldBuilder.cluster().portClass(portClass).game("game", 3000, "home1");
    }

    private static WorldBuilder.ClassBuilder edgeA() {
        return portClass().node("edge-a", "enp1s0");
    }

    @Test
    void a_mapping_within_its_class_is_accepted() {
        assertRefused(game(edgeA()), AcceptedReason.Valid, "public");
    }

    @Test
    void an_unknown_class_is_named() {
        assertRefused(game(edgeA().name("other")), AcceptedReason.ClassNotFound, "PortMapClass public");
    }

    @Test
    void a_class_without_namespace_selector_is_for_every_namespace_known_or_not() {
        WorldBuilder world = game(edgeA())
                .service("elsewhere/game", new ServicePort("game", Protocol.UDP, 3001))
                .portMap(map("elsewhere/game").udp(3001));
        assertThat(verdict(world, "elsewhere/game").accepted()).isTrue();
    }

    @Test
    void P12_only_selected_namespaces_may_use_a_class() {
        LabelSelector allowed = new LabelSelector(Map.of("public", "allowed"), List.of());
        WorldBuilder world = game(edgeA().namespaces(allowed));
        assertRefused(world, AcceptedReason.NamespaceNotSelected, "namespace games");
        assertRefused(world.namespace("games", Map.of("public", "allowed")), AcceptedReason.Valid);
    }

    @Test
    void a_selector_that_is_not_valid_selects_no_namespace_and_says_so() {
        LabelSelector wrong = new LabelSelector(
                Map.of(), List.of(new LabelSelector.Expression("public", LabelSelector.Operator.In, List.of())));
        assertRefused(
                game(edgeA().namespaces(wrong)), AcceptedReason.NamespaceNotSelected, "In on public needs values");
    }

    @Test
    void ports_outside_the_class_s_range_are_refused_as_a_whole() {
        PortClass.PortPolicy policy = new PortClass.PortPolicy(new PortRange(1024, 3004), List.of(), List.of());
        WorldBuilder world = game(edgeA().ports(policy));
        assertRefused(world.portMap(map("games/game").udp(1023)), AcceptedReason.PortOutOfRange, "1024-3004", "1023");
        assertRefused(world.portMap(map("games/game").udp("3000-3005")), AcceptedReason.PortOutOfRange, "3000-3005");
        assertRefused(world.portMap(map("games/game").udp("3000-3004")), AcceptedReason.Valid);
    }

    @Test
    void a_range_that_touches_a_reserved_port_is_refused() {
        PortClass.PortPolicy policy =
                new PortClass.PortPolicy(new PortRange(1, 65535), List.of(new PortRange(3005, 3010)), List.of());
        WorldBuilder world = game(edgeA().ports(policy));
        assertRefused(world.portMap(map("games/game").udp("3000-3005")), AcceptedReason.PortReserved, "3005-3010");
        assertRefused(world.portMap(map("games/game").udp("3000-3004")), AcceptedReason.Valid);
    }

    @Test
    void P1_ports_that_could_cut_a_node_off_are_refused_with_the_way_to_allow_them() {
        for (String ports : List.of("22", "6443", "10250", "20-25", "30000", "32767", "29000-30000")) {
            WorldBuilder world = game(edgeA()).portMap(map("games/game").tcp(ports));
            assertRefused(
                    world, AcceptedReason.PortReserved, "protected", "ports.allowProtected of PortMapClass public");
        }
        for (String ports : List.of("4790", "4000-5000", "31000", "10000-60000", "51820", "51000-52000")) {
            WorldBuilder world = game(edgeA()).portMap(map("games/game").udp(ports));
            assertRefused(world, AcceptedReason.PortReserved, "protected");
        }
    }

    @Test
    void P1_protection_is_by_protocol_and_ends_at_its_borders() {
        WorldBuilder world = game(edgeA())
                .service(
                        "games/game",
                        new ServicePort("game", Protocol.UDP, 1),
                        new ServicePort("web", Protocol.TCP, 2));
        for (int port : List.of(22, 6443, 10250, 29999, 32768)) {
            assertRefused(world.portMap(map("games/game").udp(port)), AcceptedReason.Valid);
        }
        for (int port : List.of(4790, 29999, 32768, 51820)) {
            assertRefused(world.portMap(map("games/game").tcp(port).service("game", "web")), AcceptedReason.Valid);
        }
    }

    @Test
    void P7_a_range_over_the_node_ports_is_accepted_once_the_class_allows_all_of_them() {
        WorldBuilder world = game(edgeA().allow("30000-31000", "31001-32767", "51820"))
                .endpoints("games/game", pod("game-0", "home1").port("game", Protocol.UDP, 10000))
                .portMap(map("games/game").udp("10000-60000"));
        assertRefused(world, AcceptedReason.Valid);
        assertRefused(
                world.portClass(edgeA().allow("30000-32766", "51820")), AcceptedReason.PortReserved, "30000-32767");
        assertRefused(world.portClass(edgeA().allow("30000-32767")), AcceptedReason.PortReserved, "51820", "WireGuard");
    }

    @Test
    void an_interface_that_no_node_of_the_class_has_is_named() {
        WorldBuilder world = game(edgeA().node("edge-b", "eth0"));
        assertRefused(
                world.portMap(map("games/game").interfaces("eth0", "wlan7")),
                AcceptedReason.InterfaceNotInClass,
                "wlan7",
                "enp1s0, eth0");
        assertRefused(world.portMap(map("games/game").interfaces("eth0")), AcceptedReason.Valid);
    }

    @Test
    void the_interface_of_a_listed_address_is_known_by_the_node_s_report() {
        WorldBuilder world = game(portClass().listed("edge-a", AddressPlan.EDGE_A));
        assertRefused(world.portMap(map("games/game").interfaces("enp1s0")), AcceptedReason.Valid);
        assertRefused(world.portMap(map("games/game").interfaces("wt0")), AcceptedReason.InterfaceNotInClass, "wt0");
    }

    @Test
    void a_missing_service_is_named() {
        assertRefused(
                game(edgeA()).withoutService("games/game"),
                AcceptedReason.ServiceNotFound,
                "no Service game in namespace games");
    }

    @Test
    void a_service_port_counts_by_name_or_number_and_only_with_the_mapping_s_protocol() {
        WorldBuilder world = game(edgeA())
                .service(
                        "games/game",
                        new ServicePort("game", Protocol.UDP, 99),
                        new ServicePort("web", Protocol.TCP, 80));
        assertRefused(world.portMap(map("games/game").service("game", "99")), AcceptedReason.Valid);
        assertRefused(
                world.portMap(map("games/game").service("game", "80")),
                AcceptedReason.ServicePortNotFound,
                "no UDP port 80",
                "game 99/udp, web 80/tcp");
        assertRefused(
                world.portMap(map("games/game").service("game", "web")), AcceptedReason.ServicePortNotFound, "web");
    }

    @Test
    void E5_a_range_whose_pod_lists_another_number_is_refused() {
        WorldBuilder world = game(edgeA()).portMap(map("games/game").udp("3000-3009"));
        assertRefused(world, AcceptedReason.Valid);
        world.endpoints("games/game", pod("game-0", "home1").port("game", Protocol.UDP, 4000));
        assertRefused(world, AcceptedReason.RangeTranslation, "pod game-0", "4000", "3000");
    }

    @Test
    void reasons_are_looked_for_in_their_order() {
        WorldBuilder world = game(edgeA().namespaces(new LabelSelector(Map.of("a", "b"), List.of())))
                .withoutService("games/game")
                .portMap(map("games/game").tcp(22).interfaces("none"));
        assertRefused(world, AcceptedReason.NamespaceNotSelected);
        assertRefused(world.portClass(edgeA()), AcceptedReason.PortReserved);
        assertRefused(world.portClass(edgeA().allow("22")), AcceptedReason.InterfaceNotInClass);
        assertRefused(world.portMap(map("games/game").tcp(22)), AcceptedReason.ServiceNotFound);
    }
}
