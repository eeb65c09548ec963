package li.wlz.kuport.plan;

import static li.wlz.kuport.plan.WorldBuilder.key;
import static li.wlz.kuport.plan.WorldBuilder.map;
import static li.wlz.kuport.plan.WorldBuilder.pod;
import static li.wlz.kuport.plan.WorldBuilder.portClass;
import static li.wlz.kuport.plan.WorldBuilder.rulings;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.LabelSelector;
import li.wlz.kuport.model.ProgrammedReason;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.World.ServicePort;
import li.wlz.kuport.plan.WorldBuilder.PodBuilder;
import org.junit.jupiter.api.Test;

/** The choice of endpoint and serving node. */
class MappingsTest {
    private static Mapping mapping(WorldBuilder world, String portMap) {
        return Objects.requireNonNull(
                Objects.requireNonNull(rulings(world.build()).get(key(portMap))).mapping());
    }

    private static Mapping game(WorldBuilder world) {
        return mapping(world, "games/game");
    }

    private static String podOf(WorldBuilder world) {
        return Objects.requireNonNull(game(world).pod()).name();
    }

    private static PodBuilder game(String name, String node) {
        return pod(name, node).port("game", Protocol.UDP, 3000);
    }

    /** Accepting nodes edge-a and edge-b; the game runs on home1. */
    private static WorldBuilder world() {
        return WorldBuilder.cluster()
                .portClass(portClass().node("edge-a", "enp1s0").node("edge-b", "enp1s0"))
                .game("game", 3000, "home1");
    }

    private static WorldBuilder with(PodBuilder... pods) {
        return world().endpoints("games/game", pods);
    }

    @Test
    void a_pod_on_an_accepting_node_goes_before_a_smaller_name() {
        assertThat(podOf(with(game("a", "home1"), game("z", "edge-b")))).isEqualTo("z");
    }

    @Test
    void of_pods_on_accepting_nodes_the_node_s_name_decides_then_the_pod_s() {
        assertThat(podOf(with(game("a", "edge-b"), game("z", "edge-a"), game("y", "edge-a"))))
                .isEqualTo("y");
    }

    @Test
    void elsewhere_the_smallest_pod_name_decides_whatever_the_node() {
        assertThat(podOf(with(game("b", "home1"), game("a", "home2")))).isEqualTo("a");
    }

    @Test
    void E1_a_pod_about_to_end_serves_only_while_none_is_ready() {
        assertThat(podOf(with(game("old", "edge-a").ending(), game("young", "home1"))))
                .isEqualTo("young");
        assertThat(podOf(with(
                        game("old", "home1").ending(), game("young", "home1").unready())))
                .isEqualTo("old");
    }

    @Test
    void E1_the_current_pod_stays_while_it_is_ready() {
        WorldBuilder world = with(game("a", "home2"), game("b", "home1"))
                .portMap(map("games/game").currently("home1", "b"));
        assertThat(podOf(world)).isEqualTo("b");
        assertThat(podOf(world.endpoints(
                        "games/game", game("a", "home2"), game("b", "home1").ending())))
                .isEqualTo("a");
    }

    @Test
    void the_current_pod_gives_way_to_one_on_an_accepting_node() {
        WorldBuilder world = with(game("z", "edge-a"), game("b", "home1"))
                .portMap(map("games/game").currently("home1", "b"));
        assertThat(podOf(world)).isEqualTo("z");
    }

    @Test
    void a_pod_of_the_current_one_s_name_on_another_node_is_another_pod() {
        WorldBuilder world = with(game("a", "home2"), game("b", "home1"))
                .portMap(map("games/game").currently("home2", "b"));
        assertThat(podOf(world)).isEqualTo("a");
    }

    @Test
    void E3_without_any_endpoint_there_is_none() {
        Mapping mapping = game(with());
        assertThat(mapping.pod()).isNull();
        assertThat(mapping.lack()).extracting(Finding::reason).isEqualTo(ProgrammedReason.NoReadyEndpoint);
        assertThat(mapping.draining()).isEmpty();
    }

    @Test
    void E3_pods_that_are_not_ready_are_no_endpoint_and_are_named() {
        Mapping mapping = game(with(game("a", "home1").unready()));
        assertThat(mapping.pod()).isNull();
        assertThat(Objects.requireNonNull(mapping.lack()).message()).contains("pod a on node home1");
    }

