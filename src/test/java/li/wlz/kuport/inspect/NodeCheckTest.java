package li.wlz.kuport.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import li.wlz.kuport.inspect.NodeCheck.Verdict;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.InterfaceAddress;
import li.wlz.kuport.model.InterfaceRoute;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.Listener;
import li.wlz.kuport.model.MarkIndices;
import li.wlz.kuport.model.NetworkInterface;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.Sysctls;
import li.wlz.kuport.netlink.Link;
import li.wlz.kuport.netlink.RoutingState;
import org.junit.jupiter.api.Test;

/** What {@code kuport check} says of a node's facts. */
class NodeCheckTest {
    private static final Settings SETTINGS = settings("100.64.0.0/24");

    private final List<NetworkInterface> interfaces =
            new ArrayList<>(List.of(device("eth0", 1500, "203.0.113.9", 0), device("wg0", 1420, "100.64.0.1", 0)));
    private final List<InterfaceRoute> routes = new ArrayList<>(List.of(
            new InterfaceRoute("eth0", Cidr.parse("0.0.0.0/0"), IpAddress.parse("203.0.113.1"), false, 100, null)));
    private final List<Listener> listeners = new ArrayList<>();
    private final List<NodeProblem> problems = new ArrayList<>();
    private final List<String> unread = new ArrayList<>();
    private Sysctls sysctls = new Sysctls(true, true, true, 0, new PortRange(32768, 60999));

    private static Settings settings(String... underlayCidrs) {
        Settings defaults = Settings.defaults("edge");
        return new Settings(
                defaults.nodeName(),
                defaults.marks(),
                defaults.vni(),
                defaults.linkPort(),
                defaults.underlayFamily(),
                defaults.linkRange4(),
                defaults.linkRange6(),
                List.of(underlayCidrs).stream().map(Cidr::parse).toList(),
                defaults.nodePorts(),
                null);
    }

    private static NetworkInterface device(String name, int mtu, String address, int rpFilter) {
        return new NetworkInterface(name, 2, mtu, true, false, rpFilter, List.of(InterfaceAddress.of(address, 24)));
    }

    private NodeCheck check(Settings settings, RoutingState routing) {
        return NodeCheck.of(
                settings,
                new NodeFacts(interfaces, routes, listeners, MarkIndices.NONE, Sorted.set(), sysctls, problems),
                routing,
                unread);
    }

    @Test
    void F5_rules_that_could_not_be_looked_at_are_told_and_are_no_reason_not_to_begin() {
        unread.add("iptables-legacy-save ended with status 3");
        assertThat(check().passed()).isTrue();
        assertThat(check().text()).contains("iptables-legacy-save ended with status 3");
        assertThat(verdicts(check())).containsEntry("iptables-legacy", Verdict.warning);
    }

    private NodeCheck check() {
        return check(SETTINGS, RoutingState.NOTHING);
    }

    private static Map<String, Verdict> verdicts(NodeCheck check) {
        return check.lines().stream()
                .filter(line -> line.verdict() != Verdict.ok)
                .collect(Collectors.toMap(NodeCheck.Line::precondition, NodeCheck.Line::verdict));
    }

