package li.wlz.kuport.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What needs no privilege: reading. */
class NetlinkSocketTest {
    private static final int RTM_GETLINK = 18;
    private static final int NLM_F_REQUEST_DUMP = 0x301;

    private static byte[] dumpLinks() {
        return ByteBuffer.allocate(32)
                .order(ByteOrder.nativeOrder())
                .putInt(32)
                .putShort((short) RTM_GETLINK)
                .putShort((short) NLM_F_REQUEST_DUMP)
                .putInt(7)
                .array();
    }

    @Test
    void an_answer_of_the_kernel_is_received_whole() {
        try (NetlinkSocket socket = NetlinkSocket.open(NetlinkSocket.NETLINK_ROUTE)) {
            socket.send(dumpLinks());
            NetlinkSocket.Datagram answer = socket.receive(1000).orElseThrow();
            assertThat(answer.sender()).isZero();
            assertThat(answer.truncated()).isFalse();
            ByteBuffer bytes = ByteBuffer.wrap(answer.bytes()).order(ByteOrder.nativeOrder());
            assertThat(bytes.getShort(4)).isEqualTo((short) 16);
            assertThat(bytes.getInt(8)).isEqualTo(7);
            assertThat(bytes.getInt(12)).isEqualTo(socket.portId());
        }
    }

    @Test
    void two_sockets_have_different_port_ids() {
        try (NetlinkSocket one = NetlinkSocket.open(NetlinkSocket.NETLINK_ROUTE);
                NetlinkSocket two = NetlinkSocket.open(NetlinkSocket.NETLINK_ROUTE)) {
            assertThat(one.portId()).isNotZero().isNotEqualTo(two.portId());
        }
    }

    @Test
    void receiving_ends_empty_when_the_time_has_run_out() {
        try (NetlinkSocket socket = NetlinkSocket.open(NetlinkSocket.NETLINK_ROUTE)) {
            assertThat(socket.receive(1)).isEmpty();
        }
    }

    @Test
    void closing_ends_a_receive_that_waits() throws Exception {
        NetlinkSocket socket = NetlinkSocket.open(NetlinkSocket.NETLINK_ROUTE);
        FutureTask<Optional<NetlinkSocket.Datagram>> waiting =
                new FutureTask<>(() -> socket.receive(NetlinkSocket.FOR_EVER));
        Thread thread = Thread.ofPlatform().start(waiting);
        while (thread.getState() == Thread.State.NEW) {
            Thread.onSpinWait();
        }
        socket.close();
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isEmpty();
        assertThat(socket.isClosed()).isTrue();
    }

    @Test
    void a_closed_socket_refuses_to_send_and_may_be_closed_again() {
        NetlinkSocket socket = NetlinkSocket.open(NetlinkSocket.NETLINK_ROUTE);
        socket.close();
        socket.close();
        assertThat(socket.receive(NetlinkSocket.FOR_EVER)).isEmpty();
        assertThatThrownBy(() -> socket.send(dumpLinks())).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_protocol_that_the_kernel_lacks_is_refused_by_name() {
        assertThatThrownBy(() -> NetlinkSocket.open(31))
                .isInstanceOf(NativeException.class)
                .hasMessageStartingWith("opening a netlink socket of protocol 31: socket: EPROTONOSUPPORT (");
    }
}
