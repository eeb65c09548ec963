package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.ProgrammedReason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules of others that keep mapped packets from passing are found in the kernel and named; rules that don't are not. */
class ForeignFirewallsNetnsIT {
    private static final int GAME = 3000;
    private static final Duration BRIEF = Duration.ofSeconds(1);

    /** Docker's way, as iptables-nft writes it, on a node that has kube-proxy as well. */
    private static final String DOCKER = """
            %1$s -P FORWARD DROP
            %1$s -N DOCKER-USER
            %1$s -N DOCKER
            %1$s -N KUBE-FORWARD
            %1$s -A DOCKER-USER -j RETURN
            %1$s -A DOCKER ! -i docker0 -o docker0 -p tcp -m tcp --dport 80 -j ACCEPT
            %1$s -A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP
            %1$s -A KUBE-FORWARD -m mark --mark 0x4000/0x4000 -j ACCEPT
            %1$s -A KUBE-FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
            %1$s -A FORWARD -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD
            %1$s -A FORWARD -j DOCKER-USER
            %1$s -A FORWARD -o docker0 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
            %1$s -A FORWARD -o docker0 -j DOCKER
            %1$s -A FORWARD -i docker0 ! -o docker0 -j ACCEPT
            """;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();
    private final Cluster cluster = STAGE.cluster();

    @BeforeAll
    static void serve() {
        World world = STAGE.world();
        STAGE.serve(world.home1().pod(1));
        STAGE.cluster().write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"));
        STAGE.publish(
                "game", "public", GAME, Backend.of(world.home1(), world.home1().pod(1)));
        STAGE.cluster().settle();
    }

    @AfterEach
    void removeForeign() {
        for (MeshNode node : world.nodes()) {
            for (String table : List.of("inet foreign", "ip filter", "ip6 filter")) {
                node.namespace().nft("table %1$s\ndelete table %1$s\n".formatted(table));
            }
        }
        cluster.settle();
        assertThat(problems(world.edge())).isEmpty();
        Visits.forEachWay((protocol, family) -> Visits.seenAsItself(
                world.cli().namespace(), Dial.to(protocol, AddressPlan.A1.of(family), GAME), "home1-pod1"));
    }

    private List<NodeProblem> problems(MeshNode node) {
        return cluster.agent(node).outcome().decision().report().problems();
    }

    private NodeRow row(MeshNode node) {
        return Objects.requireNonNull(cluster.agent(node).report("game-udp").ownRow());
    }

    private void unanswered(Dial dial) {
        assertThat(world.cli().dial(dial.within(BRIEF))).isEqualTo(new Answer.TimedOut());
    }

    private void named(MeshNode node, NodeReason reason, String... words) {
        cluster.agent(node).pass();
        assertThat(problems(node))
                .anySatisfy(problem -> {
                    assertThat(problem.reason()).isEqualTo(reason);
                    assertThat(problem.message()).contains(words);
                })
                .allSatisfy(problem -> assertThat(problem.reason()).isEqualTo(reason));
    }

    @Test
    void F2_what_a_node_has_anyway_is_no_problem() {
        assertThat(world.nodes()).allSatisfy(node -> {
            cluster.agent(node).pass();
            assertThat(problems(node)).isEmpty();
        });
        assertThat(row(world.edge()).ready()).isTrue();
    }

    @Test
    void F2_a_drop_policy_of_Docker_is_named_and_the_rule_that_it_names_helps() {
        world.edge().namespace().run("sh", "-c", DOCKER.formatted("iptables-nft"));
        unanswered(Dial.udp(AddressPlan.A1.ipv4(), GAME));
        named(
                world.edge(),
                NodeReason.ForeignDrop,
                "ip filter FORWARD",
                "iptables -I FORWARD -m conntrack --ctstate DNAT -j ACCEPT");
        assertThat(row(world.edge()).reason()).isEqualTo(ProgrammedReason.ForwardingBlocked);
        assertThat(row(world.edge()).message()).contains("ip filter FORWARD");

        world.edge()
                .namespace()
                .run("iptables-nft", "-I", "FORWARD", "-m", "conntrack", "--ctstate", "DNAT", "-j", "ACCEPT");
        cluster.agent(world.edge()).pass();
        assertThat(problems(world.edge())).isEmpty();
        assertThat(row(world.edge()).ready()).isTrue();
        Visits.seenAsItself(world.cli().namespace(), Dial.udp(AddressPlan.A1.ipv4(), GAME), "home1-pod1");
    }