    private static NodeCheck.Line line(NodeCheck check, String precondition) {
        return check.lines().stream()
                .filter(line -> line.precondition().equals(precondition))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_node_that_has_everything_passes_and_each_precondition_is_named() {
        NodeCheck check = check();
        assertThat(verdicts(check)).isEmpty();
        assertThat(check.passed()).isTrue();
        assertThat(check.text()).isEqualTo("""
                node edge
                ok       permission           this process may change the node's network
                ok       nftables             nf_tables is there, with each part that the rules use
                ok       VXLAN                VXLAN is there, and nothing is in the way of device kup0
                ok       forwarding           the kernel forwards
                ok       IPv6                 the kernel has IPv6
                ok       reverse path filter  no interface drops clients whose way back is another
                ok       mesh address         100.64.0.1 on wg0
                ok       mesh MTU             1420, which leaves the link 1370
                ok       link port            UDP 4790 is free
                ok       pods' packets        no device of an eBPF datapath is here
                """);
    }

    @Test
    void what_is_missing_fails_the_check_and_comes_with_the_command_that_mends_it() {
        sysctls = new Sysctls(false, true, true, 0, sysctls.ephemeralPorts());
        problems.add(new NodeProblem(NodeReason.VxlanUnavailable, "the kernel has no VXLAN"));
        NodeCheck check = check();
        assertThat(verdicts(check))
                .containsExactlyInAnyOrderEntriesOf(Map.of("forwarding", Verdict.missing, "VXLAN", Verdict.missing));
        assertThat(check.passed()).isFalse();
        assertThat(check.text())
                .contains("missing  VXLAN                the kernel has no VXLAN\n")
                .contains("mend: modprobe vxlan")
                .contains("mend: sysctl -w net.ipv4.ip_forward=1");
    }

    @Test
    void what_only_pods_with_IPv6_addresses_need_is_a_warning() {
        sysctls = new Sysctls(true, false, true, 0, sysctls.ephemeralPorts());
        assertThat(verdicts(check())).isEqualTo(Map.of("forwarding", Verdict.warning));
        sysctls = new Sysctls(true, false, false, 0, sysctls.ephemeralPorts());
        assertThat(verdicts(check())).isEqualTo(Map.of("IPv6", Verdict.warning));
        assertThat(check().passed()).isTrue();
    }

    @Test
    void A2_a_strict_filter_on_an_interface_that_is_not_the_way_back_is_a_warning_that_names_it() {
        interfaces.add(device("eth1", 1500, "203.0.113.130", 1));
        NodeCheck check = check();
        assertThat(verdicts(check)).isEqualTo(Map.of("reverse path filter", Verdict.warning));
        assertThat(line(check, "reverse path filter").message()).contains("net.ipv4.conf.eth1.rp_filter=2");
    }

    @Test
    void D4_the_mesh_address_is_never_guessed() {
        NodeCheck unknown = check(settings(), RoutingState.NOTHING);
        assertThat(verdicts(unknown)).isEqualTo(Map.of("mesh address", Verdict.warning));
        NodeCheck nowhere = check(settings("100.99.0.0/24"), RoutingState.NOTHING);
        assertThat(verdicts(nowhere)).isEqualTo(Map.of("mesh address", Verdict.missing));
        assertThat(line(nowhere, "mesh address").mend())
                .isEqualTo("kubectl annotate node edge kuport.wlz.li/underlay=ADDRESS");
    }

    @Test
    void M1_a_mesh_that_leaves_too_little_for_IPv6_is_a_warning() {
        interfaces.set(1, device("wg0", 1329, "100.64.0.1", 0));
        NodeCheck check = check();
        assertThat(verdicts(check)).isEqualTo(Map.of("mesh MTU", Verdict.warning));
        assertThat(line(check, "mesh MTU").mend()).isEqualTo("ip link set wg0 mtu 1330");
    }

    @Test
    void X3_another_programs_link_port_is_told_from_our_own_link() {
        listeners.add(new Listener(Protocol.UDP, IpAddress.parse("0.0.0.0"), 4790, false, null));
        assertThat(verdicts(check())).isEqualTo(Map.of("link port", Verdict.missing));
        Link ours = new Link(
                Ours.LINK_DEVICE,
                7,
                "vxlan",
                Ours.LINK_ALIAS,
                Ours.LINK_GROUP,
                1370,
                Link.IFF_UP,
                null,
                2,
                new Link.Vxlan(4242, 4790, IpAddress.parse("100.64.0.1"), false));
        NodeCheck installed = check(
                settings(),
                new RoutingState(List.of(ours), Sorted.set(), Sorted.set(), Sorted.set(), Sorted.set(), Sorted.set()));
        assertThat(verdicts(installed)).isEmpty();
        assertThat(line(installed, "mesh address").message()).isEqualTo("100.64.0.1 on wg0");
    }

    @Test
    void N5_a_device_of_an_eBPF_datapath_is_a_warning() {
        interfaces.add(device("cilium_host", 1500, "10.244.1.1", 0));
        assertThat(verdicts(check())).isEqualTo(Map.of("pods' packets", Verdict.warning));
    }

    @Test
    void without_the_permission_nothing_that_needs_it_is_called_good() {
        problems.add(new NodeProblem(NodeReason.PermissionMissing, "the kernel lets this process change nothing"));
        assertThat(verdicts(check()))
                .isEqualTo(
                        Map.of("permission", Verdict.missing, "nftables", Verdict.warning, "VXLAN", Verdict.warning));
    }
}
