package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.Tally;
import li.wlz.kuport.lab.Tally.Hook;
import li.wlz.kuport.lab.Tally.Watch;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Long packets through the link, whose MTU is 1370 over a mesh of 1420, while clients have 1500. */
class SizesNetnsIT {
    private static final int LINK_MTU = AddressPlan.MESH_MTU - 50;
    private static final int BULK = 4 << 20;
    private static final int MEGABYTE = 1 << 20;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();

    /** Among the published ones is one without endpoints, which must not keep the others from being served (M4). */
    @BeforeAll
    static void serve() {
        Ways.serve(STAGE, "nodes: {edge: {interfaces: [eth0]}}");
    }

    /** What a kernel has learnt of one test's paths is not the next one's. */
    @BeforeEach
    void forgetPaths() {
        for (Host host : List.of(world.cli(), farPod(), world.edge().pod(1))) {
            host.namespace().run("ip", "route", "flush", "cache");
            host.namespace().run("ip", "-6", "route", "flush", "cache");
        }
    }

    private Host farPod() {
        return world.home1().pod(1);
    }

    /** The length of IP and UDP headers, in bytes. */
    private static int headers(IpFamily family) {
        return family == IpFamily.IPV4 ? 28 : 48;
    }

    private List<Tally> countFragments() {
        return Stream.of(world.edge(), world.home1())
                .map(node -> Tally.start(node.namespace(), Watch.fragments(node.meshInterface())))
                .toList();
    }

