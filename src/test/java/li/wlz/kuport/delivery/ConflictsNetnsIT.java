package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.UdpSender;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.Condition;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.ProgrammedReason;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Several want one port: other mappings, or the node itself. One has it, the others are told, and nobody else suffers. */
class ConflictsNetnsIT {
    private static final String LONG_AGO = "2024-01-01T00:00:00Z";
    private static final String LATELY = "2024-06-01T00:00:00Z";

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();
    private final Cluster cluster = STAGE.cluster();
    private final List<String> files = new ArrayList<>();

    @BeforeAll
    static void serve() {
        World world = STAGE.world();
        world.nodes().forEach(node -> node.pods().forEach(STAGE::serve));
        STAGE.cluster()
                .write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"))
                .write("one", Manifests.workload("one", Stage.POD_PORT, STAGE.endpoint("home1-pod1")))
                .write("other", Manifests.workload("other", Stage.POD_PORT, STAGE.endpoint("home2-pod1")))
                .settle();
    }

    @AfterEach
    void withdraw() {
        files.forEach(cluster::delete);
        cluster.settle();
    }

    static java.util.stream.Stream<Arguments> ways() {
        return Visits.ways();
    }

    private void put(String file, String text) {
        files.add(file);
        cluster.put(file, text);
    }

    /** A PortMap to a Service, of a class, created then. */
    private static String portMap(String name, String service, String created, String spec) {
        return Manifests.portMap(name, service, spec.contains("className") ? spec : "className: public\n" + spec)
                .replace("metadata: {", "metadata: {creationTimestamp: \"" + created + "\", ");
    }

    private void refused(String portMap, String reason, String... words) {
        for (MeshNode node : world.nodes()) {
            Condition accepted =
                    Objects.requireNonNull(cluster.agent(node).report(portMap).condition(Condition.ACCEPTED));
            assertThat(accepted.status()).as(portMap + " on " + node.name()).isFalse();
            assertThat(accepted.reason()).as(portMap + " on " + node.name()).isEqualTo(reason);
            assertThat(accepted.message()).contains(words);
        }
    }

    private void accepted(String portMap) {
        for (MeshNode node : world.nodes()) {
            assertThat(cluster.agent(node).reason(portMap, Condition.ACCEPTED))
                    .as(portMap + " on " + node.name())
                    .isEqualTo("Valid");
        }
    }

    private UdpSender sender(IpFamily family, int port) {
        return UdpSender.start(world.cli().namespace(), Dial.udp(AddressPlan.A1.of(family), port));
    }

