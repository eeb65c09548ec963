package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.DualAddress;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Tally;
import li.wlz.kuport.lab.Tally.Hook;
import li.wlz.kuport.lab.Tally.Watch;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Settings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which of a node's addresses the link's outer packets use. */
class UnderlayNetnsIT {
    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        STAGE.serve(STAGE.world().home1().pod(1));
    }

    /** What a node is in Kubernetes. */
    private interface Described {
        String node(MeshNode node);
    }

    private static String node(MeshNode node, DualAddress internal, String annotations) {
        return """
                apiVersion: v1
                kind: Node
                metadata: {name: %s, annotations: {%s}}
                status:
                  conditions: [{type: Ready, status: "True"}]
                  addresses:
                    - {type: InternalIP, address: %s}
                    - {type: InternalIP, address: "%s"}
                """.formatted(node.name(), annotations, internal.ipv4(), internal.ipv6());
    }

    private static DualAddress outside(MeshNode node) {
        return node.uplinks().getFirst().addresses().getFirst();
    }

    /** Agents of these settings on nodes described so, with a pod of home1 published on edge. */
    private Cluster cluster(Described described, UnaryOperator<Settings> settings) {
        Cluster cluster = Cluster.on(world, settings);
        cluster.write(
                "cluster",
                world.nodes().stream().map(described::node).collect(Collectors.joining("---\n"))
                        + "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: " + Manifests.NAMESPACE + "}\n");
        cluster.write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"));
        cluster.write(
                "game",
                Manifests.workload(
                        "game",
                        Stage.POD_PORT,
                        Manifests.Backend.of(world.home1(), world.home1().pod(1))));
        for (Protocol protocol : Protocol.values()) {
            cluster.write(
                    "game-" + protocol.lowerCase(),
                    Manifests.portMap(
                            "game-" + protocol.lowerCase(),
                            "game",
                            "className: public\nprotocol: %s\nport: %d".formatted(protocol, Ways.FAR)));
        }
        return cluster;
    }

    /** What is ours is gone before the next one comes, whatever settings made it. */
    @AfterEach
    void cleanUp() {
        world.nodes().forEach(node -> STAGE.cluster().agent(node).cleanUp());
    }

    private void assertOuterPacketsStayInTheMesh(IpFamily underlay) {
        List<Tally> nodes = Stream.of(world.edge(), world.home1())
                .map(node -> Tally.start(
                        node.namespace(),
                        List.of(
                                new Watch(
                                        "mesh",
                                        Hook.POSTROUTING,
                                        "oifname \"%s\" meta nfproto %s udp dport 4790"
                                                .formatted(
                                                        node.meshInterface(),
                                                        underlay == IpFamily.IPV4 ? "ipv4" : "ipv6")),
                                new Watch(
                                        "elsewhere",
                                        Hook.POSTROUTING,
                                        "oifname != \"%s\" udp dport 4790".formatted(node.meshInterface())))))
                .toList();
        for (Protocol protocol : Protocol.values()) {
            for (IpFamily family : IpFamily.values()) {
                Visits.eachSeenAsItself(
                        List.of(world.cli(), world.cli2()),
                        List.of(AddressPlan.A1.of(family), AddressPlan.A2.of(family)),
                        protocol,
                        Ways.FAR,
                        "home1-pod1");
            }
        }
        for (Tally node : nodes) {
            assertThat(node.packets("mesh")).isPositive();
            assertThat(node.packets("elsewhere")).isZero();
            node.close();
        }
    }

    private void assertUnderlay(Cluster cluster, IpFamily family) {
        for (MeshNode node : world.nodes()) {
            assertThat(cluster.agent(node).outcome().decision().report().underlay())
                    .as("the underlay address that " + node.name() + " tells")
                    .containsExactly(node.mesh(family));
        }
    }

    @Test
    void D4_the_internal_address_is_used_where_nothing_else_is_said() {
        try (Cluster cluster = cluster(node -> node(node, node.mesh(), ""), settings -> settings)) {
            cluster.settle();

            assertUnderlay(cluster, IpFamily.IPV4);
            assertOuterPacketsStayInTheMesh(IpFamily.IPV4);
        }
    }

    @Test
    void D4_the_annotation_goes_before_internal_addresses_outside_the_mesh() {
        Described described = node -> node(
                node, outside(node), "kuport.wlz.li/underlay: " + node.mesh().ipv4());
        try (Cluster cluster = cluster(described, settings -> settings)) {
            cluster.settle();

            assertUnderlay(cluster, IpFamily.IPV4);
            assertOuterPacketsStayInTheMesh(IpFamily.IPV4);
        }
    }

    @Test
    void D4_the_agents_block_goes_before_internal_addresses_and_peers_are_told() {
        try (Cluster cluster = cluster(
                node -> node(node, outside(node), ""),
                settings -> withUnderlay(settings, IpFamily.IPV4, List.of(Cidr.parse("100.64.0.0/10"))))) {
            world.nodes()
                    .forEach(node -> cluster.write(node.name() + "-report", """
                    apiVersion: kuport.wlz.li/v1alpha1
                    kind: PortMapNode
                    metadata: {name: %s}
                    status:
                      link: {up: true, underlay: %s, underlayMTU: 1420, mtu: 1370, port: 4790, vni: 4242}
                    """.formatted(
                                    node.name(), node.mesh().ipv4())));
            cluster.settle();

            assertUnderlay(cluster, IpFamily.IPV4);
            assertOuterPacketsStayInTheMesh(IpFamily.IPV4);
        }
    }

    @Test
    void D4_the_outer_packets_may_be_ipv6_which_makes_the_link_shorter() {
        // The device that is there already cannot change its family.
        try (Cluster before = cluster(node -> node(node, node.mesh(), ""), settings -> settings)) {
            before.settle();
        }
        try (Cluster cluster = cluster(
                node -> node(node, node.mesh(), ""), settings -> withUnderlay(settings, IpFamily.IPV6, List.of()))) {
            cluster.settle();

            assertUnderlay(cluster, IpFamily.IPV6);
            assertThat(cluster.agent(world.edge()).outcome().decision().report().mtu())
                    .isEqualTo(1350);
            assertOuterPacketsStayInTheMesh(IpFamily.IPV6);
        }
    }

    /** Kube-proxy's masquerade changes ports too; over IPv6 the outer packets have checksums. */
    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void N1_a_masquerade_with_random_ports_leaves_outer_packets_alone(IpFamily underlay) {
        try (Cluster cluster =
                cluster(node -> node(node, node.mesh(), ""), settings -> withUnderlay(settings, underlay, List.of()))) {
            cluster.settle();
            for (MeshNode node : List.of(world.edge(), world.home1())) {
                node.namespace().nft("""
                        table inet foreign {
                            chain postrouting {
                                type nat hook postrouting priority srcnat
                                udp dport 4790 masquerade fully-random
                            }
                        }
                        """);
            }
            assertOuterPacketsStayInTheMesh(underlay);
        } finally {
            for (MeshNode node : List.of(world.edge(), world.home1())) {
                node.namespace().nft("delete table inet foreign\n");
            }
        }
    }

    @Test
    void D4_an_underlay_address_that_the_node_does_not_hold_is_reported_and_nothing_is_guessed() {
        Described described = node -> node(node, outside(node), "kuport.wlz.li/underlay: 100.64.0.99");
        try (Cluster cluster = cluster(described, settings -> settings)) {
            cluster.settle();

            for (MeshNode node : world.nodes()) {
                assertThat(cluster.agent(node).problems()).anySatisfy(problem -> {
                    assertThat(problem.reason()).isEqualTo(NodeReason.UnderlayUnknown);
                    assertThat(problem.message()).contains("100.64.0.99");
                });
                assertThat(node.namespace().run("ip", "-o", "link")).doesNotContain("kup0");
            }
            for (IpFamily family : IpFamily.values()) {
                assertThat(world.cli().dial(Dial.tcp(AddressPlan.A1.of(family), Ways.FAR)))
                        .isEqualTo(new Answer.Refused());
            }
        }
    }

    private static Settings withUnderlay(Settings settings, IpFamily family, List<Cidr> blocks) {
        return new Settings(
                settings.nodeName(),
                settings.marks(),
                settings.vni(),
                settings.linkPort(),
                family,
                settings.linkRange4(),
                settings.linkRange6(),
                blocks,
                settings.nodePorts(),
                null);
    }
}
