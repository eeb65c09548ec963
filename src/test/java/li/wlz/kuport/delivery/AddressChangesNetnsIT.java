package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.TcpStream;
import li.wlz.kuport.lab.UdpSender;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.PortMapReport.Published;
import li.wlz.kuport.model.Protocol;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Addresses of an interface come, age and go, as with DHCP and with providers that rotate prefixes. */
class AddressChangesNetnsIT {
    /** One that the provider would route to edge at any time. */
    private static final Map<IpFamily, IpAddress> MORE = Map.of(
            IpFamily.IPV4,
            AddressPlan.EDGE.host(11).ipv4(),
            IpFamily.IPV6,
            AddressPlan.EDGE.host(11).ipv6());

    private static final String NEW_PREFIX = "2001:db8:99::/64";
    private static final IpAddress IN_NEW_PREFIX = IpAddress.parse("2001:db8:99::9");

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        Ways.serve(STAGE, "nodes: {edge: {interfaces: [eth0]}}");
        Namespace inet = STAGE.world().inet();
        inet.ip("address add 2001:db8:99::1/64 dev edge");
        inet.nft("insert rule inet access forward iifname edge ip6 saddr " + NEW_PREFIX + " accept");
    }

    private static String prefixLength(IpFamily family) {
        return "/" + AddressPlan.EDGE.of(family).prefixLength();
    }

    private void address(String words) {
        world.edge().namespace().ip("address " + words + " dev eth0");
        STAGE.cluster().settle();
    }

    private void served(IpAddress address) {
        for (Protocol protocol : Protocol.values()) {
            Ways.everyServerSees(List.of(world.cli()), protocol, List.of(address));
        }
    }

    private void silent(IpAddress address) {
        // The provider asks anew who has it.
        world.inet().run("ip", "neigh", "flush", "dev", "edge");
        for (Protocol protocol : Protocol.values()) {
            for (int port : List.of(Ways.FAR, Ways.NEAR, Ways.HOST)) {
                Dial dial = Dial.to(protocol, address, port).within(Duration.ofMillis(300));
                assertThat(world.cli().dial(dial)).isNotInstanceOf(Answer.Reply.class);
            }
        }
    }

    private Published published() {
        List<Published> rows =
                STAGE.cluster().agent(world.edge()).report("far-tcp").published();
        assertThat(rows).hasSize(1);
        assertThat(rows.getFirst().node()).isEqualTo("edge");
        assertThat(rows.getFirst().interfaceName()).isEqualTo("eth0");
        return rows.getFirst();
    }

    private static @Nullable IpAddress of(Published row, IpFamily family) {
        return family == IpFamily.IPV4 ? row.address() : row.address6();
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void D1_an_address_is_served_as_long_as_it_is_there_and_flows_of_others_live_on(IpFamily family) {
        IpAddress address = MORE.getOrDefault(family, AddressPlan.A1.of(family));
        Namespace cli = world.cli().namespace();
        silent(address);
        address("add " + address + prefixLength(family));
        List<String> before = new ArrayList<>();
        try (TcpStream stream = TcpStream.open(
                        cli, Dial.tcp(AddressPlan.A1.of(family), Ways.FAR).within(Visits.PATIENCE));
                UdpSender other = UdpSender.start(
                        cli, Dial.udp(AddressPlan.A1.of(family), Ways.FAR).fromPort(41_000));
                UdpSender lost =
                        UdpSender.start(cli, Dial.udp(address, Ways.FAR).fromPort(41_001))) {
            try {
                served(address);
                other.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
                lost.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
                before.addAll(flows(AddressPlan.A1.of(family), 41_000));
                assertThat(before).hasSize(1);
                assertThat(flows(address, 41_001)).hasSize(1);
            } finally {
                address("delete " + address + prefixLength(family));
            }

            silent(address);
            int answers = lost.received().size();
            other.awaitAnswerOf("home1-pod1", Visits.PATIENCE);
            assertThat(stream.exchange(64, 64)).isInstanceOf(Answer.Reply.class);
            assertThat(lost.received()).as("answers from a lost address").hasSize(answers);
            assertThat(flows(AddressPlan.A1.of(family), 41_000)).isEqualTo(before);
            assertThat(flows(address, 41_001)).noneMatch(flow -> flow.contains("mark=1802"));
        }
        served(AddressPlan.A1.of(family));
    }

    /** The identities and marks of edge's entries for a client's UDP port. */
    private List<String> flows(IpAddress dialled, int clientPort) {
        String family = dialled.family() == IpFamily.IPV4 ? "ipv4" : "ipv6";
        return world.edge()
                .namespace()
                .run(
                        "conntrack",
                        "-L",
                        "-o",
                        "id",
                        "-f",
                        family,
                        "-p",
                        "udp",
                        "--orig-dst",
                        dialled.toString(),
                        "--sport",
                        String.valueOf(clientPort))
                .lines()
                .map(line -> line.replaceFirst(".* (mark=\\d+) .*(id=\\d+).*", "$1 $2"))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void D2_a_deprecated_address_still_answers_and_another_one_is_published(IpFamily family) {
        IpAddress first = of(published(), family);
        assertThat(first).isIn(AddressPlan.A1.of(family), AddressPlan.A2.of(family));
        IpAddress second =
                AddressPlan.A1.of(family).equals(first) ? AddressPlan.A2.of(family) : AddressPlan.A1.of(family);
        try {
            address("change " + first + prefixLength(family) + " preferred_lft 0");

            assertThat(of(published(), family)).isEqualTo(second);
            served(AddressPlan.A1.of(family));
            served(AddressPlan.A2.of(family));
        } finally {
            address("change " + first + prefixLength(family) + " preferred_lft forever");
        }
        assertThat(of(published(), family)).isEqualTo(first);
    }

    @Test
    void D2_a_new_prefix_is_served_and_published_once_the_old_one_ages_and_the_old_one_is_silent_once_it_is_gone() {
        List<IpAddress> old = List.of(AddressPlan.A1.ipv6(), AddressPlan.A2.ipv6());
        address("add " + IN_NEW_PREFIX + "/64");
        try {
            served(IN_NEW_PREFIX);
            old.forEach(a -> address("change " + a + "/64 preferred_lft 0"));
            assertThat(published().address6()).isEqualTo(IN_NEW_PREFIX);
            assertThat(published().address()).isEqualTo(AddressPlan.A1.ipv4());
            old.forEach(this::served);

            address("delete " + AddressPlan.A2.ipv6() + "/64");
            silent(AddressPlan.A2.ipv6());
            served(IN_NEW_PREFIX);
        } finally {
            old.forEach(a -> address("replace " + a + "/64 preferred_lft forever"));
            address("delete " + IN_NEW_PREFIX + "/64");
        }
        silent(IN_NEW_PREFIX);
        old.forEach(this::served);
    }

    private void deprecate(IpAddress address) {
        world.edge().namespace().ip("address change " + address + "/64 dev eth0 preferred_lft 0");
    }

    @Test
    void D2_a_temporary_address_answers_and_is_never_published() {
        Namespace edge = world.edge().namespace();
        edge.sysctl(Map.of("net.ipv6.conf.eth0.use_tempaddr", "2"));
        try {
            address("add " + IN_NEW_PREFIX + "/64 mngtmpaddr valid_lft 7200 preferred_lft 3600");
            List<String> temporary = edge.run("ip", "-6", "-o", "address", "show", "dev", "eth0", "temporary")
                    .lines()
                    .map(line -> line.replaceFirst(".* inet6 ([^/]+)/.*", "$1"))
                    .toList();
            assertThat(temporary).hasSize(1);
            served(IpAddress.parse(temporary.getFirst()));

            List.of(AddressPlan.A1.ipv6(), AddressPlan.A2.ipv6(), IN_NEW_PREFIX).forEach(this::deprecate);
            STAGE.cluster().settle();
            assertThat(published().address6()).isNull();
            assertThat(published().address()).isEqualTo(AddressPlan.A1.ipv4());
        } finally {
            // Without the temporary one, whose prefix's route would stay.
            deprecate(IN_NEW_PREFIX);
            address("delete " + IN_NEW_PREFIX + "/64");
            List.of(AddressPlan.A1.ipv6(), AddressPlan.A2.ipv6())
                    .forEach(a -> edge.ip("address change " + a + "/64 dev eth0 preferred_lft forever"));
            edge.sysctl(Map.of("net.ipv6.conf.eth0.use_tempaddr", "0"));
        }
    }
}
