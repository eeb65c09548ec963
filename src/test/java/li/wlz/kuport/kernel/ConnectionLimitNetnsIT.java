package li.wlz.kuport.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.List;
import li.wlz.kuport.ScratchNamespace;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Settings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A real table, filled with real packets: a quarter of a million where the limit is the usual one. */
class ConnectionLimitNetnsIT {
    private static final int PORTS = 60_000;

    private final ScratchNamespace namespace = new ScratchNamespace();

    /** Packets go to nobody, over a device that asks nobody for anything. */
    @BeforeEach
    void aTrackingNode() {
        namespace.sh("ip link add eth0 type veth peer name far0; ip link set eth0 arp off up; ip link set far0 up;"
                + "ip address add 192.0.2.1/24 dev eth0; ip route add 198.18.0.0/15 dev eth0;"
                + "sysctl -qw net.netfilter.nf_conntrack_udp_timeout=600;"
                + "nft 'table ip track { chain output { type filter hook output priority 0; ct state new; }; }'");
    }

    @AfterEach
    void closeNamespace() {
        namespace.close();
    }

    private long number(String setting) {
        return Long.parseLong(
                namespace.sh("cat /proc/sys/net/netfilter/" + setting).strip());
    }

    /** Opens connections up to a number, each by a datagram to another address and port. */
    private static void open(long from, long to) throws Exception {
        ByteBuffer nothing = ByteBuffer.allocate(1);
        try (DatagramChannel channel = DatagramChannel.open()) {
            for (long i = from; i < to; i++) {
                int host = (int) (i / PORTS) + 1;
                InetAddress address =
                        InetAddress.getByAddress(new byte[] {(byte) 198, 18, (byte) (host >> 8), (byte) host});
                channel.send(nothing.clear(), new InetSocketAddress(address, (int) (i % PORTS) + 1));
            }
        }
    }

    private static List<NodeReason> found(KernelNode node) {
        node.distrust();
        return node.observe().facts().problems().stream()
                .map(NodeProblem::reason)
                .toList();
    }

    @Test
    void U11_a_table_that_is_nearly_full_or_was_is_told_and_a_limit_is_never_changed() throws Exception {
        long limit = number("nf_conntrack_max");
        namespace.call(() -> {
            try (KernelNode node = KernelNode.open(Settings.defaults("edge"))) {
                open(0, limit * 8 / 10);
                assertThat(found(node)).isEmpty();
                open(limit * 8 / 10, limit * 92 / 100);
                assertThat(found(node)).containsExactly(NodeReason.ConntrackFull);

                open(limit * 92 / 100, limit + PORTS);
                namespace.sh("conntrack -F");
                assertThat(found(node)).as("it was full").containsExactly(NodeReason.ConntrackFull);
                assertThat(found(node)).isEmpty();
            }
            return true;
        });
        assertThat(number("nf_conntrack_max")).isEqualTo(limit);
    }
}
