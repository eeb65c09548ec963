package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpFamily;
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
import org.junit.jupiter.params.provider.ValueSource;

/** Rules of others that come before kuport's and take replies another way are named; those that take none are not. */
class PolicyRulesNetnsIT {
    private static final int GAME = 3000;
    private static final Duration BRIEF = Duration.ofSeconds(1);

    private static final List<String> OUTER4 =
            List.of("192.0.2.0/24", AddressPlan.EDGE.ipv4().toString());
    private static final List<String> OUTER6 =
            List.of("2001:db8:50::/63", AddressPlan.EDGE.ipv6().toString());

    private static final String REMOVE = """
            for family in -4 -6; do
                ip $family rule show | grep -v -e 'proto 109' -e '^0:' -e '^3276[67]:' \\
                    | sed 's/^\\([0-9]*\\):/preference \\1/' | xargs -r -L1 ip $family rule delete
                ip $family route flush table 51820 || true
            done
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

    /** Table 51820 is a VPN's: it has all go into the mesh, where nobody takes it, but for the mesh's own outer packets. */
    private static void divert(MeshNode node, String... rules) {
        StringBuilder batch = new StringBuilder();
        for (String family : List.of("", "-6 ")) {
            batch.append("%sroute add default dev %s table 51820\n".formatted(family, node.meshInterface()));
            for (String outer : family.isEmpty() ? OUTER4 : OUTER6) {
                batch.append("%sroute add throw %s table 51820\n".formatted(family, outer));
            }
            for (String rule : rules) {
                if (!rule.contains("10.244") || family.isEmpty()) {
                    batch.append("%srule add %s\n".formatted(family, rule.replace("MESH", node.meshInterface())));
                }
            }
        }
        node.namespace().run("sh", "-c", batch.toString().replaceAll("(?m)^", "ip "));
    }

    @AfterEach
    void removeForeign() {
        for (MeshNode node : world.nodes()) {
            node.namespace().run("sh", "-c", REMOVE);
        }
        cluster.settle();
        assertThat(world.nodes()).allSatisfy(node -> assertThat(problems(node)).isEmpty());
        Visits.forEachWay((protocol, family) -> Visits.seenAsItself(
                world.cli().namespace(), Dial.to(protocol, AddressPlan.A1.of(family), GAME), "home1-pod1"));
    }

    private List<NodeProblem> problems(MeshNode node) {
        return cluster.agent(node).problems();
    }

    private NodeRow row(MeshNode node) {
        return Objects.requireNonNull(cluster.agent(node).report("game-udp").ownRow());
    }

    private void unanswered() {
        for (IpFamily family : IpFamily.values()) {
            Dial dial = Dial.udp(AddressPlan.A1.of(family), GAME).within(BRIEF);
            assertThat(world.cli().dial(dial)).isEqualTo(new Answer.TimedOut());
        }
    }

    /** The problem of each family, which it keeps from being served. */
    private List<String> named(MeshNode node) {
        cluster.agent(node).pass();
        assertThat(problems(node)).extracting(NodeProblem::reason).containsOnly(NodeReason.RulePrecedence);
        assertThat(row(node).reason()).isEqualTo(ProgrammedReason.ForwardingBlocked);
        return problems(node).stream().map(NodeProblem::message).toList();
    }

    /** As wg-quick makes them: without a preference, so that the kernel puts them in front of all others. */
    @Test
    void K4_a_VPN_that_takes_all_replies_is_named_and_the_commands_that_are_named_help() {
        divert(world.edge(), "not fwmark 0xca6c lookup 51820", "lookup main suppress_prefixlength 0");
        unanswered();
        List<String> messages = named(world.edge());
        assertThat(messages)
                .hasSize(2)
                .anySatisfy(message -> assertThat(message)
                        .contains(
                                "\"89: not from all fwmark 0xca6c lookup 51820\"",
                                "by " + world.edge().meshInterface(),
                                "leave by eth0"));

        for (String message : messages) {
            String commands = message.substring(message.indexOf("preference: ") + "preference: ".length());
            world.edge().namespace().run("sh", "-c", commands);
        }
        cluster.agent(world.edge()).pass();
        assertThat(problems(world.edge())).isEmpty();
        assertThat(row(world.edge()).ready()).isTrue();
        Visits.seenAsItself(world.cli().namespace(), Dial.udp(AddressPlan.A1.ipv4(), GAME), "home1-pod1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lookup 51820",
                "iif kup0 lookup 51820",
                "fwmark 0x6b000000/0xff000000 lookup 51820 priority 7",
                "iif kup0 blackhole priority 12"
            })
    void A1_a_rule_that_takes_the_accepting_nodes_replies_another_way_is_named(String rule) {
        divert(world.edge(), rule);
        unanswered();
        assertThat(named(world.edge())).hasSize(2);
    }

    @Test
    void A1_a_rule_that_takes_what_pods_send_is_named_on_the_pods_node() {
        divert(world.home1(), "from 10.244.0.0/16 lookup 51820");
        assertThat(named(world.home1()))
                .singleElement()
                .satisfies(message -> assertThat(message).contains("IPV4", "leave by kup0"));
        assertThat(world.cli().dial(Dial.udp(AddressPlan.A1.ipv4(), GAME).within(BRIEF)))
                .isEqualTo(new Answer.TimedOut());
    }

    /** It comes behind kuport's, so that replies are safe. */
    @ParameterizedTest
    @ValueSource(strings = {"iif eth0 lookup 51820 priority 1000", "lookup 51820 priority 32765"})
    void K4_a_rule_that_keeps_requests_from_the_link_is_named_and_the_command_that_is_named_helps(String rule) {
        divert(world.edge(), rule);
        unanswered();
        List<String> messages = named(world.edge());
        assertThat(messages)
                .hasSize(2)
                .allSatisfy(message -> assertThat(message)
                        .contains("requests", "by " + world.edge().meshInterface(), "must leave by kup0"));

        for (String message : messages) {
            world.edge().namespace().run("sh", "-c", message.substring(message.indexOf("first: ") + 7));
        }
        cluster.agent(world.edge()).pass();
        assertThat(problems(world.edge())).isEmpty();
        Visits.seenAsItself(world.cli().namespace(), Dial.udp(AddressPlan.A1.ipv4(), GAME), "home1-pod1");
    }

    @Test
    void K4_a_rule_that_keeps_requests_from_pods_is_named_on_their_node() {
        divert(world.home1(), "not from 10.244.0.0/16 lookup 51820");
        assertThat(named(world.home1()))
                .singleElement()
                .satisfies(message -> assertThat(message).contains("requests", "IPV4"));
        assertThat(world.cli().dial(Dial.udp(AddressPlan.A1.ipv4(), GAME).within(BRIEF)))
                .isEqualTo(new Answer.TimedOut());
    }

    /** Each in front of kuport's, and with a table that has a way for everything. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "edge  | fwmark 0x4000/0x4000 lookup 51820",
                "edge  | fwmark 0x1 lookup 51820",
                "edge  | iif MESH lookup 51820",
                "edge  | oif MESH lookup 51820",
                "edge  | from 10.244.9.0/24 lookup 51820",
                "edge  | to 10.244.9.0/24 lookup 51820",
                "edge  | lookup main suppress_prefixlength 0",
                "edge  | lookup 4711",
                "edge  | ipproto icmp lookup 51820",
                "edge  | goto 90 priority 20",
                "edge  | not from 10.244.0.0/16 iif kup0 lookup 4711",
                "edge  | fwmark 0x6b700080/0xfff000ff blackhole priority 90",
                "home1 | iif eth0 lookup 51820"
            })
    void K4_a_rule_that_takes_no_reply_is_no_problem(String node, String rule) {
        divert(world.node(node), rule);
        cluster.settle();
        assertThat(problems(world.node(node))).isEmpty();
        Visits.forEachWay((protocol, family) -> Visits.seenAsItself(
                world.cli().namespace(), Dial.to(protocol, AddressPlan.A1.of(family), GAME), "home1-pod1"));
    }
}
