package li.wlz.kuport.delivery;

import static li.wlz.kuport.lab.Feature.ON_LINK_CLIENTS;
import static li.wlz.kuport.lab.Feature.SECOND_UPLINK;
import static li.wlz.kuport.lab.Feature.STATEFUL_INTERNET;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.Tally;
import li.wlz.kuport.lab.Tally.Hook;
import li.wlz.kuport.lab.Tally.Watch;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Edge has two uplinks. Their providers drop what bears another's source, the internet what belongs to no connection it saw begin,
 * and some clients are on the uplinks' own networks.
 */
class UplinksNetnsIT {
    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain().with(SECOND_UPLINK, ON_LINK_CLIENTS, STATEFUL_INTERNET));

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        Ways.serve(STAGE, "nodes: {edge: {interfaces: [eth0, eth1]}}");
    }

    static Stream<Arguments> ways() {
        return Visits.ways();
    }

    private List<Host> clients() {
        return List.of(world.cli(), world.cli2(), world.client("near"), world.client("near2"));
    }

    private static List<IpAddress> addresses(IpFamily family) {
        return List.of(AddressPlan.A1.of(family), AddressPlan.A2.of(family), AddressPlan.A3.of(family));
    }

    private static Watch leaving(String name, String device, String condition) {
        return new Watch(name, Hook.POSTROUTING, "oifname \"" + device + "\" " + condition);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void A1_A4_a_reply_leaves_by_the_uplink_that_its_client_came_in_by(Protocol protocol, IpFamily family) {
        String ip = family == IpFamily.IPV4 ? "ip" : "ip6";
        String first = "%s saddr { %s, %s } %s dport != 51820"
                .formatted(ip, AddressPlan.A1.of(family), AddressPlan.A2.of(family), protocol.lowerCase());
        String third = "%s saddr %s".formatted(ip, AddressPlan.A3.of(family));
        try (Tally replies = Tally.start(
                world.edge().namespace(),
                List.of(
                        leaving("right0", "eth0", first),
                        leaving("wrong0", "eth0", third),
                        leaving("right1", "eth1", third),
                        leaving("wrong1", "eth1", first)))) {
            Ways.everyServerSees(clients(), protocol, addresses(family));

            assertThat(replies.packets("right0")).isPositive();
            assertThat(replies.packets("right1")).isPositive();
            assertThat(replies.packets("wrong0") + replies.packets("wrong1")).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void A1_what_a_pod_begins_itself_keeps_its_nodes_default_route(Protocol protocol, IpFamily family) {
        try (EchoServer outside = EchoServer.start(world.cli2().namespace(), "outside", 4000)) {
            Dial dial = Dial.to(protocol, world.cli2().address(family), 4000).within(Visits.PATIENCE);
            Visits.answered(world.edge().pod(1).namespace(), dial, "outside");
            assertThat(outside.sources()).isSubsetOf(AddressPlan.A1.of(family), AddressPlan.A2.of(family));
        }
        try (EchoServer outside = EchoServer.start(world.cli2().namespace(), "outside", 4000)) {
            Dial dial = Dial.to(protocol, world.cli2().address(family), 4000).within(Visits.PATIENCE);
            Visits.answered(world.home1().pod(1).namespace(), dial, "outside");
            IpAddress home = switch (family) {
                // The home router translates IPv4 once more.
                case IPV4 -> AddressPlan.HOME_ROUTER.ipv4();
                case IPV6 ->
                    world.home1().uplinks().getFirst().addresses().getFirst().ipv6();
            };
            assertThat(outside.sources()).containsExactly(home);
        }
    }

    @Test
    void A5_the_pods_node_sends_nothing_from_the_accepting_nodes_addresses_by_its_own_uplink() {
        List<Watch> watches = Stream.of(IpFamily.values())
                .map(family -> new Watch(
                        "foreign" + family.digit(),
                        Hook.PREROUTING,
                        "iifname \"lan0\" %s saddr { %s, %s, %s }"
                                .formatted(
                                        family == IpFamily.IPV4 ? "ip" : "ip6",
                                        AddressPlan.A1.of(family),
                                        AddressPlan.A2.of(family),
                                        AddressPlan.A3.of(family))))
                .toList();
        try (Tally home = Tally.start(world.router(), watches)) {
            for (IpFamily family : IpFamily.values()) {
                for (Protocol protocol : Protocol.values()) {
                    Visits.eachSeenAsItself(clients(), addresses(family), protocol, Ways.FAR, "home1-pod1");
                }
            }

            assertThat(home.packets("foreign4") + home.packets("foreign6")).isZero();
            assertThat(world.spoofed()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void A7_a_client_on_the_accepting_node_is_seen_as_one_fixed_address(Protocol protocol, IpFamily family) {
        Namespace edge = world.edge().namespace();
        Namespace pod = world.edge().pod(1).namespace();
        for (IpAddress dialled : addresses(family)) {
            Dial far = Dial.to(protocol, dialled, Ways.FAR).within(Visits.PATIENCE);
            Dial near = Dial.to(protocol, dialled, Ways.NEAR).within(Visits.PATIENCE);
            // The kernel's own choice for what a host sends to itself: of IPv4 the interface's first address.
            IpAddress host = dialled.equals(AddressPlan.A2.ipv4()) ? AddressPlan.A1.ipv4() : dialled;
            Visits.seenAs(host, edge, far, "home1-pod1");
            Visits.seenAs(host, edge, near, "edge-pod1");
            Visits.seenAs(world.edge().pod(1).address(family), pod, far, "home1-pod1");
            // The pod itself: the one case in which the source is not the client's own.
            Visits.seenAs(world.edge().podBlock().gateway().of(family), pod, near, "edge-pod1");
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void D6_an_address_dialled_through_the_other_uplinks_network_answers_that_way(IpFamily family) {
        Host client = world.client("near2");
        IpAddress dialled = AddressPlan.A1.of(family);
        String ip = family == IpFamily.IPV4 ? "ip" : "ip6";
        client.namespace().ip("route add " + dialled + " via " + AddressPlan.A3.of(family));
        try (Tally replies = Tally.start(
                world.edge().namespace(),
                List.of(
                        leaving(
                                "same",
                                "eth1",
                                "%s saddr %s %1$s daddr %s".formatted(ip, dialled, client.address(family))),
                        leaving("other", "eth0", "%s daddr %s".formatted(ip, client.address(family)))))) {
            for (Protocol protocol : Protocol.values()) {
                Ways.everyServerSees(List.of(client), protocol, List.of(dialled));
            }

            assertThat(replies.packets("same")).isPositive();
            assertThat(replies.packets("other")).isZero();
        } finally {
            client.namespace().ip("route delete " + dialled + " via " + AddressPlan.A3.of(family));
        }
    }
}
