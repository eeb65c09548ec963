package li.wlz.kuport.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.DualAddress;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Pods that ask for ports of their node by an annotation, with the chart's {@code podAnnotations} on. */
@InCluster
class PodAnnotationsClusterIT {
    /** As the pod NAT controller's documentation has them. */
    private static final String MAIL =
            "{\"entries\":[{\"srcPort\":25,\"dstPort\":25},{\"ifaceAuto\":false,\"srcIP\":\"192.168.2.94\",\"srcPort\":587,\"dstPort\":587}]}";

    static final String DNS = "{\"entries\":[{\"srcPort\":8888,\"dstPort\":8888,\"proto\":\"udp\"}]}";

    /** The kernel puts an interface's IPv4 addresses in the order in which they came, but the newest IPv6 address first. */
    private static final IpAddress DETECTED6 = AddressPlan.A2.ipv6();

    private static final IpAddress SECOND = IpAddress.parse("192.168.2.94");

    /** edge's firewall is in nftables, edge2's in iptables-legacy. */
    private static final List<String> NODES = List.of("edge", "edge2");

    @BeforeAll
    static void turn_annotations_on() {
        install("podAnnotations.enabled=true");
    }

    private static void install(String values) {
        // All at once takes less time than one after the other. Of chains of iptables the kernel tells nothing when
        // they come.
        KubernetesCluster cluster = SharedCluster.cluster();
        Kuport.installChartOn(cluster, List.of(), "--set", values, "--set", "extraArgs={--verify-every=5s}");
        Kuport.placeAgents(cluster, NODES);
    }

    @AfterAll
    static void turn_annotations_off() {
        Kuport.uninstallChart(SharedCluster.cluster());
    }

    /** A pod on edge with a container for each port; it asks by the annotation. */
    static void run(Scene scene, String name, String annotation, int... ports) {
        runOn("edge", scene, name, annotation, ports);
    }