    private static void assertNoFragments(List<Tally> mesh) {
        for (Tally end : mesh) {
            assertThat(end.packets("fragments4") + end.packets("fragments6"))
                    .as("fragments in the mesh")
                    .isZero();
            end.close();
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void M1_bulk_goes_both_ways_through_the_link_without_a_fragment_in_the_mesh(IpFamily family) {
        List<Tally> mesh = countFragments();
        Dial dial = Dial.tcp(AddressPlan.A1.of(family), Ways.FAR)
                .bytes(BULK)
                .answered(BULK)
                .within(Visits.PATIENCE.multipliedBy(3));

        Visits.seenAsItself(world.cli().namespace(), dial, "home1-pod1");

        assertNoFragments(mesh);
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void M4_both_ends_are_told_the_links_segment_size_while_another_mapping_is_broken(IpFamily family) {
        int segment = LINK_MTU - (family == IpFamily.IPV4 ? 40 : 60);
        String syn = "tcp flags & (syn | ack) == ";
        assertThat(STAGE.cluster().agent(world.edge()).report("nobody-tcp").conditions())
                .anyMatch(condition -> !condition.status());
        try (Tally pod = segments(farPod().namespace(), syn + "syn", segment);
                Tally client = segments(world.cli().namespace(), syn + "(syn | ack)", segment)) {
            Dial dial = Dial.tcp(AddressPlan.A1.of(family), Ways.FAR).within(Visits.PATIENCE);
            Visits.seenAsItself(world.cli().namespace(), dial, "home1-pod1");

            for (Tally end : List.of(pod, client)) {
                assertThat(end.packets("right")).isPositive();
                assertThat(end.packets("wrong")).isZero();
            }
        }
    }

    private static Tally segments(Namespace namespace, String packets, int size) {
        return Tally.start(
                namespace,
                List.of(
                        new Watch("right", Hook.INPUT, packets + " tcp option maxseg size " + size),
                        new Watch("wrong", Hook.INPUT, packets + " tcp option maxseg size != " + size)));
    }

    static Stream<Arguments> datagrams() {
        return Stream.of(IpFamily.values())
                .flatMap(family ->
                        IntStream.of(1323, 1343, 1472, 4000, 20_000).mapToObj(bytes -> Arguments.of(family, bytes)));
    }

    @ParameterizedTest
    @MethodSource("datagrams")
    void M2_long_datagrams_go_both_ways_in_fragments(IpFamily family, int bytes) {
        List<Tally> mesh = countFragments();
        // IPv6 routers cut nothing: the first datagrams of either side teach it the way's MTU.
        Dial dial = Dial.udp(AddressPlan.A1.of(family), Ways.FAR)
                .bytes(bytes)
                .answered(bytes)
                .attempts(20)
                .within(Visits.PATIENCE);

        Visits.seenAsItself(world.cli().namespace(), dial, "home1-pod1");

        assertNoFragments(mesh);
    }

    static Stream<Arguments> tooLong() {
        return Stream.of(IpFamily.values())
                .flatMap(family -> IntStream.of(LINK_MTU + 1 - headers(family), 1371, 1400, 1500 - headers(family))
                        .mapToObj(bytes -> Arguments.of(family, bytes)));
    }

    @ParameterizedTest
    @MethodSource("tooLong")
    void M2_what_may_not_be_cut_is_answered_with_the_links_mtu_from_the_dialled_address(IpFamily family, int bytes) {
        IpAddress dialled = AddressPlan.A2.of(family);
        String error = family == IpFamily.IPV4
                ? "icmp type destination-unreachable icmp code frag-needed icmp mtu " + LINK_MTU + " ip"
                : "icmpv6 type packet-too-big icmpv6 mtu " + LINK_MTU + " ip6";
        try (Tally errors = Tally.start(
                world.cli().namespace(),
                List.of(
                        new Watch("right", Hook.INPUT, error + " saddr " + dialled),
                        new Watch("any", Hook.INPUT, "icmp type destination-unreachable"),
                        new Watch("any6", Hook.INPUT, "icmpv6 type packet-too-big")))) {
            Dial dial =
                    Dial.udp(dialled, Ways.FAR).withDontFragment().attempts(10).within(Visits.PATIENCE);

            assertThat(world.cli().dial(dial.bytes(bytes))).isEqualTo(new Answer.TooBig(OptionalInt.of(LINK_MTU)));

            assertThat(errors.packets("right")).isPositive();
            assertThat(errors.packets("any") + errors.packets("any6")).isEqualTo(errors.packets("right"));
            Visits.seenAsItself(world.cli().namespace(), dial.bytes(LINK_MTU - headers(family)), "home1-pod1");
        }
    }

    @Test
    void M2_the_pods_long_datagrams_teach_it_the_links_mtu_where_routers_cut_nothing() {
        Dial dial = Dial.udp(AddressPlan.A1.ipv6(), Ways.FAR)
                .answered(1372)
                .attempts(20)
                .within(Visits.PATIENCE);

        Visits.seenAsItself(world.cli().namespace(), dial, "home1-pod1");

        assertThat(path(farPod(), AddressPlan.CLIENT.ipv6())).contains("mtu " + LINK_MTU);
    }

    private static String path(Host from, IpAddress to) {
        return from.namespace().run("ip", "-o", "route", "get", to.toString());
    }

    static Stream<Arguments> places() {
        return Stream.of(IpFamily.values())
                .flatMap(family -> IntStream.of(Ways.FAR, Ways.NEAR).mapToObj(port -> Arguments.of(family, port)));
    }

    @ParameterizedTest
    @MethodSource("places")
    void I1_a_narrow_hop_near_the_client_is_learnt_by_the_pod(IpFamily family, int port) {
        int narrow = 1300;
        Host pod = port == Ways.FAR ? farPod() : world.edge().pod(1);
        world.inet().ip("link set cli mtu " + narrow);
        try {
            Dial dial =
                    Dial.tcp(AddressPlan.A1.of(family), port).answered(MEGABYTE).within(Visits.PATIENCE);
            Visits.seenAsItself(world.cli().namespace(), dial, pod.name());

            assertThat(path(pod, AddressPlan.CLIENT.of(family))).contains("mtu " + narrow);
        } finally {
            world.inet().ip("link set cli mtu " + AddressPlan.OUTSIDE_MTU);
        }
    }

    /** Such an error is no reply of the flow's: with the way back of one it would go to the client's provider. */
    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void I1_what_the_accepting_node_says_of_a_reply_reaches_the_pod(IpFamily family) {
        Host pod = farPod();
        String expired = family == IpFamily.IPV4 ? "icmp type time-exceeded" : "icmpv6 type time-exceeded";
        pod.namespace().nft("""
                table inet short {
                    chain output {
                        type filter hook output priority 0
                        udp sport %1$d ip ttl set 2
                        udp sport %1$d ip6 hoplimit set 2
                    }
                }
                """.formatted(Stage.POD_PORT));
        try (Tally tally = Tally.start(pod.namespace(), List.of(new Watch("expired", Hook.INPUT, expired)))) {
            assertThat(world.cli().dial(Dial.udp(AddressPlan.A1.of(family), Ways.FAR)))
                    .isEqualTo(new Answer.TimedOut());
            assertThat(tally.packets("expired")).isPositive();
        } finally {
            pod.namespace().nft("delete table inet short\n");
        }
    }
}
