package li.wlz.kuport.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import li.wlz.kuport.intake.Intake;
import li.wlz.kuport.model.Endpoint;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.LabelSelector;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.World;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Manifests as people have them become the values that they mean, without a word of complaint. */
class GoodManifestsTest {
    private static final ObjectKey GAMESERVER = new ObjectKey("games", "gameserver");

    @TempDir
    private Path folder;

    private World read(String yaml) throws IOException {
        Files.writeString(folder.resolve("all.yaml"), yaml);
        var snapshot = ManifestSource.read(folder);
        Intake.Result result = new Intake(null).read(snapshot.resources(), snapshot.rowsShared());
        assertThat(snapshot.problems()).isEmpty();
        assertThat(result.problems()).isEmpty();
        assertThat(result.world().refused()).isEmpty();
        return result.world();
    }

    @Test
    void the_manifest_everything_starts_from() throws IOException {
        World world = read("""
                apiVersion: kuport.wlz.li/v1alpha1
                kind: PortMap
                metadata:
                  name: gameserver
                  namespace: games
                spec:
                  className: public
                  protocol: UDP
                  port: 3000
                  serviceRef:
                    name: gameserver
                    port: game
                """);
        assertThat(world.rowsShared()).isFalse();
        assertThat(world.portMaps())
                .isEqualTo(Map.of(
                        GAMESERVER,
                        new PortRequest(
                                GAMESERVER,
                                0,
                                0,
                                "public",
                                Protocol.UDP,
                                PortRange.of(3000),
                                List.of(),
                                "gameserver",
                                "game",
                                null,
                                null,
                                Sorted.map())));
    }

    @Test
    void a_portmap_with_all_that_it_can_have() throws IOException {
        World world = read("""
                apiVersion: kuport.wlz.li/v1alpha1
                kind: PortMap
                metadata: {name: gameserver, namespace: games, generation: 3, creationTimestamp: "2026-01-01T00:00:10Z"}
                spec:
                  className: public
                  protocol: UDP
                  port: 3000
                  endPort: 3009
                  interfaces: [enp1s0]
                  serviceRef: {name: gameserver, port: 3000}
                status:
                  endpoint: {node: worker-b, pod: gameserver-0, address: 10.244.18.107, address6: fd00:10:244:18::6b}
                  published:
                    - {node: edge-a, interface: enp1s0, address: 203.0.113.9, address6: "2001:db8::9"}
                  nodes:
                    - {name: edge-a, role: Accepting, ready: true, endpoint: 10.244.18.107, observedGeneration: 3}
                    - {name: worker-b, role: Endpoint, ready: false, reason: ForwardingBlocked, message: by ufw}
                    - {name: worker-c, role: SomethingNew, ready: true}
                  observedGeneration: 3
                  conditions:
                    - {type: Accepted, status: "True", reason: Valid, message: ok, lastTransitionTime: "2026-01-01T00:00:10Z"}
                """);
        PortRequest request = world.portMaps().get(GAMESERVER);
        assertThat(request).isNotNull();
        assertThat(request.created()).isEqualTo(1767225610);
        assertThat(request.generation()).isEqualTo(3);
        assertThat(request.ports()).isEqualTo(new PortRange(3000, 3009));
        assertThat(request.interfaces()).containsExactly("enp1s0");
        assertThat(request.servicePort()).isEqualTo("3000");
        assertThat(request.currentEndpoint()).isEqualTo(new PortRequest.CurrentEndpoint("worker-b", "gameserver-0"));
        assertThat(request.currentServingNode()).isEqualTo("edge-a");
        assertThat(request.rows().keySet()).containsExactly("edge-a", "worker-b");
        assertThat(request.rows().get("edge-a"))
                .isEqualTo(new NodeRow(
                        "edge-a", NodeRow.Role.Accepting, true, IpAddress.parse("10.244.18.107"), 3, null, ""));
    }

