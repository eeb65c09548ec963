package li.wlz.kuport.kernel;

import java.util.Optional;
import li.wlz.kuport.ffm.NetlinkSocket;
import li.wlz.kuport.ffm.NetlinkSocket.Datagram;

/** A netlink socket, or what a test puts in its place. */
interface Channel extends AutoCloseable {
    /** Sends a message to the kernel, as {@link NetlinkSocket#send}. */
    void send(byte[] message);

    /** The next datagram, as {@link NetlinkSocket#receive}. */
    Optional<Datagram> receive(int milliseconds);

    /** The number by which the kernel knows this end. */
    int portId();

    boolean isClosed();

    @Override
    void close();

    /** A real one. */
    static Channel of(NetlinkSocket socket) {
        return new Channel() {
            @Override
            public void send(byte[] message) {
                socket.send(message);
            }

            @Override
            public Optional<Datagram> receive(int milliseconds) {
                return socket.receive(milliseconds);
            }

            @Override
            public int portId() {
                return socket.portId();
            }

            @Override
            public boolean isClosed() {
                return socket.isClosed();
            }

            @Override
            public void close() {
                socket.close();
            }
        };
    }
}
