package li.wlz.kuport.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.DualAddress;
import li.wlz.kuport.lab.Lasting;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Packets from outside and inside to pods behind a real CNI and both modes of kube-proxy, and what the statuses say of it. */
@InCluster
@ExtendWith(InstalledKuport.class)
class DeliveryClusterIT {
    /** The kernel lists IPv4 addresses in the order they came in, IPv6 addresses the other way round. */
    private static final String PUBLISHED_AT_EDGE = "edge eth0 " + AddressPlan.A1.ipv4() + " " + AddressPlan.A2.ipv6();

    /** kube-proxy's modes: nftables on edge and home1, iptables on edge2 and home2. */
    @ParameterizedTest
    @CsvSource({"edge, home1", "edge, home2", "edge2, home1", "edge2, home2", "edge, edge"})
    void S1_N1_N3_N6_the_pod_sees_the_client_as_it_is_whatever_kube_proxy_does(String entry, String home, Scene scene) {
        Server server = Server.on(home);
        scene.serve(server);
        scene.offer("Single", entry);
        scene.map(scene.className());
        String pod = scene.pod(server);
        MeshNode node = scene.world().node(entry);
        scene.awaitServed(
                scene.world().cli(), node.uplinks().getFirst().addresses().getFirst(), pod);
        scene.awaitServed(
                scene.world().cli2(), node.uplinks().getFirst().addresses().getFirst(), pod);
    }

    @Test
    void the_statuses_and_columns_tell_the_story(Scene scene) {
        Server server = Server.on("home1");
        scene.serve(server);
        scene.map("public");
        String pod = scene.pod(server);
        Scene.await("Programmed").untilAsserted(() -> {
            Mapping game = Mapping.of(scene, "game");
            assertThat(game.condition("Accepted")).isEqualTo("True/Valid");
            assertThat(game.condition("Programmed")).isEqualTo("True/AllNodesReady");
            assertThat(game.pod()).isEqualTo(pod);
            assertThat(game.published()).containsExactly(PUBLISHED_AT_EDGE);
            assertThat(game.nodes()).containsExactly("edge Accepting true", "home1 Endpoint true");
        });
        assertThat(columns(scene, "get", "pm", "game", "-n", scene.namespace()))
                .startsWith("game", "public", "UDP", String.valueOf(scene.port()))
                .contains("True")
                .doesNotContain("<unknown>");
        assertThat(columns(scene, "get", "pm", "game", "-n", scene.namespace(), "-o", "wide"))
                .contains(
                        "home1",
                        AddressPlan.A1.ipv4().toString(),
                        AddressPlan.A2.ipv6().toString());
        assertThat(columns(scene, "get", "pmc", "public")).startsWith("public", "Vxlan", "Single", "True", "Valid");
    }

    private static List<String> columns(Scene scene, String... arguments) {
        List<String> command =
                Stream.concat(Stream.of(arguments), Stream.of("--no-headers")).toList();
        return List.of(
                scene.cluster().kubectl(command.toArray(String[]::new)).strip().split("\\s+", -1));
    }

    @Test
    void D4_the_nodes_of_a_mapping_report_their_mesh_address_as_the_links_underlay(Scene scene) {
        scene.serve(Server.on("home1"));
        scene.map("public");
        for (MeshNode node : List.of(scene.world().edge(), scene.world().home1())) {
            Scene.await("report of " + node.name())
                    .untilAsserted(() -> assertThat(columns(scene, "get", "pmn", node.name()))
                            .startsWith(node.name(), "True", node.mesh().ipv4().toString(), "1370", "Ready"));
        }
    }

