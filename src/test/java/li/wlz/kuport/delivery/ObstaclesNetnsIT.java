package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.Tally;
import li.wlz.kuport.lab.Tally.Hook;
import li.wlz.kuport.lab.Tally.Watch;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Somebody else has the link's name or its UDP port. */
class ObstaclesNetnsIT {
    private static final String OFFER = "nodes: {edge: {interfaces: [eth0]}}";

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        Ways.serve(STAGE, OFFER);
    }

    @ParameterizedTest
    @CsvSource({
        "edge, foreign0, type vxlan external dstport 4790",
        "edge, foreign0, type vxlan id 7 dstport 4790",
        "home1, foreign0, type vxlan external dstport 4790",
        "edge, kup0, type veth peer name foreign1",
        "home1, kup0, type veth peer name foreign1"
    })
    void X3_a_device_in_the_way_is_named_and_left_alone_and_the_link_comes_once_it_is_gone(
            String node, String device, String kind) {
        Namespace namespace = world.node(node).namespace();
        // Classes make links; without one there is none.
        STAGE.cluster().remove("class");
        assertThat(namespace.run("ip", "-o", "link")).doesNotContain("kup0");
        namespace.ip("link add %s %s\nlink set %1$s up".formatted(device, kind));
        String before = namespace.run("ip", "-d", "-o", "link", "show", "dev", device);
        try {
            STAGE.cluster().put("class", Manifests.portMapClass("public", OFFER));
            Agent agent = STAGE.cluster().agent(node);

            assertThat(agent.problems()).singleElement().satisfies(problem -> {
                assertThat(problem.reason()).isEqualTo(NodeReason.VxlanUnavailable);
                assertThat(problem.message()).contains(device);
            });
            assertThat(agent.outcome().decision().report().linkUp()).isFalse();
            assertThat(agent.reason("far-tcp", "Programmed")).isEqualTo("ReturnPathUnavailable");
            assertNothingLeaks();
            for (IpFamily family : IpFamily.values()) {
                Visits.eachSeenAsItself(
                        List.of(world.cli()), List.of(AddressPlan.A1.of(family)), Protocol.TCP, Ways.NEAR, "edge-pod1");
            }
            assertThat(namespace.run("ip", "-d", "-o", "link", "show", "dev", device))
                    .isEqualTo(before);
        } finally {
            namespace.ip("link delete " + device);
        }
        STAGE.cluster().settle();

        for (Protocol protocol : Protocol.values()) {
            for (IpFamily family : IpFamily.values()) {
                Ways.everyServerSees(List.of(world.cli()), protocol, List.of(AddressPlan.A1.of(family)));
            }
        }
    }

    /** Without a link, what is for a pod elsewhere is not sent anywhere else. */
    private void assertNothingLeaks() {
        try (Tally provider = Tally.start(
                world.inet(),
                List.of(
                        new Watch("leaked4", Hook.PREROUTING, "iifname \"edge\" ip daddr 240.0.0.0/4"),
                        new Watch("leaked6", Hook.PREROUTING, "iifname \"edge\" ip6 daddr fd6b:7570:77::/48")))) {
            for (Protocol protocol : Protocol.values()) {
                for (IpFamily family : IpFamily.values()) {
                    Dial dial = Dial.to(protocol, AddressPlan.A1.of(family), Ways.FAR);
                    assertThat(world.cli().dial(dial.within(Duration.ofMillis(500))))
                            .isNotInstanceOf(Answer.Reply.class);
                }
            }
            assertThat(provider.packets("leaked4") + provider.packets("leaked6"))
                    .isZero();
        }
    }
}