    @Test
    void E6_an_endpoint_that_is_no_pod_of_a_known_node_is_refused_with_its_reason() {
        for (PodBuilder unsupported : List.of(
                game("a", "home1").noPod().only(IpAddress.parse("192.0.2.7")),
                game("a", "home1").onNoNode())) {
            Mapping mapping = game(with(unsupported));
            assertThat(mapping.pod()).isNull();
            assertThat(mapping.lack()).extracting(Finding::reason).isEqualTo(ProgrammedReason.EndpointUnsupported);
        }
        assertThat(Objects.requireNonNull(game(with(game("a", "home1").noPod().only(IpAddress.parse("192.0.2.7")))
                                        .withoutNode("home2"))
                                .lack())
                        .message())
                .contains("192.0.2.7", "no pod");
        assertThat(Objects.requireNonNull(game(world().withoutNode("home1")).lack())
                        .message())
                .contains("pod game-0", "home1");
        assertThat(podOf(with(game("a", "home1").noPod(), game("b", "home1")))).isEqualTo("b");
    }

    @Test
    void E8_a_pod_at_one_of_its_node_s_addresses_is_in_the_host_s_network() {
        assertThat(game(with(game("a", "home1").hostNetwork())).pod())
                .extracting(Pod::hostNetwork)
                .isEqualTo(true);
        assertThat(game(world()).pod()).extracting(Pod::hostNetwork).isEqualTo(false);
    }

    @Test
    void E5_the_port_is_the_one_that_the_chosen_pod_lists() {
        WorldBuilder world = with(
                pod("a", "home1").port("game", Protocol.UDP, 9090),
                pod("b", "home2").port("game", Protocol.UDP, 8080));
        Mapping mapping = game(world);
        assertThat(Objects.requireNonNull(mapping.pod())
                        .ports(mapping.request(), mapping.accepted().servicePort()))
                .hasToString("9090");
    }

    private static WorldBuilder ftp() {
        return WorldBuilder.cluster()
                .portClass(portClass().node("edge-a", "enp1s0").node("edge-b", "enp1s0"))
                .service(
                        "games/ftp",
                        new ServicePort("ctl", Protocol.TCP, 21),
                        new ServicePort("data", Protocol.TCP, 4000))
                .endpoints(
                        "games/ftp",
                        pod("a", "home1").port("ctl", Protocol.TCP, 21).port("data", Protocol.TCP, 4000),
                        pod("b", "home2").port("ctl", Protocol.TCP, 21).port("data", Protocol.TCP, 4000));
    }

    @Test
    void P9_P10_mappings_of_one_service_and_class_share_the_endpoint_of_the_oldest() {
        WorldBuilder world = ftp().portMap(map("games/ctl")
                        .tcp(21)
                        .service("ftp", "ctl")
                        .created(2)
                        .currently("home1", "a"))
                .portMap(map("games/data")
                        .tcp("4000-4100")
                        .service("ftp", "data")
                        .created(1)
                        .currently("home2", "b"));
        assertThat(mapping(world, "games/ctl").pod()).extracting(Pod::name).isEqualTo("b");
        assertThat(mapping(world, "games/data").pod()).extracting(Pod::name).isEqualTo("b");
    }

    @Test
    void P9_a_new_mapping_joins_the_endpoint_and_the_serving_node_of_its_service() {
        WorldBuilder world = ftp().portMap(map("games/ctl")
                        .tcp(21)
                        .service("ftp", "ctl")
                        .created(2)
                        .currently("home2", "b")
                        .servedBy("edge-b"))
                .portMap(map("games/data")
                        .tcp("4000-4100")
                        .service("ftp", "data")
                        .created(3));
        Mapping data = mapping(world, "games/data");
        assertThat(data.pod()).extracting(Pod::name).isEqualTo("b");
        assertThat(data.serving().nodes()).containsExactly("edge-b");
    }

    @Test
    void a_mapping_whose_port_the_shared_endpoint_lacks_has_none() {
        WorldBuilder world = ftp().endpoints("games/ftp", pod("a", "home1").port("ctl", Protocol.TCP, 21))
                .portMap(map("games/ctl").tcp(21).service("ftp", "ctl").created(1))
                .portMap(map("games/data").tcp(4000).service("ftp", "data").created(2));
        assertThat(mapping(world, "games/ctl").pod()).extracting(Pod::name).isEqualTo("a");
        assertThat(mapping(world, "games/data").pod()).isNull();
        assertThat(Objects.requireNonNull(mapping(world, "games/data").lack()).message())
                .contains("pod a", "data 4000/tcp");
    }

    @Test
    void a_younger_mapping_is_served_though_no_pod_has_the_oldest_s_port() {
        WorldBuilder world = ftp().endpoints("games/ftp", pod("a", "home1").port("data", Protocol.TCP, 4000))
                .portMap(map("games/ctl").tcp(21).service("ftp", "ctl").created(1))
                .portMap(map("games/data").tcp(4000).service("ftp", "data").created(2));
        assertThat(mapping(world, "games/data").pod()).extracting(Pod::name).isEqualTo("a");
    }