    @Test
    void H1_H3_H7_pods_and_nodes_reach_the_published_address_too(Scene scene) {
        Server server = Server.on("home1");
        scene.serve(server);
        scene.map("public");
        String pod = scene.pod(server);
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, pod);
        for (MeshNode node : scene.world().nodes()) {
            Scene.await("answers to " + node.name()).untilAsserted(() -> {
                for (Dial dial : Scene.dials(AddressPlan.A1, scene.port())) {
                    assertThat(node.dial(dial))
                            .as("%s dials %s", node.name(), dial)
                            .isInstanceOfSatisfying(Answer.Reply.class, reply -> {
                                assertThat(reply.server()).isEqualTo(pod);
                                assertThat(reply.repliedFrom()).isEqualTo(dial.destination());
                            });
                }
            });
        }
    }

    @Test
    void N8_a_restart_of_kube_proxy_interrupts_nothing(Scene scene) {
        Server server = Server.on("home1");
        scene.serve(server);
        scene.map("public");
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, scene.pod(server));
        try (Lasting lasting = Lasting.open(scene.world().cli().namespace(), AddressPlan.A1, scene.port())) {
            for (String node : List.of("edge", "home1")) {
                Namespace namespace = scene.world().node(node).namespace();
                namespace.nft("delete table ip kube-proxy\ndelete table ip6 kube-proxy\n");
                lasting.exchange();
                scene.cluster().node(node).restartProxy();
                Scene.await("kube-proxy's tables")
                        .until(() -> namespace.run("nft", "list", "tables").contains("kube-proxy"));
            }
            lasting.lostNothing();
        }
    }

    @Test
    void Multi_every_accepting_node_serves_and_is_published(Scene scene) {
        Server server = Server.on("home1");
        scene.serve(server);
        scene.offer("Multi", "edge", "edge2");
        scene.map(scene.className());
        String pod = scene.pod(server);
        DualAddress other =
                scene.world().edge2().uplinks().getFirst().addresses().getFirst();
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, pod);
        scene.awaitServed(scene.world().cli(), other, pod);
        Scene.await("both published").untilAsserted(() -> {
            assertThat(Mapping.of(scene, "game").published())
                    .containsExactly(PUBLISHED_AT_EDGE, "edge2 eth0 " + other.ipv4() + " " + other.ipv6());
            assertThat(Mapping.of(scene, "game").condition("Programmed")).isEqualTo("True/AllNodesReady");
        });
    }

    @Test
    void E8_pods_in_the_hosts_network_are_served_on_the_pods_node_and_on_the_accepting_one(Scene scene) {
        for (String home : List.of("home1", "edge")) {
            Server server =
                    Server.on(home).named("host-" + home).inHostNetwork().listening(20_000 + scene.port());
            scene.serve(server);
            if (home.equals("home1")) {
                scene.map("public");
            }
            String pod = scene.pod(server);
            scene.awaitServed(scene.world().cli(), AddressPlan.A1, pod);
        }
    }

    @Test
    void what_is_wrong_with_a_mapping_is_said_in_its_status_and_once_in_an_event(Scene scene) {
        scene.map("nowhere");
        Scene.await("ClassNotFound").untilAsserted(() -> {
            assertThat(Mapping.of(scene, "game").condition("Accepted")).isEqualTo("False/ClassNotFound");
            assertThat(Mapping.of(scene, "game").message("Accepted")).contains("nowhere");
            assertThat(events(scene)).containsOnlyOnce("ClassNotFound");
        });
    }

    private static List<String> events(Scene scene) {
        return scene.admin().v1().events().inNamespace(scene.namespace()).list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getName().equals("game"))
                .map(Event::getReason)
                .toList();
    }

    @Test
    void P12_a_namespace_that_the_class_does_not_select_gets_nothing_until_it_is_labelled(Scene scene) {
        Server server = Server.on("home1");
        scene.serve(server);
        scene.cluster()
                .apply(Kuport.classOf(
                        scene.className(),
                        "Single",
                        "  namespaceSelector: {matchLabels: {lab.local/public: allowed}}\n",
                        "edge"));
        scene.map(scene.className());
        String pod = scene.pod(server);
        Scene.await("refusal")
                .untilAsserted(() -> assertThat(Mapping.of(scene, "game").condition("Accepted"))
                        .isEqualTo("False/NamespaceNotSelected"));
        scene.label("allowed");
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, pod);
        scene.label("no-more");
        scene.awaitRefused(scene.world().cli(), AddressPlan.A1);
    }

    @Test
    void an_edit_of_the_class_moves_the_mapping_to_another_node(Scene scene) {
        Server server = Server.on("home1");
        scene.serve(server);
        scene.offer("Single", "edge");
        scene.map(scene.className());
        String pod = scene.pod(server);
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, pod);
        scene.offer("Single", "edge2");
        scene.awaitServed(
                scene.world().cli(),
                scene.world().edge2().uplinks().getFirst().addresses().getFirst(),
                pod);
        scene.awaitRefused(scene.world().cli(), AddressPlan.A1);
    }

    @Test
    void P12_a_Services_address_is_never_taken(Scene scene) {
        scene.cluster().apply("""
                apiVersion: kuport.wlz.li/v1alpha1
                kind: PortMapClass
                metadata: {name: %s}
                spec:
                  returnPath: {mode: Vxlan}
                  nodes:
                    edge: {addresses: [10.96.0.1]}
                """.formatted(scene.className()));
        Server server = Server.on("home1");
        scene.serve(server);
        scene.pod(server);
        scene.cluster().apply(scene.portMap("game", scene.className(), Protocol.TCP, 443, "gameserver", "chat"));
        Scene.await("AddressNotOnNode").untilAsserted(() -> {
            assertThat(Mapping.of(scene, "game").condition("Programmed")).startsWith("False/");
            assertThat(scene.cluster().kubectl("get", "pmn", "edge", "-o", "yaml"))
                    .contains("AddressNotOnNode", "10.96.0.1");
        });
        assertThat(scene.world().home1().dial(Dial.tcp(IpAddress.parse("10.96.0.1"), 443)))
                .as("the API server still hears TLS, not the lab's words")
                .isInstanceOf(Answer.Reset.class);
    }
}