    @Test
    void a_class_with_all_that_it_can_have() throws IOException {
        World world = read("""
                apiVersion: kuport.wlz.li/v1alpha1
                kind: PortMapClass
                metadata: {name: public}
                spec:
                  nodes:
                    edge-a:
                      interfaces: [enp1s0, wt0]
                      addresses: [203.0.113.9]
                      external: {192.168.7.2: 203.0.113.9}
                  nodeSelector: {matchLabels: {role: edge}}
                  interfaces: [enp1s0]
                  servingMode: Multi
                  ports: {min: 1024, max: 65535, reserved: [8080, 9000-9100], allowProtected: []}
                  namespaceSelector:
                    matchLabels: {kuport.wlz.li/public: allowed}
                    matchExpressions: [{key: team, operator: NotIn, values: [guests]}]
                  returnPath:
                    mode: Vxlan
                    vxlan: {vni: 4242, port: 4790, subnet: 169.254.77.0/24, subnet6: "fd6b:7570:77::/112"}
                status:
                  links: [{key: a/b, slot: 0}]
                  nodes: [{name: edge-a, ready: true}]
                """);
        IpAddress outside = IpAddress.parse("203.0.113.9");
        assertThat(world.classes().get("public"))
                .isEqualTo(new PortClass(
                        "public",
                        0,
                        0,
                        Sorted.copyOf(Map.of(
                                "edge-a",
                                new PortClass.NodeOffer(
                                        List.of("enp1s0", "wt0"),
                                        List.of(outside),
                                        Sorted.copyOf(Map.of(IpAddress.parse("192.168.7.2"), outside))))),
                        new LabelSelector(Map.of("role", "edge"), List.of()),
                        List.of("enp1s0"),
                        PortClass.ServingMode.Multi,
                        new PortClass.PortPolicy(
                                new PortRange(1024, 65535),
                                List.of(PortRange.of(8080), new PortRange(9000, 9100)),
                                List.of()),
                        new LabelSelector(
                                Map.of("kuport.wlz.li/public", "allowed"),
                                List.of(new LabelSelector.Expression(
                                        "team", LabelSelector.Operator.NotIn, List.of("guests")))),
                        PortClass.ReturnPathMode.Vxlan,
                        new PortClass.Vxlan(4242, 4790)));
    }

    @Test
    void a_class_of_the_go_implementation() throws IOException {
        World world = read("""
                apiVersion: kuport.wlz.li/v1alpha1
                kind: PortMapClass
                metadata:
                  name: public
                spec:
                  nodes:
                    vps-1:
                      interfaces: [ens3]
                  ports:
                    reserved: [6443, 10250]
                  namespaceSelector: {}
                  returnPath:
                    mode: None
                """);
        PortClass read = world.classes().get("public");
        assertThat(read).isNotNull();
        assertThat(read.servingMode()).isEqualTo(PortClass.ServingMode.Single);
        assertThat(read.ports().range()).isEqualTo(new PortRange(1, 65535));
        assertThat(read.namespaceSelector()).isEqualTo(LabelSelector.EVERYTHING);
        assertThat(read.returnPath()).isEqualTo(PortClass.ReturnPathMode.None);
        assertThat(read.vxlan()).isNull();
    }

    @Test
    void a_nodes_report() throws IOException {
        World world = read("""
                apiVersion: kuport.wlz.li/v1alpha1
                kind: PortMapNode
                metadata: {name: edge-a}
                status:
                  version: 1.0.0
                  link: {up: true, underlay: 100.64.0.1, underlayMTU: 1420, mtu: 1370, port: 4790, vni: 4242}
                  interfaces:
                    - {name: enp1s0, addresses: [203.0.113.9], addresses6: ["2001:db8::9"]}
                  conditions: [{type: Ready, status: "False", reason: ReversePathFilter, message: strict}]
                  problems: [{reason: ReversePathFilter, message: "strict"}, {reason: OfTheFuture, message: "unknown"}]
                """);
        NodeReport report = world.nodeReports().get("edge-a");
        assertThat(report).isNotNull();
        assertThat(report.linkUp()).isTrue();
        assertThat(report.underlay()).containsExactly(IpAddress.parse("100.64.0.1"));
        assertThat(List.of(report.underlayMtu(), report.mtu(), report.port(), report.vni()))
                .containsExactly(1420, 1370, 4790, 4242);
        assertThat(report.interfaces())
                .isEqualTo(Map.of("enp1s0", List.of(IpAddress.parse("203.0.113.9"), IpAddress.parse("2001:db8::9"))));
        assertThat(report.problems()).extracting(p -> p.reason()).containsExactly(NodeReason.ReversePathFilter);
    }

