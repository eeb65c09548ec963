package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Objects;
import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.ProgrammedReason;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A range leaves the ports of tunnels alone, whichever they are. */
class TunnelPortsNetnsIT {
    private static final int WIREGUARD_RANGE = 52_000;
    private static final int VXLAN_RANGE = 8470;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();
    private final Cluster cluster = STAGE.cluster();
    private final Namespace edge = world.edge().namespace();

    @BeforeAll
    static void serve() {
        Host pod = STAGE.world().home1().pod(1);
        EchoServer.start(pod.namespace(), pod.name(), WIREGUARD_RANGE);
        EchoServer.start(pod.namespace(), pod.name(), VXLAN_RANGE);
        STAGE.cluster().write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"));
    }

    @AfterEach
    void withdraw() {
        cluster.delete("range").remove("media");
    }

    /** Asks for the ten ports from one on. */
    private void publish(int first) {
        Backend pod = Backend.of(world.home1(), world.home1().pod(1));
        cluster.write("media", Manifests.workload("media", first, pod));
        cluster.put(
                "range",
                Manifests.portMap(
                        "range",
                        "media",
                        "className: public\nprotocol: UDP\nport: %d\nendPort: %d".formatted(first, first + 9)));
    }

    private NodeRow row() {
        return Objects.requireNonNull(
                cluster.agent(world.edge()).report("range").ownRow());
    }

    private void assertRefused(int port) {
        assertThat(row().reason()).isEqualTo(ProgrammedReason.PortInUse);
        assertThat(row().message()).contains("0.0.0.0:" + port);
    }

    private void assertServed(int port) {
        assertThat(row().ready()).isTrue();
        Visits.forEachWay((protocol, family) -> {
            if (protocol == Protocol.UDP) {
                Visits.seenAsItself(world.cli().namespace(), Dial.udp(AddressPlan.A1.of(family), port), "home1-pod1");
            }
        });
    }

    /** Its port is one of those that the kernel hands out. */
    @Test
    void P1_a_range_does_not_take_the_port_of_another_WireGuard_and_is_served_once_that_is_gone() throws Exception {
        Process wireguard = edge.start(Path.of("target", "tunnel-ports.log"), "wireguard-go", "-f", "wg-other");
        try {
            await("wireguard-go")
                    .until(() -> edge.run("sh", "-c", "wg set wg-other listen-port 52003 2>&1 || true")
                            .isEmpty());
            edge.ip("link set wg-other up");
            await("its sockets").until(() -> edge.run("ss", "-uln").contains(":52003"));
            publish(WIREGUARD_RANGE);
            assertRefused(52003);
        } finally {
            wireguard.destroy();
            wireguard.waitFor();
        }
        await("its end").until(() -> !edge.run("ss", "-uln").contains(":52003"));
        cluster.settle();
        assertServed(WIREGUARD_RANGE);
    }

    @Test
    void P7_a_momentary_socket_among_the_same_ports_is_no_reason_to_refuse() throws Exception {
        DatagramSocket socket = edge.call(() -> new DatagramSocket(new InetSocketAddress("203.0.113.9", 52003)));
        try (socket) {
            publish(WIREGUARD_RANGE);
            assertThat(row().message()).contains("52003");
            assertServed(WIREGUARD_RANGE);
        }
    }

    /** Flannel's; the kernel lists its socket as any other. */
    @Test
    void P1_a_range_does_not_take_the_port_of_another_VXLAN_and_is_served_once_that_is_gone() {
        edge.ip("link add flannel.1 type vxlan id 1 local %s dstport 8472\nlink set flannel.1 up"
                .formatted(AddressPlan.A1.ipv4()));
        try {
            publish(VXLAN_RANGE);
            assertRefused(8472);
        } finally {
            edge.ip("link delete flannel.1");
        }
        cluster.settle();
        assertServed(VXLAN_RANGE);
    }
}