    private void answers(Protocol protocol, IpFamily family, int port, String server) {
        Visits.seenAsItself(world.cli().namespace(), Dial.to(protocol, AddressPlan.A1.of(family), port), server);
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void P3_the_older_mapping_has_the_port_and_when_it_goes_the_younger_gets_its_senders(IpFamily family) {
        String older = portMap("z-older", "one", LONG_AGO, "protocol: UDP\nport: 5000");
        put("younger", portMap("a-younger", "other", LATELY, "protocol: UDP\nport: 5000"));
        try (UdpSender sender = sender(family, 5000)) {
            sender.awaitAnswerOf("home2-pod1", Visits.PATIENCE);

            put("older", older);
            refused("a-younger", "PortConflict", "games/z-older");
            accepted("z-older");
            sender.awaitAnswerOf("home1-pod1", Visits.PATIENCE);

            cluster.remove("older");
            accepted("a-younger");
            sender.awaitAnswerOf("home2-pod1", Visits.PATIENCE);
            assertThat(sender.received())
                    .allSatisfy(answer -> assertThat(answer.sourceSeen()).isEqualTo(sender.local()));
        }
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void P7_a_port_inside_an_older_range_is_a_conflict_until_the_range_goes(IpFamily family) {
        try (EchoServer first = rangeServer(6000);
                EchoServer inside = rangeServer(6050);
                EchoServer last = rangeServer(6099)) {
            put("range-service", Manifests.workload("range", 6000, STAGE.endpoint("home1-pod1")));
            put("range", portMap("range", "range", LONG_AGO, "protocol: UDP\nport: 6000\nendPort: 6099"));
            put("single", portMap("single", "other", LATELY, "protocol: UDP\nport: 6050"));
            refused("single", "PortConflict", "games/range", "6000-6099");
            answers(Protocol.UDP, family, 6000, first.label());
            answers(Protocol.UDP, family, 6099, last.label());
            Visits.refused(world.cli().namespace(), Dial.udp(AddressPlan.A1.of(family), 6100));
            try (UdpSender sender = sender(family, 6050)) {
                sender.awaitAnswerOf(inside.label(), Visits.PATIENCE);
                cluster.remove("range");
                accepted("single");
                sender.awaitAnswerOf("home2-pod1", Visits.PATIENCE);
            }
            Visits.refused(world.cli2().namespace(), Dial.udp(AddressPlan.A1.of(family), 6000));

            put("range", portMap("range", "range", "2025-01-01T00:00:00Z", "protocol: UDP\nport: 6000\nendPort: 6099"));
            refused("range", "PortConflict", "games/single", "6050");
            answers(Protocol.UDP, family, 6050, "home2-pod1");
        }
    }

    private EchoServer rangeServer(int port) {
        return EchoServer.start(world.home1().pod(1).namespace(), "range " + port, port);
    }

    @Test
    void F7_ninety_nine_good_mappings_work_beside_a_bad_one_and_a_file_that_is_no_yaml() {
        List<Integer> ports = IntStream.rangeClosed(7000, 7098).boxed().toList();
        put("bad", portMap("bad", "other", LATELY, "protocol: UDP\nport: 7050"));
        put("broken", "kind: [PortMap\n  what: {is this\n");
        put(
                "good",
                ports.stream()
                        .map(port -> portMap("good-" + port, "one", LONG_AGO, "protocol: UDP\nport: " + port))
                        .collect(Collectors.joining("---\n")));

        refused("bad", "PortConflict", "games/good-7050");
        assertThat(ports).allSatisfy(port -> accepted("good-" + port));
        assertThat(cluster.agent(world.edge()).outcome().problems()).isNotEmpty();
        assertThat(accept4())
                .filteredOn(line -> line.contains(AddressPlan.A1.ipv4() + " . udp . 70"))
                .hasSize(99);
        for (int port : List.of(7000, 7050, 7098)) {
            answers(Protocol.UDP, IpFamily.IPV4, port, "home1-pod1");
            answers(Protocol.UDP, IpFamily.IPV6, port, "home1-pod1");
        }
    }

    private List<String> accept4() {
        return Arrays.asList(world.edge()
                .namespace()
                .run("nft", "list", "map", "inet", "kuport", "accept4")
                .split("[,\n{}]"));
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void P1_ports_that_a_node_lives_by_are_refused_and_stay_the_hosts(IpFamily family) {
        put("ssh", portMap("ssh", "one", LONG_AGO, "protocol: TCP\nport: 22"));
        put("api", portMap("api", "one", LONG_AGO, "protocol: TCP\nport: 6443"));
        put("kubelet", portMap("kubelet", "one", LONG_AGO, "protocol: TCP\nport: 10250"));
        put("link", portMap("link", "one", LONG_AGO, "protocol: UDP\nport: 4790"));
        put("node-port", portMap("node-port", "one", LONG_AGO, "protocol: UDP\nport: 30000"));
        put("around", portMap("around", "one", LONG_AGO, "protocol: TCP\nport: 20\nendPort: 30"));
        for (String name : List.of("ssh", "api", "kubelet", "link", "node-port", "around")) {
            refused(name, "PortReserved", "allowProtected");
        }
        try (EchoServer host =
                EchoServer.start(world.edge().namespace(), "sshd", 22, List.of(AddressPlan.A1.of(family)))) {
            answers(Protocol.TCP, family, 22, host.label());
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void P1_a_port_that_is_allowed_goes_to_the_pod_from_outside_and_loopback_stays_the_hosts(
            Protocol protocol, IpFamily family) {
        IpAddress loopback = IpAddress.parse(family == IpFamily.IPV4 ? "127.0.0.1" : "::1");
        try (EchoServer outside =
                        EchoServer.start(world.edge().namespace(), "sshd", 22, List.of(AddressPlan.A1.of(family)));
                EchoServer inside = EchoServer.start(world.edge().namespace(), "sshd", 22, List.of(loopback))) {
            put(
                    "forced-class",
                    Manifests.portMapClass(
                            "forced", "nodes: {edge: {interfaces: [eth0]}}\nports: {allowProtected: [22]}"));
            put("ssh", portMap("ssh", "one", LONG_AGO, "className: forced\nprotocol: " + protocol + "\nport: 22"));
            accepted("ssh");
            answers(protocol, family, 22, "home1-pod1");
            Visits.seenAs(loopback, world.edge().namespace(), Dial.to(protocol, loopback, 22), "sshd");
            assertThat(outside.sightings()).isEmpty();
            assertThat(inside.sightings()).hasSize(1);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void P1_a_port_that_the_host_listens_on_stays_the_hosts_until_it_listens_no_more(
            Protocol protocol, IpFamily family) {
        IpAddress dialled = AddressPlan.A1.of(family);
        try (EchoServer host = EchoServer.start(world.edge().namespace(), "host", 5300, List.of(dialled))) {
            put("dns", portMap("dns", "one", LONG_AGO, "protocol: " + protocol + "\nport: 5300"));
            accepted("dns");
            NodeRow row = Objects.requireNonNull(
                    cluster.agent(world.edge()).report("dns").ownRow());
            assertThat(row.reason()).isEqualTo(ProgrammedReason.PortInUse);
            assertThat(row.message()).contains(dialled.toString(), "5300");
            answers(protocol, family, 5300, host.label());
        }
        cluster.settle();
        answers(protocol, family, 5300, "home1-pod1");
        try (EchoServer late = EchoServer.start(world.edge().namespace(), "late", 5300, List.of(dialled))) {
            cluster.settle();
            answers(protocol, family, 5300, "home1-pod1");
            assertThat(late.sightings()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void two_classes_on_one_interface_each_permit_their_own_and_share_its_ports(Protocol protocol, IpFamily family) {
        put("low", Manifests.portMapClass("low", "nodes: {edge: {interfaces: [eth0]}}\nports: {max: 5999}"));
        put("high", Manifests.portMapClass("high", "nodes: {edge: {interfaces: [eth0]}}\nports: {min: 5500}"));
        put("of-low", portMap("of-low", "one", LONG_AGO, "className: low\nprotocol: " + protocol + "\nport: 5400"));
        put(
                "of-high",
                portMap("of-high", "other", LONG_AGO, "className: high\nprotocol: " + protocol + "\nport: 5600"));
        put("too-low", portMap("too-low", "one", LONG_AGO, "className: high\nprotocol: " + protocol + "\nport: 5401"));
        put("both", portMap("both", "one", LATELY, "className: low\nprotocol: " + protocol + "\nport: 5600"));
        answers(protocol, family, 5400, "home1-pod1");
        answers(protocol, family, 5600, "home2-pod1");
        refused("too-low", "PortOutOfRange", "5500");
        refused("both", "PortConflict", "games/of-high");

        cluster.remove("of-high");
        answers(protocol, family, 5600, "home1-pod1");
    }
}
