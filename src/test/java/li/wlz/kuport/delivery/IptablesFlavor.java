package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Feature;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.UdpSender;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.PodAnnotations;
import li.wlz.kuport.model.PodAnnotations.Firewall;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Settings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Annotations through iptables, beside a CNI's masquerade and a policy of DROP there: the same for each backend. */
abstract class IptablesFlavor {
    private static final int PORT = 3000;

    private final Stage stage;
    private final String backend;
    private final World world;
    private final MeshNode edge;
    private final Namespace cli;

    IptablesFlavor(Stage stage, String backend) {
        this.stage = stage;
        this.backend = backend;
        this.world = stage.world();
        this.edge = world.edge();
        this.cli = world.cli().namespace();
    }

    static Stage stage() {
        return new Stage(
                Layout.plain().with(Feature.BARE).pods("edge", 2),
                settings -> settings.nodeName().equals("edge") ? settings.with(rules(Firewall.iptables)) : settings);
    }

    private static PodAnnotations rules(Firewall firewall) {
        PodAnnotations usual = PodAnnotations.DEFAULT;
        return new PodAnnotations(
                usual.key(), usual.restrictedPorts(), usual.internalNetworks(), null, firewall, false);
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    /** What others have in the tables of iptables: a CNI that masquerades, and a firewall that lets pass what it knows. */
    @BeforeEach
    void others() {
        edge.namespace().run("sh", "-ec", """
            for iptables in iptables-%1$s ip6tables-%1$s; do
              case $iptables in ip6*) pods=fd10:244::/48 ;; *) pods=10.244.0.0/16 ;; esac
              $iptables -t nat -A POSTROUTING -s $pods -d $pods -j RETURN
              $iptables -t nat -A POSTROUTING -s $pods -j MASQUERADE
              $iptables -t nat -A POSTROUTING ! -s $pods -d $pods -j MASQUERADE
              $iptables -P FORWARD DROP
              case $iptables in ip6*) $iptables -A FORWARD -p ipv6-icmp -j ACCEPT ;; esac
              $iptables -A FORWARD -s $pods -m conntrack --ctstate NEW,RELATED,ESTABLISHED -m conntrack ! --ctstate DNAT -j ACCEPT
              $iptables -A FORWARD -d $pods -m conntrack --ctstate RELATED,ESTABLISHED -m conntrack ! --ctstate DNAT -j ACCEPT
            done
            """.formatted(backend));
    }

    @AfterEach
    void withdraw() {
        stage.cluster()
                .delete("one")
                .delete("class")
                .delete("web")
                .delete("web-tcp")
                .delete("web-udp");
        stage.cluster().settle();
        assertThat(saved()).doesNotContain("KUPORT");
        edge.namespace().run("sh", "-ec", """
            for iptables in iptables-%1$s ip6tables-%1$s; do
              $iptables -P FORWARD ACCEPT
              for table in filter nat mangle; do $iptables -t $table -F; $iptables -t $table -X; done
            done
            if [ %1$s = nft ]; then
              for table in filter nat mangle; do nft add table ip $table; nft delete table ip $table
                nft add table ip6 $table; nft delete table ip6 $table; done
            fi
            """.formatted(backend));
    }

    private String saved() {
        return edge.namespace().run("iptables-" + backend + "-save")
                + edge.namespace().run("ip6tables-" + backend + "-save");
    }

    void ask() {
        stage.cluster()
                .put(
                        "one",
                        Asking.of(edge, edge.pod(1), Asking.both(PORT, Stage.POD_PORT))
                                .yaml());
    }

    private IpAddress detected(IpFamily family) {
        return stage.cluster().agent(edge).outcome().decision().node().accept().keySet().stream()
                .map(dialled -> dialled.address())
                .filter(address -> address.family() == family)
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void S1_the_pod_sees_the_client_and_what_it_opens_leaves_with_its_address(Protocol protocol, IpFamily family) {
        ask();
        IpAddress address = detected(family);
        Visits.seenAsItself(cli, Dial.to(protocol, address, PORT), "edge-pod1");
        Visits.answered(edge.namespace(), Dial.to(protocol, address, PORT), "edge-pod1");
        Visits.answered(
                edge.pod(1).namespace(), Dial.to(protocol, address, PORT).within(Visits.PATIENCE), "edge-pod1");
        Visits.answered(
                edge.pod(2).namespace(), Dial.to(protocol, address, PORT).within(Visits.PATIENCE), "edge-pod1");
        try (EchoServer outside = EchoServer.start(cli, "outside", 4000)) {
            Visits.answered(
                    edge.pod(1).namespace(),
                    Dial.to(protocol, AddressPlan.CLIENT.of(family), 4000).within(Visits.PATIENCE),
                    "outside");
            assertThat(outside.sources()).containsExactly(address);
        }
        Visits.seenAs(
                edge.pod(1).address(family),
                edge.pod(1).namespace(),
                Dial.to(protocol, edge.pod(2).address(family), Stage.POD_PORT).within(Visits.PATIENCE),
                "edge-pod2");
    }

    @Test
    void a_second_pass_and_a_restart_write_nothing_and_a_rule_that_came_before_ours_is_put_behind_it() {
        ask();
        String before = saved();
        assertThat(before).contains("KUPORT-PRE", "KUPORT-POST", "KUPORT-FORWARD");
        String generation = generation();
        stage.cluster().agent(edge).pass();
        stage.cluster().agent(edge).restart().pass();
        assertThat(withoutCounters(saved())).isEqualTo(withoutCounters(before));
        assertThat(generation()).isEqualTo(generation);
        edge.namespace().run("iptables-" + backend, "-t", "nat", "-I", "POSTROUTING", "1", "-j", "MASQUERADE");
        stage.cluster().agent(edge).pass();
        Visits.seenAsItself(cli, Dial.tcp(detected(IpFamily.IPV4), PORT), "edge-pod1");
        edge.namespace().run("iptables-" + backend, "-t", "nat", "-D", "POSTROUTING", "-j", "MASQUERADE");
    }

    private static String withoutCounters(String saved) {
        return saved.replaceAll("#.*|\\[\\d+:\\d+]", "");
    }

    /** Which nft's transactions raise; the older backend has no such number. */
    private String generation() {
        return edge.namespace().run("sh", "-c", "nft list ruleset >/dev/null; nft --stateless -j list ruleset | wc -c");
    }

    @Test
    void portmaps_are_refused_with_the_reason() {
        stage.cluster().write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"));
        stage.publish("web", "public", 3001, Manifests.Backend.of(edge, edge.pod(2)));
        stage.cluster().settle();
        ask();
        assertThat(Objects.requireNonNull(
                                stage.cluster().agent(edge).report("web-tcp").condition("Programmed"))
                        .message())
                .contains("--firewall-flavor is iptables");
        Visits.seenAsItself(cli, Dial.tcp(detected(IpFamily.IPV4), PORT), "edge-pod1");
        assertThat(edge.namespace().run("nft", "list", "tables")).doesNotContain("kuport");
    }

    @Test
    void another_flavor_takes_over_and_leaves_nothing_behind() {
        ask();
        IpAddress address = detected(IpFamily.IPV4);
        Settings settings = Settings.defaults("edge");
        // The policy of DROP is for iptables alone to lift.
        edge.namespace().run("iptables-" + backend, "-P", "FORWARD", "ACCEPT");
        try (UdpSender sender = UdpSender.start(cli, Dial.udp(address, PORT))) {
            sender.awaitAnswerOf("edge-pod1", Visits.PATIENCE);
            try (Agent other = new Agent(
                    settings.with(rules(Firewall.nftables)),
                    edge.namespace(),
                    stage.cluster().folder())) {
                other.pass();
                assertThat(saved()).doesNotContain("KUPORT");
                assertThat(edge.namespace().run("nft", "list", "tables")).contains("inet kuport");
                Visits.answered(cli, Dial.tcp(address, PORT), "edge-pod1");
                stage.cluster().agent(edge).restart().pass();
                assertThat(saved()).contains("KUPORT");
                assertThat(edge.namespace().run("nft", "list", "tables")).doesNotContain("inet kuport");
                Visits.seenAsItself(cli, Dial.tcp(address, PORT), "edge-pod1");
            }
        }
    }

    @Test
    void an_agent_whose_annotations_are_turned_off_takes_the_chains_away() {
        ask();
        assertThat(saved()).contains("KUPORT");
        try (Agent without = new Agent(
                Settings.defaults("edge"), edge.namespace(), stage.cluster().folder())) {
            without.pass();
        }
        assertThat(saved()).doesNotContain("KUPORT");
    }

    @Test
    void cleanup_removes_all_of_it_and_nothing_else() {
        String before = withoutCounters(saved());
        ask();
        stage.cluster().agent(edge).cleanUp();
        assertThat(withoutCounters(saved())).isEqualTo(before);
    }

    @Test
    void what_the_older_controller_left_is_named_with_the_commands_that_remove_it() {
        edge.namespace().run("sh", "-ec", """
                t=iptables-%1$s
                $t -t nat -N PODNAT_PRE
                $t -t nat -A PREROUTING -m comment --comment 'podnat[jump_to_chain]' -j PODNAT_PRE
                $t -t nat -A PODNAT_PRE -d 203.0.113.9/32 -p tcp -m tcp --dport 25 -m comment --comment mail:mx -j DNAT --to-destination 10.244.1.10:25
                $t -N OTHER_FORWARD
                $t -A FORWARD -m comment --comment 'other[jump_to_chain]' -j OTHER_FORWARD
                """.formatted(backend));
        NodeProblem problem = foreign().findFirst().orElseThrow();
        assertThat(problem.message()).contains("older pod NAT controller").doesNotContain("seems to run");
        try (EchoServer running = EchoServer.start(edge.namespace(), "controller", 8484)) {
            assertThat(foreign().findFirst().orElseThrow().message()).contains("seems to run");
            assertThat(running.sightings()).isEmpty();
        }
        String commands = problem.message().substring(problem.message().indexOf("remove them: ") + 13);
        edge.namespace().run("sh", "-ec", commands);
        assertThat(foreign()).isEmpty();
        assertThat(saved()).doesNotContain("PODNAT").doesNotContain("OTHER_FORWARD");
    }

    private Stream<NodeProblem> foreign() {
        return stage.cluster().agent(edge).pass().decision().report().problems().stream()
                .filter(problem -> problem.reason() == NodeReason.ForeignController);
    }
}