    @Test
    void what_kubectl_prints_as_a_list() throws IOException {
        World world = read("""
                apiVersion: v1
                items:
                - apiVersion: v1
                  kind: Node
                  metadata:
                    annotations: {kuport.wlz.li/underlay: "100.64.0.1, fd00::1"}
                    creationTimestamp: "2026-01-01T00:00:00Z"
                    labels: {role: edge, beta.kubernetes.io/arch: amd64}
                    name: edge-a
                    resourceVersion: "1234"
                    uid: 0b1f5e0e-0000-0000-0000-000000000000
                  spec: {podCIDR: 10.244.0.0/24, taints: [{effect: NoSchedule, key: a, timeAdded: "2026-01-01T00:00:00Z"}]}
                  status:
                    addresses: [{address: 192.0.2.1, type: InternalIP}, {address: edge-a, type: Hostname}, {address: 203.0.113.9, type: ExternalIP}]
                    allocatable: {cpu: "2", memory: 4025836Ki}
                    capacity: {cpu: 2, memory: 4128236Ki}
                    conditions: [{type: MemoryPressure, status: "False"}, {type: Ready, status: Unknown}]
                    images: [{names: [a], sizeBytes: 123456789012}]
                - apiVersion: v1
                  kind: Service
                  metadata: {name: gameserver, namespace: games}
                  spec:
                    clusterIP: None
                    ports: [{name: game, port: 3000, protocol: UDP, targetPort: game}, {name: sctp, port: 9, protocol: SCTP, targetPort: 9}, {port: 80}]
                  status: {loadBalancer: {}}
                - apiVersion: v1
                  kind: Namespace
                  metadata: {name: games, labels: {team: blue}}
                - apiVersion: v1
                  kind: Pod
                  metadata: {name: gameserver-0, namespace: games}
                  spec: {containers: [{name: a, image: a, resources: {limits: {cpu: 100m}}, livenessProbe: {httpGet: {port: 80}}}]}
                kind: List
                metadata: {resourceVersion: ""}
                """);
        assertThat(world.nodes().get("edge-a")).satisfies(node -> {
            assertThat(node).isNotNull();
            assertThat(node.ready()).isFalse();
            assertThat(node.internalIps()).containsExactly(IpAddress.parse("192.0.2.1"));
            assertThat(node.addresses()).containsExactly(IpAddress.parse("192.0.2.1"), IpAddress.parse("203.0.113.9"));
            assertThat(node.underlay()).containsExactly(IpAddress.parse("100.64.0.1"), IpAddress.parse("fd00::1"));
            assertThat(node.labels()).containsEntry("role", "edge");
        });
        assertThat(world.services().get(GAMESERVER))
                .containsExactly(
                        new World.ServicePort("game", Protocol.UDP, 3000), new World.ServicePort("", Protocol.TCP, 80));
        assertThat(world.namespaceLabels().get("games"))
                .isEqualTo(Map.of("team", "blue", "kubernetes.io/metadata.name", "games"));
    }

    @Test
    void slices_of_both_families_are_merged_by_pod() throws IOException {
        World world = read("""
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: gameserver-4, namespace: games, labels: {kubernetes.io/service-name: gameserver}}
                addressType: IPv4
                ports: [{name: game, port: 3000, protocol: UDP}]
                endpoints:
                  - {addresses: [10.244.2.5], targetRef: {kind: Pod, name: gameserver-1, namespace: games}, nodeName: home2, conditions: {ready: false, serving: true, terminating: true}}
                  - {addresses: [10.244.1.5], targetRef: {kind: Pod, name: gameserver-0, namespace: games}, nodeName: home1}
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: gameserver-6, namespace: games, labels: {kubernetes.io/service-name: gameserver}}
                addressType: IPv6
                ports: [{name: game, port: 3000, protocol: UDP}]
                endpoints:
                  - {addresses: ["fd00:10:244:1::5"], targetRef: {kind: Pod, name: gameserver-0}, nodeName: home1, conditions: {}}
                """);
        Endpoint.Port port = new Endpoint.Port("game", Protocol.UDP, 3000);
        assertThat(world.endpoints().get(GAMESERVER))
                .containsExactly(
                        new Endpoint(
                                "gameserver-0",
                                "home1",
                                true,
                                true,
                                false,
                                Sorted.copyOf(Map.of(
                                        IpFamily.IPV4, IpAddress.parse("10.244.1.5"),
                                        IpFamily.IPV6, IpAddress.parse("fd00:10:244:1::5"))),
                                List.of(port)),
                        new Endpoint(
                                "gameserver-1",
                                "home2",
                                false,
                                true,
                                true,
                                Sorted.copyOf(Map.of(IpFamily.IPV4, IpAddress.parse("10.244.2.5"))),
                                List.of(port)));
    }

    @Test
    void E5_each_pod_has_the_number_that_its_own_slice_gives_a_port() throws IOException {
        World world = read(slice("web-1", 8080, "web-0") + "---\n" + slice("web-2", 9090, "web-1"));
        assertThat(world.endpoints().get(new ObjectKey("games", "web")))
                .extracting(Endpoint::pod, e -> e.ports().getFirst().port())
                .containsExactly(tuple("web-0", 8080), tuple("web-1", 9090));
    }