    @Test
    void U10_the_service_s_other_pods_drain_until_they_are_gone() {
        Mapping mapping = game(with(
                game("young", "home1"),
                game("old", "home2").ending(),
                game("ill", "home2").unready()));
        assertThat(mapping.draining()).extracting(Pod::name).containsExactly("ill", "old");
    }

    @Test
    void single_the_pod_s_node_serves_if_it_accepts() {
        assertThat(game(with(game("a", "edge-b"))).serving().nodes()).containsExactly("edge-b");
    }

    @Test
    void single_the_current_node_goes_on_while_it_is_healthy() {
        WorldBuilder world = world().portMap(map("games/game").servedBy("edge-b"));
        assertThat(game(world).serving()).isEqualTo(new Serving(List.of("edge-b"), true));
        assertThat(game(world.notReady("edge-b")).serving()).isEqualTo(new Serving(List.of("edge-a"), true));
        assertThat(game(world.node("edge-b").withoutReport("edge-b")).serving().nodes())
                .containsExactly("edge-a");
    }

    @Test
    void single_without_a_current_one_the_first_healthy_by_name_serves() {
        assertThat(game(world()).serving().nodes()).containsExactly("edge-a");
        assertThat(game(world().withoutReport("edge-a")).serving().nodes()).containsExactly("edge-b");
    }

    @Test
    void the_pod_s_node_does_not_serve_while_it_is_not_healthy() {
        assertThat(game(with(game("a", "edge-b")).notReady("edge-b")).serving().nodes())
                .containsExactly("edge-a");
    }

    @Test
    void where_no_accepting_node_is_healthy_the_current_one_is_not_taken_down() {
        WorldBuilder world = world().notReady("edge-a")
                .notReady("edge-b")
                .portMap(map("games/game").servedBy("edge-b"));
        assertThat(game(world).serving()).isEqualTo(new Serving(List.of("edge-b"), false));
    }

    @Test
    void in_a_folder_a_node_needs_no_report_to_be_healthy() {
        assertThat(game(world().folder()).serving()).isEqualTo(new Serving(List.of("edge-a"), true));
    }

    @Test
    void multi_every_healthy_accepting_node_serves() {
        WorldBuilder world = world().portClass(portClass()
                .multi()
                .node("edge-a", "enp1s0")
                .node("edge-b", "enp1s0")
                .node("home2", "enp1s0"));
        assertThat(game(world).serving().nodes()).containsExactly("edge-a", "edge-b", "home2");
        assertThat(game(world.notReady("edge-a")).serving().nodes()).containsExactly("edge-b", "home2");
    }

    @Test
    void only_nodes_that_exist_accept() {
        assertThat(game(world().withoutNode("edge-a")).serving().nodes()).containsExactly("edge-b");
        assertThat(game(world().withoutNode("edge-a").withoutNode("edge-b")).serving())
                .isEqualTo(Serving.NOBODY);
    }

    @Test
    void a_selector_adds_nodes_and_an_entry_by_name_wins_over_it() {
        WorldBuilder world = world().node("home2", true, Map.of("role", "edge"), List.of())
                .node("edge-a", true, Map.of("role", "edge"), List.of())
                .portClass(portClass()
                        .node("edge-a", "wt0")
                        .selecting(new LabelSelector(Map.of("role", "edge"), List.of()), "enp1s0"));
        assertThat(game(world).scope().entryPoints())
                .isEqualTo(Map.of(
                        "edge-a", List.of(new EntryPoint.Interface("wt0")),
                        "home2", List.of(new EntryPoint.Interface("enp1s0"))));
    }

    @Test
    void a_mapping_is_served_by_nodes_that_have_an_interface_it_asks_for() {
        WorldBuilder world = world().portClass(
                        portClass().node("edge-a", "enp1s0").node("edge-b", "eth0"))
                .portMap(map("games/game").interfaces("eth0"));
        assertThat(game(world).serving().nodes()).containsExactly("edge-b");
    }

    @Test
    void interfaces_narrow_listed_addresses_to_those_on_them() {
        WorldBuilder world = world().portClass(
                        portClass().listed("edge-a", AddressPlan.EDGE_A, AddressPlan.EDGE_A_OTHER_UPLINK))
                .report(
                        "edge-a",
                        Map.of(
                                "enp1s0", List.of(AddressPlan.EDGE_A),
                                "enp2s0", List.of(AddressPlan.EDGE_A_OTHER_UPLINK)))
                .portMap(map("games/game").interfaces("enp2s0"));
        assertThat(game(world).scope().entryPoints())
                .isEqualTo(Map.of("edge-a", List.of(new EntryPoint.Listed(AddressPlan.EDGE_A_OTHER_UPLINK))));
    }
}
