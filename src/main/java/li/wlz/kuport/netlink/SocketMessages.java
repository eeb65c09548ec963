package li.wlz.kuport.netlink;

import java.util.Arrays;
import java.util.Optional;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Listener;
import li.wlz.kuport.model.Protocol;

/** Bound sockets over sock_diag(7): {@code struct inet_diag_req_v2} and {@code inet_diag_msg} of linux/inet_diag.h. */
public final class SocketMessages {
    private static final int SOCK_DIAG_BY_FAMILY = 20;

    /** sizeof(struct inet_diag_msg). */
    private static final int HEADER = 72;

    /** sizeof(struct inet_diag_sockid): two ports, two addresses of 16 bytes, index, cookie; ports in network order. */
    private static final int SOCKET_ID = 48;

    private static final int STATE = 1;
    private static final int SOURCE_PORT = 4;
    private static final int SOURCE = 8;
    private static final int INDEX = 40;
    private static final int INET_DIAG_SKV6ONLY = 11;

    /** States of net/tcp_states.h. */
    private static final int TCP_CLOSE = 7;

    private static final int TCP_LISTEN = 10;
    private static final int PORT_BYTES = 2;

    private SocketMessages() {}

    /** Asks for listening TCP or unconnected UDP sockets of a family: {@code ss -ltn}, {@code ss -lun}. */
    public static byte[] dump(Protocol protocol, IpFamily family) {
        return MessageWriter.request(SOCK_DIAG_BY_FAMILY, Message.NLM_F_DUMP)
                .u8(Family.number(family))
                .u8(protocol.number())
                .u8(0)
                .u8(0)
                .u32(1 << state(protocol))
                .zeros(SOCKET_ID)
                .finish();
    }

    private static int state(Protocol protocol) {
        return switch (protocol) {
            case TCP -> TCP_LISTEN;
            // A connected UDP socket takes its peer's packets alone, and has another state.
            case UDP -> TCP_CLOSE;
        };
    }

    /**
     * A bound socket, from an answer; empty for other messages and sockets without a port.
     *
     * @throws MalformedMessageException if the message is not whole
     */
    public static Optional<Listener> decode(Message message, Protocol protocol, Devices devices) {
        if (message.type() != SOCK_DIAG_BY_FAMILY) {
            return Optional.empty();
        }
        Attributes attributes = message.attributes(HEADER);
        Optional<IpFamily> family = Family.of(message.u8(0));
        int port = message.u8(SOURCE_PORT) << 8 | message.u8(SOURCE_PORT + PORT_BYTES - 1);
        if (family.isEmpty() || port == 0 || message.u8(STATE) != state(protocol)) {
            return Optional.empty();
        }
        byte[] bytes = new byte[family.get().bytes()];
        message.body().get(SOURCE, bytes);
        IpAddress address = unmapped(bytes);
        boolean v6Only = family.get() == IpFamily.IPV6 && attributes.u8(INET_DIAG_SKV6ONLY, 0) != 0;
        return Optional.of(new Listener(
                protocol,
                address,
                port,
                v6Only,
                devices.name(message.u32(INDEX)).orElse(null)));
    }

    /** A socket bound to ::ffff:192.0.2.1 takes the packets of 192.0.2.1. */
    private static IpAddress unmapped(byte[] bytes) {
        IpAddress address = IpAddress.of(bytes);
        boolean mapped = address.family() == IpFamily.IPV6 && address.high() == 0 && address.low() >>> 32 == 0xffff;
        return mapped ? IpAddress.of(Arrays.copyOfRange(bytes, 12, 16)) : address;
    }
}