    private static String slice(String name, int port, String pod) {
        return """
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: %s, namespace: games, labels: {kubernetes.io/service-name: web}}
                addressType: IPv4
                ports: [{name: http, port: %d}]
                endpoints: [{addresses: [10.244.1.5], targetRef: {kind: Pod, name: %s}}]
                """.formatted(name, port, pod);
    }

    @Test
    void E6_an_endpoint_that_is_no_pod_of_the_namespace_is_kept_as_such() throws IOException {
        World world = read("""
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: ext-1, namespace: games, labels: {kubernetes.io/service-name: ext}}
                addressType: IPv4
                ports: [{port: 80}, {name: all}]
                endpoints:
                  - {addresses: [198.51.100.7]}
                  - {addresses: [10.244.1.9], targetRef: {kind: Pod, name: theirs, namespace: other}}
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: ext-2, namespace: games, labels: {kubernetes.io/service-name: ext}}
                addressType: FQDN
                endpoints: [{addresses: [example.org]}]
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: nobody, namespace: games}
                addressType: IPv4
                endpoints: [{addresses: [198.51.100.8]}]
                """);
        assertThat(world.endpoints()).containsOnlyKeys(new ObjectKey("games", "ext"));
        assertThat(world.endpoints().get(new ObjectKey("games", "ext")))
                .hasSize(3)
                .allMatch(endpoint -> endpoint.pod() == null && endpoint.ready());
    }

    @Test
    void a_portmap_that_is_being_deleted_is_gone() throws IOException {
        World world = read("""
                apiVersion: kuport.wlz.li/v1alpha1
                kind: PortMap
                metadata: {name: gameserver, namespace: games, deletionTimestamp: "2026-01-01T00:00:00Z"}
                spec: {className: public, protocol: UDP, port: 3000, serviceRef: {name: gameserver, port: game}}
                """);
        assertThat(world.portMaps()).isEmpty();
    }

    @Test
    void json_is_yaml_too() throws IOException {
        Files.writeString(
                folder.resolve("node.json"),
                "{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"Node\",\n\t\"metadata\": {\"name\": \"edge-a\", \"labels\": {\"a\": \"\\u0031\"}}\n}\n");
        var snapshot = ManifestSource.read(folder);
        assertThat(snapshot.problems()).isEmpty();
        assertThat(snapshot.resources().nodes()).hasSize(1);
    }

    @Test
    void aliases_comments_and_empty_documents_are_read_as_yaml_has_them() throws IOException {
        World world = read("""
                %YAML 1.2
                --- # a comment
                # nothing
                ---
                ...
                ---
                apiVersion: &version kuport.wlz.li/v1alpha1
                kind: PortMap
                metadata: {name: web, namespace: &n games, labels: {a: "---", b: *n}}
                spec: {className: public, protocol: "TCP", port: 0x50, serviceRef: {name: *n, port: '80'}}
                """);
        PortRequest request = world.portMaps().get(new ObjectKey("games", "web"));
        assertThat(request).isNotNull();
        assertThat(request.ports()).isEqualTo(PortRange.of(80));
        assertThat(request.serviceName()).isEqualTo("games");
        assertThat(request.servicePort()).isEqualTo("80");
    }

    @Test
    void hidden_files_and_files_of_editors_are_not_read() throws IOException {
        for (String name : List.of(
                ".hidden.yaml", ".web.yaml.swp", "web.yaml~", "#web.yaml", "web.yaml.tmp", "4913", "README.md")) {
            Files.writeString(folder.resolve(name), "kind: [");
        }
        Files.createDirectories(folder.resolve(".git"));
        Files.writeString(folder.resolve(".git/config.yaml"), "kind: [");
        Files.createDirectories(folder.resolve("deep/er"));
        Files.writeString(folder.resolve("deep/er/node.YML"), "{apiVersion: v1, kind: Node, metadata: {name: a}}");
        var snapshot = ManifestSource.read(folder);
        assertThat(snapshot.problems()).isEmpty();
        assertThat(snapshot.resources().nodes()).extracting(s -> s.origin()).containsExactly("deep/er/node.YML");
    }

    @Test
    void a_single_file_is_read_as_a_folder_of_one() throws IOException {
        Path file = folder.resolve("node.yaml");
        Files.writeString(file, "{apiVersion: v1, kind: Node, metadata: {name: a}}");
        assertThat(ManifestSource.read(file).resources().nodes())
                .extracting(s -> s.origin())
                .containsExactly("node.yaml");
    }

    @Test
    void a_folder_that_is_not_there_is_no_empty_one() {
        assertThatThrownBy(() -> ManifestSource.read(folder.resolve("nowhere")))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessage(folder.resolve("nowhere") + ": does not exist");
    }
}