    static void runOn(String node, Scene scene, String name, String annotation, int... ports) {
        StringBuilder containers = new StringBuilder();
        for (int port : ports) {
            containers.append("""
                        - name: server-%1$d
                          image: %2$s
                          imagePullPolicy: Never
                          args: [serve, "%1$d"]
                          env:
                            - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
                    """.formatted(port, WorkloadImage.NAME));
        }
        scene.cluster().apply("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %s
                  namespace: %s
                  annotations: {bln.space/podnat: '%s'}
                spec:
                  nodeName: %s
                  restartPolicy: Never
                  terminationGracePeriodSeconds: 1
                  automountServiceAccountToken: false
                  enableServiceLinks: false
                  containers:
                %s""".formatted(name, scene.namespace(), annotation, node, containers));
    }

    static void awaitAnswer(Host client, Dial dial, String pod) {
        Scene.await(pod + " at " + dial)
                .untilAsserted(() -> assertThat(client.dial(dial)).isInstanceOfSatisfying(Answer.Reply.class, reply -> {
                    assertThat(reply.server()).isEqualTo(pod);
                    assertThat(reply.sourceSeen()).isEqualTo(reply.sentFrom());
                    assertThat(reply.repliedFrom()).isEqualTo(dial.destination());
                }));
    }

    private static void awaitEvent(Scene scene, String pod, String reason, String words) {
        Scene.await(reason + " of " + pod)
                .untilAsserted(() -> assertThat(scene.admin()
                                .v1()
                                .events()
                                .inNamespace(scene.namespace())
                                .list()
                                .getItems())
                        .filteredOn(event ->
                                event.getInvolvedObject().getName().equals(pod) && reason.equals(event.getReason()))
                        .anySatisfy(event -> assertThat(event.getMessage()).contains(words)));
    }

    private static Dial dial(Protocol protocol, IpAddress address, int port) {
        return Dial.to(protocol, address, port).attempts(3);
    }

    @Test
    void S8_the_first_example_is_served_to_the_letter_with_the_clients_address(Scene scene) {
        // What the second entry names: an address of the node's own network, which no provider lets out.
        scene.world().edge().namespace().ip("address add %s/32 dev eth0\n".formatted(SECOND));
        scene.undo(() -> scene.world().edge().namespace().ip("address del %s/32 dev eth0\n".formatted(SECOND)));
        run(scene, "mail", MAIL, 25, 587);
        Host client = scene.world().cli();
        awaitAnswer(client, dial(Protocol.TCP, AddressPlan.A1.ipv4(), 25), "mail");
        awaitAnswer(client, dial(Protocol.TCP, DETECTED6, 25), "mail");
        MeshNode edge = scene.world().edge();
        Scene.await("the second entry")
                .untilAsserted(() -> assertThat(edge.dial(dial(Protocol.TCP, SECOND, 587)))
                        .isInstanceOfSatisfying(
                                Answer.Reply.class,
                                reply -> assertThat(reply.server()).isEqualTo("mail")));
        assertThat(client.dial(dial(Protocol.TCP, AddressPlan.A1.ipv4(), 587))).isInstanceOf(Answer.Refused.class);
        assertThat(edge.dial(dial(Protocol.TCP, SECOND, 25))).isInstanceOf(Answer.Refused.class);
        awaitEvent(scene, "mail", "Delivered", "entries[1]: 192.168.2.94:587/tcp goes to");
    }

    @Test
    void S8_the_second_example_is_served_to_the_letter_with_the_clients_address(Scene scene) {
        run(scene, "dns", DNS, 8888);
        for (IpAddress address : List.of(AddressPlan.A1.ipv4(), DETECTED6)) {
            awaitAnswer(scene.world().cli(), dial(Protocol.UDP, address, 8888), "dns");
        }
    }

    @Test
    void the_older_of_two_pods_has_the_port_and_the_other_is_told_and_takes_over(Scene scene) {
        String annotation = "{\"entries\":[{\"srcPort\":%1$d,\"dstPort\":8080}]}".formatted(scene.port());
        run(scene, "older", annotation, 8080);
        Dial dial = dial(Protocol.TCP, AddressPlan.A1.ipv4(), scene.port());
        awaitAnswer(scene.world().cli(), dial, "older");
        run(scene, "younger", annotation, 8080);
        awaitEvent(scene, "younger", "PortConflict", "the older pod " + scene.namespace() + "/older has");
        awaitAnswer(scene.world().cli(), dial, "older");
        scene.admin().pods().inNamespace(scene.namespace()).withName("older").delete();
        awaitAnswer(scene.world().cli(), dial, "younger");
        awaitEvent(scene, "younger", "Delivered", "goes to");
    }

    @Test
    void an_annotation_that_becomes_wrong_or_goes_takes_its_port_along(Scene scene) {
        String annotation = "{\"entries\":[{\"srcPort\":%d,\"dstPort\":8080,\"proto\":\"%s\"}]}";
        run(scene, "server", annotation.formatted(scene.port(), "tcp"), 8080);
        Dial dial = dial(Protocol.TCP, AddressPlan.A1.ipv4(), scene.port());
        awaitAnswer(scene.world().cli(), dial, "server");
        run(scene, "server", annotation.formatted(scene.port(), "TCP"), 8080);
        awaitEvent(scene, "server", "AnnotationInvalid", "proto");
        awaitClosed(scene, dial);
        run(scene, "server", annotation.formatted(scene.port(), "tcp"), 8080);
        awaitAnswer(scene.world().cli(), dial, "server");
        scene.cluster().kubectl("--namespace", scene.namespace(), "annotate", "pod", "server", "bln.space/podnat-");
        awaitClosed(scene, dial);
    }

    private static void awaitClosed(Scene scene, Dial dial) {
        Scene.await("nothing at " + dial)
                .untilAsserted(() -> assertThat(scene.world().cli().dial(dial)).isInstanceOf(Answer.Refused.class));
    }

    @Test
    void a_rolling_update_leaves_no_gap(Scene scene) {
        String deployment = """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: server, namespace: %1$s}
                spec:
                  selector: {matchLabels: {app: server}}
                  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
                  template:
                    metadata:
                      labels: {app: server, round: "%2$d"}
                      annotations: {bln.space/podnat: '{"entries":[{"srcPort":%3$d,"dstPort":8080,"proto":"udp"}]}'}
                    spec:
                      nodeSelector: {kubernetes.io/hostname: edge}
                      terminationGracePeriodSeconds: 8
                      automountServiceAccountToken: false
                      enableServiceLinks: false
                      containers:
                        - name: server
                          image: %4$s
                          imagePullPolicy: Never
                          args: [linger, "8080"]
                          env:
                            - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
                """;
        Dial dial = Dial.udp(AddressPlan.A1.ipv4(), scene.port());
        scene.cluster().apply(deployment.formatted(scene.namespace(), 1, scene.port(), WorkloadImage.NAME));
        Scene.await("the first pod")
                .untilAsserted(() -> assertThat(scene.world().cli().dial(dial)).isInstanceOf(Answer.Reply.class));
        List<String> first = scene.admin().pods().inNamespace(scene.namespace()).list().getItems().stream()
                .map(pod -> pod.getMetadata().getName())
                .toList();
        scene.cluster().apply(deployment.formatted(scene.namespace(), 2, scene.port(), WorkloadImage.NAME));
        Scene.await("the next pod").until(() -> {
            Answer answer = scene.world().cli().dial(dial);
            assertThat(answer).isInstanceOf(Answer.Reply.class);
            return answer instanceof Answer.Reply reply && !first.contains(reply.server());
        });
    }

    @Test
    void a_restricted_port_is_refused_by_name_of_the_entry_and_the_key(Scene scene) {
        run(scene, "shell", "{\"entries\":[{\"srcPort\":22,\"dstPort\":8080}]}", 8080);
        awaitEvent(scene, "shell", "AnnotationInvalid", "entries[0].srcPort");
    }

    @Test
    void what_the_old_controller_left_is_named_with_the_commands_that_remove_it(Scene scene) {
        onEdge(scene, "iptables", "-t", "nat", "-N", "PODNAT_PRE");
        onEdge(scene, "iptables", "-t", "nat", "-A", "PREROUTING", "-j", "PODNAT_PRE");
        scene.undo(() -> {
            onEdge(scene, "iptables", "-t", "nat", "-D", "PREROUTING", "-j", "PODNAT_PRE");
            onEdge(scene, "iptables", "-t", "nat", "-X", "PODNAT_PRE");
        });
        awaitReport("edge", report -> assertThat(report).contains("ForeignController", "-X PODNAT_PRE"));
    }

    @Test
    void tcp_and_udp_of_one_port_and_an_IPv6_address_are_entries_of_their_own(Scene scene) {
        int port = scene.port();
        run(scene, "server", """
                {"entries":[{"srcPort":%1$d,"dstPort":8080},{"srcPort":%1$d,"dstPort":8081,"proto":"udp"},\
                {"ifaceAuto":false,"srcIP":"%3$s","srcPort":%2$d,"dstPort":8081}]}\
                """.formatted(port, port + 1, AddressPlan.A1.ipv6()), 8080, 8081);
        Host client = scene.world().cli();
        for (IpAddress address : List.of(AddressPlan.A1.ipv4(), DETECTED6)) {
            awaitAnswer(client, dial(Protocol.TCP, address, port), "server");
            awaitAnswer(client, dial(Protocol.UDP, address, port), "server");
            assertThat(client.dial(dial(Protocol.TCP, address, port + 1))).isInstanceOf(Answer.Refused.class);
        }
        awaitAnswer(client, dial(Protocol.TCP, AddressPlan.A1.ipv6(), port + 1), "server");
        assertThat(client.dial(dial(Protocol.UDP, AddressPlan.A1.ipv6(), port + 1)))
                .isInstanceOf(Answer.Refused.class);
    }

    @Test
    void a_pod_that_has_finished_has_nothing_though_it_is_still_there(Scene scene) {
        run(scene, "job", "{\"entries\":[{\"srcPort\":%d,\"dstPort\":8080}]}".formatted(scene.port()), 8080);
        Dial dial = dial(Protocol.TCP, AddressPlan.A1.ipv4(), scene.port());
        awaitAnswer(scene.world().cli(), dial, "job");
        scene.cluster()
                .node("edge")
                .endContainer(pod(scene, "job")
                        .getStatus()
                        .getContainerStatuses()
                        .getFirst()
                        .getContainerID());
        Scene.await("the job to finish")
                .until(() -> pod(scene, "job").getStatus().getPhase().equals("Succeeded"));
        awaitClosed(scene, dial);
        assertThat(onEdge(scene, "nft", "list", "table", "inet", "kuport")).doesNotContain(". " + scene.port() + " ");
    }

    private static Pod pod(Scene scene, String name) {
        return scene.admin()
                .pods()
                .inNamespace(scene.namespace())
                .withName(name)
                .require();
    }

    @Test
    void a_broken_annotation_takes_nothing_from_another_pod(Scene scene) {
        run(scene, "good", "{\"entries\":[{\"srcPort\":%d,\"dstPort\":8080}]}".formatted(scene.port()), 8080);
        Dial dial = dial(Protocol.TCP, AddressPlan.A1.ipv4(), scene.port());
        awaitAnswer(scene.world().cli(), dial, "good");
        run(scene, "broken", "{\"entries\":[{\"srcPort\":%d,".formatted(scene.port()), 8080);
        awaitEvent(scene, "broken", "AnnotationInvalid", "");
        for (String text : List.of(
                "[".repeat(100_000),
                "{\"entries\":[{\"srcPort\":1e999,\"dstPort\":{}}]}",
                "{\"entries\":[null,7,[]]}")) {
            scene.admin()
                    .pods()
                    .inNamespace(scene.namespace())
                    .withName("broken")
                    .edit(old -> {
                        old.getMetadata().getAnnotations().put("bln.space/podnat", text);
                        return old;
                    });
            assertThat(scene.world().cli().dial(dial)).isInstanceOf(Answer.Reply.class);
        }
        // What comes after it is still read.
        run(scene, "next", "{\"entries\":[{\"srcPort\":%d,\"dstPort\":8080}]}".formatted(scene.port() + 1), 8080);
        awaitAnswer(scene.world().cli(), dial(Protocol.TCP, AddressPlan.A1.ipv4(), scene.port() + 1), "next");
        awaitAnswer(scene.world().cli(), dial, "good");
    }

    @Test
    void D1_the_address_that_is_detected_is_followed_when_the_node_gets_another_in_its_place(Scene scene) {
        DualAddress old = AddressPlan.EDGE2_ADDRESS;
        DualAddress other = AddressPlan.EDGE2.host(11);
        Host client = scene.world().cli();
        Namespace edge2 = scene.world().edge2().namespace();
        runOn(
                "edge2",
                scene,
                "server",
                "{\"entries\":[{\"srcPort\":%d,\"dstPort\":8080}]}".formatted(scene.port()),
                8080);
        for (IpAddress address : old.both()) {
            awaitAnswer(client, dial(Protocol.TCP, address, scene.port()), "server");
        }
        // Or the second address of a network would go with the first.
        edge2.sysctl(Map.of("net.ipv4.conf.eth0.promote_secondaries", "1"));
        scene.undo(() -> replace(edge2, other, old));
        replace(edge2, old, other);
        for (IpAddress address : other.both()) {
            awaitAnswer(client, dial(Protocol.TCP, address, scene.port()), "server");
        }
        for (IpAddress address : old.both()) {
            assertThat(client.dial(Dial.tcp(address, scene.port()).within(Duration.ofMillis(500))))
                    .isNotInstanceOf(Answer.Reply.class);
        }
        assertThat(edge2.run("nft", "list", "table", "inet", "kuport"))
                .contains(other.ipv4() + " . tcp . " + scene.port(), other.ipv6() + " . tcp . " + scene.port())
                .doesNotContain(old.ipv4() + " . tcp", old.ipv6() + " . tcp");
    }

    private static void replace(Namespace node, DualAddress gone, DualAddress come) {
        node.ip("""
                address add %s/26 dev eth0
                address add %s/64 dev eth0
                address del %s/26 dev eth0
                address del %s/64 dev eth0
                """.formatted(come.ipv4(), come.ipv6(), gone.ipv4(), gone.ipv6()));
    }

    /** The kernel's mappings are then in the tables of iptables, where the container may write with what the chart adds. */
    @Test
    void by_iptables_of_either_backend_it_is_the_same_and_a_switch_leaves_nothing_of_either(Scene scene) {
        String annotation = "{\"entries\":[{\"srcPort\":%d,\"dstPort\":8080}]}".formatted(scene.port() + 1);
        Map<String, List<IpAddress>> addresses =
                Map.of("edge", List.of(AddressPlan.A1.ipv4(), DETECTED6), "edge2", AddressPlan.EDGE2_ADDRESS.both());
        NODES.forEach(node -> runOn(node, scene, "server-" + node, annotation, 8080));
        Runnable served = () -> addresses.forEach((node, each) -> each.forEach(address ->
                awaitAnswer(scene.world().cli(), dial(Protocol.TCP, address, scene.port() + 1), "server-" + node)));
        served.run();
        tellsWhatItMayNotRemove(scene);
        install("podAnnotations.enabled=true,podAnnotations.firewallFlavor=iptables");
        try {
            served.run();
            assertThat(chains(scene, "edge", "nft")).isNotEmpty();
            assertThat(chains(scene, "edge2", "legacy")).isNotEmpty();
            assertThat(chains(scene, "edge2", "nft")).isEmpty();
            assertThat(tables(scene)).doesNotContain("table inet kuport");
            refusesPortMaps(scene);
        } finally {
            install("podAnnotations.enabled=true,podAnnotations.removeIptables=true");
        }
        served.run();
        assertThat(tables(scene)).contains("table inet kuport");
        assertThat(chains(scene, "edge", "nft")).isEmpty();
        assertThat(chains(scene, "edge2", "legacy")).isEmpty();
        awaitReport("edge2", report -> assertThat(report).doesNotContain("RulesLeft"));
    }

    /** With NET_ADMIN alone an agent sees chains of iptables-legacy, and the programs that change them fail. */
    private static void tellsWhatItMayNotRemove(Scene scene) {
        scene.world().edge2().namespace().run("sh", "-ec", UninstallClusterIT.LEFT);
        awaitReport(
                "edge2",
                report -> assertThat(report).contains("RulesLeft", "chains KUPORT-* are still in iptables-legacy"));
    }

    private static void awaitReport(String node, Consumer<String> check) {
        Scene.await("what the agent says of " + node)
                .untilAsserted(() -> check.accept(SharedCluster.cluster().kubectl("get", "pmn", node, "-o", "yaml")));
    }

    private static void refusesPortMaps(Scene scene) {
        scene.offer("Single", "edge");
        scene.serve(Server.on("edge"));
        scene.map(scene.className());
        Scene.await("refusal").untilAsserted(() -> {
            Mapping mapping = Mapping.of(scene, "chat");
            assertThat(mapping.condition("Programmed")).isEqualTo("False/NodeNotReady");
            assertThat(mapping.message("Programmed")).contains("--firewall-flavor is iptables");
        });
    }

    /** Lines of ours in both families' tables of a backend. */
    private static List<String> chains(Scene scene, String node, String backend) {
        Namespace there = scene.world().node(node).namespace();
        return Stream.of("iptables", "ip6tables")
                .flatMap(family -> there.run(family + "-" + backend + "-save").lines())
                .filter(line -> line.contains("KUPORT"))
                .toList();
    }

    private static String tables(Scene scene) {
        return NODES.stream()
                .map(node -> scene.world().node(node).namespace().run("nft", "list", "tables"))
                .collect(Collectors.joining());
    }

    private static String onEdge(Scene scene, String... command) {
        return scene.world().edge().namespace().run(command);
    }
}
