package li.wlz.kuport.delivery;

import static li.wlz.kuport.lab.Feature.ON_LINK_CLIENTS;
import static li.wlz.kuport.lab.Feature.SECOND_UPLINK;
import static li.wlz.kuport.lab.Feature.STRICT_REVERSE_PATH;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes whose kernel drops what comes in by another interface than an answer would leave by: {@code rp_filter=1} everywhere. */
class ReversePathNetnsIT {
    private static final int STRICT = 1;
    private static final String ALL = "net.ipv4.conf.all.rp_filter";
    private static final String ETH1 = "net.ipv4.conf.eth1.rp_filter";
    private static final String LINK = "net.ipv4.conf.kup0.rp_filter";

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain().with(STRICT_REVERSE_PATH, SECOND_UPLINK, ON_LINK_CLIENTS));

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        Ways.serve(STAGE, "nodes: {edge: {interfaces: [eth0, eth1]}}");
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void A2_clients_come_in_by_the_interface_that_leads_back_to_them(Protocol protocol, IpFamily family) {
        Ways.everyServerSees(
                List.of(world.cli(), world.cli2(), world.client("near")),
                protocol,
                List.of(AddressPlan.A1.of(family), AddressPlan.A2.of(family)));
        Ways.everyServerSees(List.of(world.client("near2")), protocol, List.of(AddressPlan.A3.of(family)));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "0, 1", "0, 2", "1, 0", "1, 1", "1, 2", "2, 0", "2, 1", "2, 2"})
    void A2_an_uplink_whose_filter_drops_clients_is_named_as_long_as_it_does(int all, int uplink) {
        Map<String, String> before = Map.of(ALL, "1", ETH1, "1");
        Agent agent = STAGE.cluster().agent(world.edge());
        Dial dial = Dial.udp(AddressPlan.A3.ipv4(), Ways.FAR);
        try {
            world.edge().namespace().sysctl(Map.of(ALL, String.valueOf(all), ETH1, String.valueOf(uplink)));
            agent.pass();

            // The kernel uses the greater one of the two.
            if (Math.max(all, uplink) == STRICT) {
                assertThat(problems(agent))
                        .singleElement()
                        .satisfies(problem -> assertThat(problem.message()).contains("eth1", "is 1", ETH1 + "=2"));
                assertThat(world.cli().dial(dial.within(Duration.ofMillis(300))))
                        .isEqualTo(new Answer.TimedOut());
            } else {
                assertThat(problems(agent)).isEmpty();
                Visits.seenAsItself(world.cli().namespace(), dial.within(Visits.PATIENCE), "home1-pod1");
            }
            Ways.everyServerSees(List.of(world.cli()), Protocol.TCP, List.of(AddressPlan.A1.ipv4()));
        } finally {
            world.edge().namespace().sysctl(before);
        }
    }

    private static List<NodeProblem> problems(Agent agent) {
        return agent.problems().stream()
                .filter(problem -> problem.reason() == NodeReason.ReversePathFilter)
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1"})
    void A2_the_links_own_filter_is_set_back_and_nobody_elses_is_touched(String value) {
        for (MeshNode node : List.of(world.edge(), world.home1())) {
            String others = filters(node);
            node.namespace().sysctl(Map.of(LINK, value));

            STAGE.cluster().agent(node).pass();

            assertThat(node.namespace().run("sysctl", "-n", LINK).strip()).isEqualTo("2");
            assertThat(filters(node)).isEqualTo(others);
        }
        for (IpFamily family : IpFamily.values()) {
            Ways.everyServerSees(List.of(world.cli()), Protocol.UDP, List.of(AddressPlan.A1.of(family)));
        }
    }

    private static String filters(MeshNode node) {
        return node.namespace().run("sh", "-c", "grep -s . /proc/sys/net/ipv4/conf/*/rp_filter | grep -v kup0");
    }
}
