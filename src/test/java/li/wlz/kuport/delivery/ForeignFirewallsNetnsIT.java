package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
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
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.ProgrammedReason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
        return cluster.agent(node).problems();
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

    /** What nftables does not show: alone, or beside tables that it shows. */
    @ParameterizedTest
    @ValueSource(strings = {"iptables", "ip6tables"})
    void F5_a_drop_policy_in_tables_of_iptables_legacy_is_named_and_the_rule_that_it_names_helps(String tool) {
        IpAddress dialled = tool.equals("iptables") ? AddressPlan.A1.ipv4() : AddressPlan.A1.ipv6();
        world.edge().namespace().run("sh", "-c", DOCKER.formatted(tool + "-legacy"));
        try {
            unanswered(Dial.udp(dialled, GAME));
            String remedy = tool + "-legacy -I FORWARD -m conntrack --ctstate DNAT -j ACCEPT";
            named(world.edge(), NodeReason.ForeignDrop, "iptables-legacy filter FORWARD", remedy);
            assertThat(row(world.edge()).message()).contains("iptables-legacy filter FORWARD");

            world.edge().namespace().run("sh", "-c", remedy);
            cluster.agent(world.edge()).pass();
            assertThat(problems(world.edge())).isEmpty();
            Visits.seenAsItself(world.cli().namespace(), Dial.udp(dialled, GAME), "home1-pod1");
        } finally {
            String empty = "%1$s -P FORWARD ACCEPT; %1$s -F; %1$s -X".formatted(tool + "-legacy");
            world.edge().namespace().run("sh", "-c", empty);
        }
    }

    /** The agent's container has no NET_RAW. */
    @Test
    void F5_tables_of_iptables_legacy_that_may_not_be_read_are_told_by_check() {
        world.edge().namespace().run("iptables-legacy", "-A", "FORWARD", "-s", "192.0.2.99", "-j", "DROP");
        try {
            List<String> command = new ArrayList<>(List.of("setpriv", "--bounding-set", "-net_raw"));
            command.addAll(AgentProcess.kuport("check", "--node-name", "edge", "--underlay-cidr", "100.64.0.0/24"));
            assertThat(world.edge().namespace().run(command.toArray(String[]::new)))
                    .containsPattern("warning *iptables-legacy .*iptables-legacy-save");
            cluster.agent(world.edge()).pass();
            assertThat(problems(world.edge())).isEmpty();
        } finally {
            world.edge().namespace().run("iptables-legacy", "-F");
        }
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

    /** ufw's way with what comes in: what somebody opened there is no use to the link. */
    private static final String UFW = """
            iptables-nft -N ufw-before-input
            iptables-nft -N ufw-user-input
            iptables-nft -A ufw-before-input -i lo -j ACCEPT
            iptables-nft -A ufw-before-input -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
            iptables-nft -A ufw-before-input -p icmp -j ACCEPT
            iptables-nft -A ufw-user-input -p tcp --dport 22 -j ACCEPT
            iptables-nft -A ufw-user-input -p udp --dport 51820 -j ACCEPT
            iptables-nft -A INPUT -j ufw-before-input
            iptables-nft -A INPUT -j ufw-user-input
            iptables-nft -P INPUT DROP
            """;

    private static String wall(String hook, String rules) {
        return "table inet foreign {\nchain wall {\ntype filter hook %s priority 5; %s\n}\n}\n".formatted(hook, rules);
    }

    @Test
    void F2_a_firewall_that_keeps_the_links_packets_from_coming_in_is_named_and_the_rule_that_it_names_helps() {
        world.home1().namespace().run("sh", "-c", UFW);
        unanswered(Dial.udp(AddressPlan.A1.ipv4(), GAME));
        unanswered(Dial.udp(AddressPlan.A1.ipv6(), GAME));
        String rule = "-I INPUT -p udp --dport 4790 -j ACCEPT";
        named(world.home1(), NodeReason.ForeignDrop, "ip filter INPUT", "from 100.64.0.", "iptables " + rule);
        assertThat(row(world.home1()).reason()).isEqualTo(ProgrammedReason.ForwardingBlocked);

        world.home1().namespace().run("sh", "-c", "iptables-nft " + rule);
        cluster.agent(world.home1()).pass();
        assertThat(problems(world.home1())).isEmpty();
        Visits.seenAsItself(world.cli().namespace(), Dial.udp(AddressPlan.A1.ipv4(), GAME), "home1-pod1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "edge | output | udp dport 4790 drop",
                "edge | output | udp dport { 53, 4000-5000 } reject",
                "home1 | output | ip daddr 100.64.0.0/24 udp dport != 51820 drop",
                "home1 | postrouting | udp dport 4790 counter drop"
            })
    void F2_a_drop_of_the_links_packets_on_their_way_out_is_named_and_the_rule_that_it_names_helps(
            String node, String hook, String rule) {
        MeshNode there = world.node(node);
        there.namespace().nft(wall(hook, rule));
        unanswered(Dial.udp(AddressPlan.A1.ipv4(), GAME));
        String remedy = "nft insert rule inet foreign wall udp dport 4790 accept";
        named(there, NodeReason.ForeignDrop, "inet foreign wall", "outer packets", remedy);
        assertThat(row(there).reason()).isEqualTo(ProgrammedReason.ForwardingBlocked);

        there.namespace().run("sh", "-c", remedy);
        cluster.agent(there).pass();
        assertThat(problems(there)).isEmpty();
        Visits.seenAsItself(world.cli().namespace(), Dial.udp(AddressPlan.A1.ipv4(), GAME), "home1-pod1");
    }

    @Test
    void F2_a_drop_of_delivered_packets_behind_the_forward_chains_is_named() {
        world.home1().namespace().nft(wall("postrouting", "ip daddr 10.244.2.0/24 iifname kup0 drop"));
        unanswered(Dial.udp(AddressPlan.A1.ipv4(), GAME));
        named(world.home1(), NodeReason.ForeignDrop, "inet foreign wall", "comes in by kup0");
        assertThat(row(world.home1()).message()).contains("inet foreign wall");
    }

    @Test
    void H6_a_drop_policy_that_keeps_the_node_itself_from_mappings_is_named_and_clients_are_served() {
        world.edge()
                .namespace()
                .nft(
                        wall(
                                "output",
                                "policy drop\nct state established,related accept\noifname wg-edge accept\nmeta l4proto icmpv6 accept"));
        Dial own = Dial.udp(AddressPlan.A1.ipv4(), GAME);
        assertThat(world.edge().dial(own.within(BRIEF))).isNotInstanceOf(Answer.Reply.class);
        named(world.edge(), NodeReason.ForeignDrop, "inet foreign wall", "this node itself");
        assertThat(row(world.edge()).ready()).isTrue();
        Visits.seenAsItself(world.cli().namespace(), own, "home1-pod1");

        world.edge().namespace().run("sh", "-c", "nft insert rule inet foreign wall ct status dnat accept");
        cluster.agent(world.edge()).pass();
        assertThat(problems(world.edge())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "output | policy drop; ct state established accept; udp dport 4790 accept; ct status dnat accept; meta l4proto icmpv6 accept",
                "input | policy drop; ct state established,related accept; iifname wg-edge accept; udp dport 51820 accept; meta l4proto icmpv6 accept",
                "input | policy drop; ct state established,related accept; udp dport 4000-5000 accept; udp dport 51820 accept; meta l4proto icmpv6 accept",
                "output | policy drop; oif lo accept; ct state established accept; udp dport { 4790, 51820 } accept; meta l4proto icmpv6 accept",
                "postrouting | udp dport 4789 drop"
            })
    void F2_a_firewall_that_lets_the_links_packets_pass_is_no_problem(String hook, String rules) {
        world.edge().namespace().nft(wall(hook, rules.replace("; ", "\n")));
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
