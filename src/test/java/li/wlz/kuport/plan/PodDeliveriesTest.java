package li.wlz.kuport.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.InterfaceAddress;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.LabelSelector;
import li.wlz.kuport.model.NodePlan.Egress;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PodAnnotations;
import li.wlz.kuport.model.PodEntry;
import li.wlz.kuport.model.PodReason;
import li.wlz.kuport.model.PodReport;
import li.wlz.kuport.model.PodRequest;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.Target;
import li.wlz.kuport.model.World;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PodDeliveriesTest {
    private static final IpAddress POD = AddressPlan.pod("edge-a", 10);
    private static final IpAddress OTHER = AddressPlan.pod("edge-a", 11);

    private final List<PodRequest> pods = new ArrayList<>();
    private WorldBuilder world = WorldBuilder.cluster();
    private FactsBuilder facts = FactsBuilder.of("edge-a");
    private PodAnnotations rules = PodAnnotations.DEFAULT;
    private SortedMap<Dialled, Target> inForce = new TreeMap<>();

    private static PodRequest pod(String name, long created, IpAddress address, PodEntry... entries) {
        return new PodRequest(
                new ObjectKey("mail", name),
                "",
                created,
                "edge-a",
                Sorted.copyOf(Map.of(address.family(), address)),
                true,
                false,
                false,
                List.of(entries),
                null);
    }

    private static PodRequest unready(PodRequest pod) {
        return new PodRequest(
                pod.key(),
                "",
                pod.created(),
                pod.node(),
                pod.addresses(),
                false,
                pod.ending(),
                false,
                pod.entries(),
                null);
    }

    private static PodRequest ending(PodRequest pod) {
        return new PodRequest(
                pod.key(), "", pod.created(), pod.node(), pod.addresses(), true, true, false, pod.entries(), null);
    }

    private static PodEntry tcp(int port, int podPort) {
        return new PodEntry(null, port, podPort, Protocol.TCP);
    }

    private static PodEntry at(String address, int port, int podPort) {
        return new PodEntry(IpAddress.parse(address), port, podPort, Protocol.TCP);
    }

    private Decision decide(PodRequest... requests) {
        pods.addAll(List.of(requests));
        World base = world.build();
        SortedMap<ObjectKey, PodRequest> byKey = new TreeMap<>();
        pods.forEach(pod -> byKey.put(pod.key(), pod));
        World with = new World(
                base.rowsShared(),
                base.nodes(),
                base.nodeReports(),
                base.namespaceLabels(),
                base.classes(),
                base.portMaps(),
                base.refused(),
                base.services(),
                base.endpoints(),
                byKey);
        return new Planner(Settings.defaults("edge-a").with(rules)).decide(with, facts.build(), inForce);
    }

    private static PodReport.Line line(Decision decision, String pod, int entry) {
        return Objects.requireNonNull(decision.pods().get(new ObjectKey("mail", pod)))
                .lines()
                .get(entry);
    }

    private static @Nullable Target target(Decision decision, String dialled) {
        Delivery delivery = decision.node().accept().get(Dialled.parse(dialled));
        return delivery == null ? null : delivery.target();
    }

    private static Target to(IpAddress address, int port) {
        return new Target(address, PortRange.of(port));
    }

    @Test
    void an_entry_is_delivered_at_the_detected_address_and_another_at_the_one_it_names() {
        facts.iface("enp2s0", 1500, "192.168.2.94/24");
        Decision decision = decide(pod("mx", 1, POD, tcp(25, 2525), at("192.168.2.94", 587, 587)));
        assertThat(decision.node().accept().keySet())
                .containsExactly(Dialled.parse("192.168.2.94:587/tcp"), Dialled.parse("203.0.113.9:25/tcp"));
        assertThat(target(decision, "203.0.113.9:25/tcp")).isEqualTo(to(POD, 2525));
        assertThat(line(decision, "mx", 0))
                .isEqualTo(new PodReport.Line(
                        "entries[0]", PodReason.Delivered, "203.0.113.9:25/tcp goes to " + POD + ":2525"));
        assertThat(decision.node().pods()).containsExactly(POD);
        assertThat(decision.node().uplinks()).containsOnlyKeys("enp1s0", "enp2s0");
    }

    @Test
    void the_detected_address_is_the_first_public_one_in_the_kernels_order() {
        facts = FactsBuilder.of("home1")
                .iface("zz0", 1500, "192.168.7.1/24", "100.64.9.9/10", "198.51.100.9/24")
                .iface("aa0", 1500, "203.0.113.9/24");
        assertThat(decide(pod("mx", 1, POD, tcp(25, 25))).node().accept())
                .containsOnlyKeys(Dialled.parse("198.51.100.9:25/tcp"));
        rules = new PodAnnotations(
                rules.key(),
                rules.restrictedPorts(),
                List.of(Cidr.parse("192.168.7.0/25")),
                null,
                rules.firewall(),
                false);
        assertThat(decide().node().accept()).containsOnlyKeys(Dialled.parse("192.168.7.1:25/tcp"));
    }

    @Test
    void temporary_deprecated_and_tentative_addresses_are_not_detected() {
        facts = FactsBuilder.of("home1")
                .iface(
                        "eth0",
                        1500,
                        List.of(
                                new InterfaceAddress(IpAddress.parse("2001:db8::1"), 64, true, false, false, true),
                                new InterfaceAddress(IpAddress.parse("2001:db8::2"), 64, false, true, false, true),
                                new InterfaceAddress(IpAddress.parse("2001:db8::3"), 64, false, false, true, true),
                                new InterfaceAddress(IpAddress.parse("2001:db8::4"), 64, false, false, false, true)));
        assertThat(decide(pod("mx", 1, AddressPlan.pod6("edge-a", 10), tcp(25, 25)))
                        .node()
                        .accept())
                .containsOnlyKeys(Dialled.parse("[2001:db8::4]:25/tcp"));
    }

    @Test
    void P12_only_an_address_that_the_node_holds_is_answered_on() {
        facts.iface("kube-ipvs0", 1500, "10.96.0.1/32");
        Decision decision = decide(pod(
                "mx",
                1,
                POD,
                at("8.8.8.8", 80, 80),
                at("203.0.113.77", 80, 80),
                at("10.96.0.1", 443, 443),
                at("127.0.0.1", 80, 80),
                at("0.0.0.0", 80, 80)));
        assertThat(decision.node().accept()).isEmpty();
        assertThat(decision.node().egress()).isEqualTo(Egress.NONE);
        for (int entry = 0; entry < 5; entry++) {
            assertThat(line(decision, "mx", entry).reason()).isEqualTo(PodReason.AddressMissing);
            assertThat(line(decision, "mx", entry).message()).contains("no interface of node edge-a holds");
        }
    }

    @Test
    void a_node_without_a_public_address_says_so_and_a_family_that_works_is_enough() {
        facts = FactsBuilder.of("home1");
        assertThat(line(decide(pod("mx", 1, POD, tcp(25, 25))), "mx", 0))
                .satisfies(l -> assertThat(l.reason()).isEqualTo(PodReason.AddressMissing))
                .satisfies(l -> assertThat(l.message()).contains("no public IPv4 address", "--internal-network"));
    }

    @Test
    void P2_P3_the_older_pod_has_the_port_and_the_other_takes_over_when_it_goes() {
        PodRequest old = pod("b", 1, POD, tcp(25, 25));
        PodRequest young = pod("a", 2, OTHER, tcp(25, 2525));
        Decision both = decide(young, old);
        assertThat(target(both, "203.0.113.9:25/tcp")).isEqualTo(to(POD, 25));
        assertThat(line(both, "b", 0).reason()).isEqualTo(PodReason.Delivered);
        assertThat(line(both, "a", 0))
                .isEqualTo(new PodReport.Line(
                        "entries[0]",
                        PodReason.PortConflict,
                        "the older pod mail/b has 203.0.113.9:25/tcp; this one takes over when that one goes, or choose"
                                + " another port"));
        assertThat(both.node().egress().sources()).containsOnlyKeys(new Egress.Opener(POD, Protocol.TCP));

        pods.remove(old);
        Decision one = decide();
        assertThat(target(one, "203.0.113.9:25/tcp")).isEqualTo(to(OTHER, 2525));
        assertThat(line(one, "a", 0).reason()).isEqualTo(PodReason.Delivered);
    }

    @Test
    void of_two_pods_of_one_second_the_first_by_name_has_the_port() {
        assertThat(target(decide(pod("b", 1, POD, tcp(25, 1)), pod("a", 1, OTHER, tcp(25, 2))), "203.0.113.9:25/tcp"))
                .isEqualTo(to(OTHER, 2));
    }

    @Test
    void a_pod_that_is_not_ready_keeps_what_it_has_and_gets_nothing_new() {
        PodRequest pod = unready(pod("mx", 1, POD, tcp(25, 25), tcp(80, 80)));
        inForce.put(Dialled.parse("203.0.113.9:25/tcp"), to(POD, 25));
        Decision decision = decide(pod);
        assertThat(decision.node().accept()).containsOnlyKeys(Dialled.parse("203.0.113.9:25/tcp"));
        assertThat(line(decision, "mx", 0).reason()).isEqualTo(PodReason.Delivered);
        assertThat(line(decision, "mx", 1).reason()).isEqualTo(PodReason.PodNotReady);
    }

    @Test
    void an_older_pod_that_is_not_ready_leaves_the_port_to_a_ready_one_unless_it_has_it() {
        PodRequest old = unready(pod("old", 1, POD, tcp(25, 25)));
        PodRequest young = pod("young", 2, OTHER, tcp(25, 25));
        assertThat(target(decide(old, young), "203.0.113.9:25/tcp")).isEqualTo(to(OTHER, 25));
        inForce.put(Dialled.parse("203.0.113.9:25/tcp"), to(POD, 25));
        assertThat(target(decide(), "203.0.113.9:25/tcp")).isEqualTo(to(POD, 25));
        // What another pod has there is not this one's.
        inForce.put(Dialled.parse("203.0.113.9:25/tcp"), to(OTHER, 25));
        assertThat(target(decide(), "203.0.113.9:25/tcp")).isEqualTo(to(OTHER, 25));
    }

    @Test
    void a_rolling_update_hands_the_port_over_at_once_and_lets_old_connections_end() {
        PodRequest old = pod("old", 1, POD, tcp(25, 25));
        PodRequest young = pod("young", 2, OTHER, tcp(25, 25));
        assertThat(target(decide(old, young), "203.0.113.9:25/tcp")).isEqualTo(to(POD, 25));
        pods.remove(old);
        Decision over = decide(ending(old));
        assertThat(over.node().accept().get(Dialled.parse("203.0.113.9:25/tcp")))
                .isEqualTo(new Delivery(to(OTHER, 25), List.of(to(POD, 25))));
        assertThat(over.pods()).containsOnlyKeys(young.key());
        assertThat(over.node().pods()).containsExactly(POD, OTHER);
    }

    @Test
    void a_pod_that_ends_with_nobody_after_it_gets_nothing_new_and_its_connections_end() {
        Decision decision = decide(ending(pod("mx", 1, POD, tcp(25, 25))));
        assertThat(decision.node().accept().get(Dialled.parse("203.0.113.9:25/tcp")))
                .isEqualTo(new Delivery(null, List.of(to(POD, 25))));
        assertThat(decision.node().egress()).isEqualTo(Egress.NONE);
    }

    @Test
    void tcp_and_udp_on_one_port_are_two_mappings() {
        Decision decision = decide(pod("dns", 1, POD, tcp(853, 853), new PodEntry(null, 853, 8530, Protocol.UDP)));
        assertThat(target(decision, "203.0.113.9:853/tcp")).isEqualTo(to(POD, 853));
        assertThat(target(decision, "203.0.113.9:853/udp")).isEqualTo(to(POD, 8530));
    }

    @Test
    void of_one_port_asked_for_twice_in_an_annotation_the_first_entry_counts() {
        Decision decision = decide(pod("mx", 1, POD, tcp(25, 25), tcp(25, 26), tcp(25, 25)));
        assertThat(target(decision, "203.0.113.9:25/tcp")).isEqualTo(to(POD, 25));
        assertThat(line(decision, "mx", 1).message()).startsWith("entries[0] of the same annotation has");
        assertThat(line(decision, "mx", 2).reason()).isEqualTo(PodReason.Delivered);
    }

    @Test
    void a_port_that_the_host_listens_on_stays_the_hosts() {
        facts.listener(Protocol.TCP, "0.0.0.0", 25);
        Decision decision = decide(pod("mx", 1, POD, tcp(25, 25), tcp(26, 26)));
        assertThat(decision.node().accept()).containsOnlyKeys(Dialled.parse("203.0.113.9:26/tcp"));
        assertThat(line(decision, "mx", 0).reason()).isEqualTo(PodReason.PortInUse);
    }

    @Test
    void E8_a_pod_in_the_hosts_network_is_refused() {
        PodRequest pod = pod("mx", 1, AddressPlan.MESH_EDGE_A, tcp(25, 25));
        Decision decision = decide(
                new PodRequest(pod.key(), "", 1, "edge-a", pod.addresses(), true, false, true, pod.entries(), null));
        assertThat(decision.node().accept()).isEmpty();
        assertThat(line(decision, "mx", 0).reason()).isEqualTo(PodReason.HostNetworkPod);
    }

    @Test
    void a_broken_annotation_is_told_and_hurts_no_other_pod() {
        PodRequest broken = new PodRequest(
                new ObjectKey("mail", "broken"),
                "",
                0,
                "edge-a",
                Sorted.map(),
                true,
                false,
                false,
                List.of(),
                "is not JSON");
        Decision decision = decide(broken, pod("mx", 1, POD, tcp(25, 25)));
        assertThat(line(decision, "broken", 0))
                .isEqualTo(new PodReport.Line("annotation", PodReason.AnnotationInvalid, "is not JSON"));
        assertThat(line(decision, "mx", 0).reason()).isEqualTo(PodReason.Delivered);
    }

    @Test
    void pods_of_other_nodes_are_none_of_ours() {
        PodRequest pod = pod("mx", 1, POD, tcp(25, 25));
        Decision decision = decide(new PodRequest(
                pod.key(), "", 1, "edge-a.example", pod.addresses(), true, false, false, pod.entries(), null));
        assertThat(decision.node().accept()).isEmpty();
        assertThat(decision.pods()).isEmpty();
    }

    @Test
    void a_portmap_goes_before_every_annotation() {
        world = WorldBuilder.cluster()
                .node("edge-a")
                .portClass(WorldBuilder.portClass().node("edge-a", "enp1s0"))
                .game("web", 3000, "edge-a");
        Decision decision = decide(pod("mx", 1, OTHER, new PodEntry(null, 3000, 3000, Protocol.UDP)));
        assertThat(target(decision, "203.0.113.9:3000/udp")).isEqualTo(to(POD, 3000));
        assertThat(line(decision, "mx", 0).reason()).isEqualTo(PodReason.PortConflict);
        assertThat(line(decision, "mx", 0).message()).contains("PortMaps go before annotations");
    }

    @Test
    void P12_a_class_holds_entries_to_its_nodes_interfaces_ports_and_namespaces() {
        rules = new PodAnnotations(
                rules.key(),
                rules.restrictedPorts(),
                List.of(Cidr.parse("192.168.0.0/16")),
                "public",
                rules.firewall(),
                false);
        facts.iface("enp2s0", 1500, "192.168.2.94/24");
        assertThat(line(decide(pod("mx", 1, POD, tcp(80, 80))), "mx", 0).message())
                .startsWith("there is no PortMapClass public");

        world.node("edge-a")
                .portClass(WorldBuilder.portClass()
                        .node("edge-a", "enp1s0")
                        .ports(new PortClass.PortPolicy(new PortRange(80, 99), List.of(PortRange.of(90)), List.of())));
        pods.clear();
        Decision decision =
                decide(pod("mx", 1, POD, tcp(80, 80), at("192.168.2.94", 81, 81), tcp(90, 90), tcp(25, 25)));
        assertThat(decision.node().accept()).containsOnlyKeys(Dialled.parse("203.0.113.9:80/tcp"));
        assertThat(line(decision, "mx", 1).message()).contains("does not offer 192.168.2.94");
        assertThat(line(decision, "mx", 2).message()).contains("reserves 90");
        assertThat(line(decision, "mx", 3).message()).contains("permits ports 80-99");

        world.portClass(WorldBuilder.portClass()
                .node("edge-a", "enp1s0")
                .namespaces(new LabelSelector(Sorted.copyOf(Map.of("public", "yes")), List.of())));
        assertThat(line(decide(), "mx", 0).reason()).isEqualTo(PodReason.NotPermitted);
        world.portClass(WorldBuilder.portClass().node("edge-b", "enp1s0"));
        assertThat(line(decide(), "mx", 0).message()).contains("does not name node edge-a");
    }

    @Test
    void G1_a_pods_own_connections_leave_with_the_address_of_its_first_entry_that_is_delivered() {
        facts.iface("enp2s0", 1500, "198.51.100.9/24").listener(Protocol.TCP, "203.0.113.9", 25);
        Decision decision = decide(pod(
                "mx",
                1,
                POD,
                tcp(25, 25),
                at("198.51.100.9", 587, 587),
                tcp(465, 465),
                new PodEntry(null, 853, 853, Protocol.UDP)));
        assertThat(decision.node().egress().sources())
                .containsExactly(
                        Map.entry(new Egress.Opener(POD, Protocol.TCP), AddressPlan.EDGE_A_OTHER_UPLINK),
                        Map.entry(new Egress.Opener(POD, Protocol.UDP), AddressPlan.EDGE_A));
    }

    @Test
    void G1_what_leaves_with_an_address_of_another_uplink_leaves_by_it() {
        facts.iface("enp2s0", 1500, "198.51.100.9/24").route("enp2s0", "0.0.0.0/0", "198.51.100.1", 200);
        Decision decision =
                decide(pod("mx", 1, POD, at("198.51.100.9", 25, 25), new PodEntry(null, 53, 53, Protocol.UDP)));
        assertThat(decision.node().egress().ways())
                .containsExactly(Map.entry(
                        new Egress.Opener(POD, Protocol.TCP),
                        Objects.requireNonNull(decision.node().uplinks().get("enp2s0"))
                                .index()));
    }

    @Test
    void G2_public_addresses_of_nodes_and_pods_are_the_clusters() {
        world.node("edge-a");
        world.node(new li.wlz.kuport.model.ClusterNode(
                "edge-b",
                1,
                Sorted.map(),
                true,
                List.of(AddressPlan.EDGE_B),
                List.of(AddressPlan.EDGE_B, IpAddress.parse("2001:db8:42::7")),
                List.of(),
                List.of(Cidr.parse("2001:db8:42::/56"), Cidr.parse("10.1.0.0/24"))));
        assertThat(decide(pod("mx", 1, POD, tcp(25, 25))).node().egress().cluster())
                .containsExactly(Cidr.parse("203.0.113.77/32"), Cidr.parse("2001:db8:42::/56"));
    }

    @Test
    void what_the_kernel_denies_is_said_of_every_entry() {
        facts.problem(new NodeProblem(NodeReason.NftablesUnavailable, "no nftables here"));
        assertThat(line(decide(pod("mx", 1, POD, tcp(25, 25))), "mx", 0))
                .isEqualTo(new PodReport.Line("entries[0]", PodReason.NodeNotReady, "no nftables here"));
    }

    @Test
    void a_node_that_does_not_forward_says_so() {
        facts.sysctls(false, true, true);
        Decision decision = decide(pod("mx", 1, POD, tcp(25, 25)));
        assertThat(decision.node().accept()).isEmpty();
        assertThat(line(decision, "mx", 0).reason()).isEqualTo(PodReason.NodeNotReady);
        assertThat(decision.report().problems())
                .extracting(NodeProblem::reason)
                .contains(NodeReason.ForwardingDisabled);
    }

    @Test
    void with_annotations_alone_there_is_no_link_whatever_the_classes_say() {
        world.node("edge-a")
                .node("home1")
                .report("home1", Map.of())
                .portClass(WorldBuilder.portClass().node("edge-a", "enp1s0"));
        rules = new PodAnnotations(rules.key(), rules.restrictedPorts(), List.of(), "public", rules.firewall(), true);
        Decision decision = decide(pod("mx", 1, POD, tcp(25, 25)));
        assertThat(decision.node().link()).isNull();
        assertThat(decision.node().accept()).hasSize(1);
    }

    @Test
    void with_iptables_portmaps_are_refused_with_the_reason() {
        world = WorldBuilder.cluster()
                .node("edge-a")
                .portClass(WorldBuilder.portClass().node("edge-a", "enp1s0"))
                .game("web", 3000, "edge-a");
        rules = new PodAnnotations(
                rules.key(), rules.restrictedPorts(), List.of(), null, PodAnnotations.Firewall.iptables, false);
        Decision decision = decide(pod("mx", 1, POD, new PodEntry(null, 3000, 3001, Protocol.UDP)));
        assertThat(decision.node().accept()).containsOnlyKeys(Dialled.parse("203.0.113.9:3000/udp"));
        assertThat(target(decision, "203.0.113.9:3000/udp")).isEqualTo(to(POD, 3001));
        assertThat(line(decision, "mx", 0).reason()).isEqualTo(PodReason.Delivered);
        assertThat(decision.portMaps().values())
                .singleElement()
                .satisfies(report -> assertThat(Objects.requireNonNull(report.condition("Programmed"))
                                .message())
                        .contains("--firewall-flavor is iptables"));
        assertThat(decision.node().uplinks()).isEmpty();
    }

    @Test
    void family_by_family_one_that_fails_does_not_hold_up_the_other() {
        PodRequest pod = new PodRequest(
                new ObjectKey("mail", "mx"),
                "",
                1,
                "edge-a",
                Sorted.copyOf(Map.of(IpFamily.IPV4, POD, IpFamily.IPV6, AddressPlan.pod6("edge-a", 10))),
                true,
                false,
                false,
                List.of(tcp(25, 25)),
                null);
        facts.listener(Protocol.TCP, "203.0.113.9", 25);
        Decision decision = decide(pod);
        assertThat(decision.node().accept()).containsOnlyKeys(Dialled.parse("[2001:db8:a::9]:25/tcp"));
        assertThat(line(decision, "mx", 0).reason()).isEqualTo(PodReason.Delivered);
        assertThat(line(decision, "mx", 0).message()).contains("; a process of node edge-a listens on 203.0.113.9:25");
    }
}