    @Test
    void F2_a_drop_policy_on_the_pods_node_is_named_there() {
        world.home1().namespace().run("sh", "-c", DOCKER.formatted("iptables-nft"));
        unanswered(Dial.udp(AddressPlan.A1.ipv4(), GAME));
        named(world.home1(), NodeReason.ForeignDrop, "ip filter FORWARD", "kup0");
        assertThat(row(world.home1()).reason()).isEqualTo(ProgrammedReason.ForwardingBlocked);
    }

    @Test
    void F3_a_drop_policy_of_IPv6_alone_that_comes_later_is_a_remark_where_IPv4_goes_on() {
        world.edge().namespace().run("sh", "-c", DOCKER.formatted("ip6tables-nft"));
        unanswered(Dial.udp(AddressPlan.A1.ipv6(), GAME));
        named(world.edge(), NodeReason.ForeignDrop, "ip6 filter FORWARD", "ip6tables -I FORWARD");
        assertThat(row(world.edge()).ready()).isTrue();
        assertThat(row(world.edge()).message()).contains("ip6 filter FORWARD");
    }

    @Test
    void K4_a_drop_of_what_comes_in_by_the_link_is_named() {
        world.home1()
                .namespace()
                .nft(
                        "table inet foreign {\nchain wall {\ntype filter hook forward priority 5\niifname kup0 counter drop\n}\n}\n");
        unanswered(Dial.udp(AddressPlan.A1.ipv4(), GAME));
        named(
                world.home1(),
                NodeReason.ForeignDrop,
                "inet foreign wall",
                "nft insert rule inet foreign wall ct status dnat accept");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "policy drop\nct state vmap { established : accept, related : accept, invalid : drop }\nct status dnat accept",
                "policy drop\nct state established,related accept\niifname { eth0, kup0 } accept",
                "policy drop\nct state established,related accept\noifname kup0 accept",
                "ip saddr 192.0.2.99 drop\ntcp dport 25 reject",
                "meta mark & 0x4000 != 0 drop",
                "iifname wg0 drop"
            })
    void F2_a_firewall_that_lets_mapped_packets_pass_is_no_problem(String rules) {
        world.edge()
                .namespace()
                .nft("table inet foreign {\nchain wall {\ntype filter hook forward priority 5; %s\n}\n}\n"
                        .formatted(rules));
        cluster.agent(world.edge()).pass();
        assertThat(problems(world.edge())).isEmpty();
        Visits.seenAsItself(world.cli().namespace(), Dial.udp(AddressPlan.A1.ipv4(), GAME), "home1-pod1");
    }

    @Test
    void N1_a_masquerade_before_ours_is_named() {
        world.home1()
                .namespace()
                .nft("table inet foreign {\nchain hide {\ntype nat hook postrouting priority 50\nmasquerade\n}\n}\n");
        named(world.home1(), NodeReason.EarlyMasquerade, "inet foreign hide", "50");
    }

    @Test
    void N4_rules_that_keep_pods_out_of_connection_tracking_are_named() {
        world.home1()
                .namespace()
                .nft(
                        "table inet foreign {\nchain raw {\ntype filter hook prerouting priority raw\nip saddr %s notrack\n}\n}\n"
                                .formatted(AddressPlan.PODS.ipv4()));
        named(world.home1(), NodeReason.NoTrack, "inet foreign raw");
    }

    static Stream<String> clashes() {
        return Stream.of(
                "ct mark set meta mark", "ct mark set 0x1", "meta mark set 0x6b700001", "meta mark set ct mark");
    }

    @ParameterizedTest
    @MethodSource("clashes")
    void K1_rules_that_write_kuports_bits_of_marks_are_named(String rule) {
        world.edge()
                .namespace()
                .nft("table inet foreign {\nchain marks {\ntype filter hook prerouting priority mangle\n%s\n}\n}\n"
                        .formatted(rule));
        named(world.edge(), NodeReason.MarkClash, "inet foreign marks");
    }
}
