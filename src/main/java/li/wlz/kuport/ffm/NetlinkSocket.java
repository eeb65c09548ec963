package li.wlz.kuport.ffm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A netlink socket (netlink(7)), in the network namespace of the thread that opened it.
 *
 * <p>Any thread may use it; one at a time sends or receives, and {@link #close} wakes the one that waits.
 */
public final class NetlinkSocket implements AutoCloseable {
    /** Protocols of linux/netlink.h. */
    public static final int NETLINK_ROUTE = 0;

    public static final int NETLINK_SOCK_DIAG = 4;
    public static final int NETLINK_NETFILTER = 12;

    /** Waits until something comes or the socket is closed. */
    public static final int FOR_EVER = -1;

    /** The kernel fills at most 32 KiB with one part of a dump, and grows a part only for a single message that needs more. */
    private static final int BUFFER = 64 * 1024;

    /** How many bytes of notifications may wait to be read before the kernel drops them (ENOBUFS). */
    private static final int RECEIVE_QUEUE = 8 * 1024 * 1024;

    private final String name;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(BUFFER, 8);
    private final MemorySegment sender = arena.allocate(Layouts.SOCKADDR_NL);
    private final MemorySegment kernel = arena.allocate(Layouts.SOCKADDR_NL);
    private final MemorySegment waiting = arena.allocate(Layouts.POLLFD, 2);
    private final int fd;
    private final int wake;
    private final AtomicBoolean closing = new AtomicBoolean();
    private int portId;

    /**
     * What came in one piece.
     *
     * @param bytes netlink messages, one after the other
     * @param sender the port id of the socket that sent it; 0 is the kernel, all others are not to be believed
     * @param truncated whether the end is missing
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on to a decoder, never compared
    public record Datagram(byte[] bytes, int sender, boolean truncated) {}

    private NetlinkSocket(int protocol) {
        name = "netlink socket of protocol " + protocol;
        wake = Libc.eventfd("opening a " + name);
        try {
            fd = Libc.socket(
                    Layouts.AF_NETLINK, Layouts.SOCK_RAW | Layouts.SOCK_CLOEXEC, protocol, "opening a " + name);
        } catch (NativeException e) {
            Libc.close(wake, "closing a " + name);
            throw e;
        }
        kernel.set(JAVA_SHORT, Layouts.NL_FAMILY, (short) Layouts.AF_NETLINK);
    }

    /**
     * Opens a socket for requests and, with groups, for notifications.
     *
     * @param protocol NETLINK_*
     * @param groups numbers of multicast groups, not bits: RTNLGRP_*, NFNLGRP_*
     * @throws NativeException if the kernel refuses
     */
    public static NetlinkSocket open(int protocol, int... groups) {
        Native.requireAccess();
        NetlinkSocket socket = new NetlinkSocket(protocol);
        try {
            socket.bind();
            socket.setReceiveQueue();
            // An answer to a refused request then holds the kernel's words and not a copy of the request.
            socket.set(Layouts.SOL_NETLINK, Layouts.NETLINK_EXT_ACK, 1);
            socket.set(Layouts.SOL_NETLINK, Layouts.NETLINK_CAP_ACK, 1);
            for (int group : groups) {
                socket.set(Layouts.SOL_NETLINK, Layouts.NETLINK_ADD_MEMBERSHIP, group);
            }
            return socket;
        } catch (NativeException e) {
            socket.close();
            throw e;
        }
    }

    /** Makes the kernel look at the header and attributes of a dump request, so that it filters (NETLINK_GET_STRICT_CHK). */
    public void filterDumps() {
        set(Layouts.SOL_NETLINK, Layouts.NETLINK_GET_STRICT_CHK, 1);
    }

    private void bind() {
        // Port id 0 asks the kernel for a free one.
        Libc.bind(fd, kernel, "binding a " + name);
        Libc.getsockname(fd, sender, "binding a " + name);
        portId = sender.get(JAVA_INT, Layouts.NL_PID);
    }

    private void set(int level, int option, int value) {
        Libc.setsockopt(fd, level, option, value, "setting option " + option + " of a " + name);
    }

    private void setReceiveQueue() {
        try {
            set(Layouts.SOL_SOCKET, Layouts.SO_RCVBUFFORCE, RECEIVE_QUEUE);
        } catch (NativeException e) {
            // Beyond net.core.rmem_max needs CAP_NET_ADMIN of the host; a shorter queue overflows earlier, which is
            // noticed.
            set(Layouts.SOL_SOCKET, Layouts.SO_RCVBUF, RECEIVE_QUEUE);
        }
    }

    /** The socket's own port id: the kernel's answers and notifications name it as their cause. */
    public int portId() {
        return portId;
    }

    /**
     * Sends messages to the kernel, which has carried them out when this returns; its answers can be received then.
     *
     * @throws NativeException if they could not be handed over
     * @throws IllegalStateException if the socket is closed
     */
    public synchronized void send(byte[] messages) {
        requireOpen();
        try (Arena call = Arena.ofConfined()) {
            Libc.sendto(fd, call.allocateFrom(JAVA_BYTE, messages), kernel, "sending to a " + name);
        }
    }

    /**
     * Receives the next datagram; empty if none came in time, or the socket was closed meanwhile.
     *
     * @param milliseconds how long to wait, or {@link #FOR_EVER}
     * @throws NativeException ENOBUFS if the kernel had to drop some; what follows is whole again
     */
    public synchronized Optional<Datagram> receive(int milliseconds) {
        while (!closing.get() && await(milliseconds)) {
            try {
                long length = Libc.recvfrom(fd, buffer, sender, "receiving from a " + name);
                byte[] bytes = buffer.asSlice(0, Math.min(length, BUFFER)).toArray(JAVA_BYTE);
                return Optional.of(new Datagram(bytes, sender.get(JAVA_INT, Layouts.NL_PID), length > BUFFER));
            } catch (NativeException e) {
                if (e.errno() != Errno.EAGAIN && e.errno() != Errno.EINTR) {
                    throw e;
                }
            }
        }
        return Optional.empty();
    }

    /** Whether something has come, or the socket is closed; false when the time ran out. */
    private boolean await(int milliseconds) {
        watch(0, fd);
        watch(1, wake);
        try {
            return Libc.poll(waiting, milliseconds, "waiting for a " + name) > 0 && !closing.get();
        } catch (NativeException e) {
            if (e.errno() == Errno.EINTR) {
                return true;
            }
            throw e;
        }
    }

    private void watch(int position, int descriptor) {
        long at = position * Layouts.POLLFD.byteSize();
        waiting.set(JAVA_INT, at + Layouts.POLL_FD, descriptor);
        waiting.set(JAVA_SHORT, at + Layouts.POLL_EVENTS, Layouts.POLLIN);
    }

    private void requireOpen() {
        if (closing.get()) {
            throw new IllegalStateException("the " + name + " is closed");
        }
    }

    /** Whether {@link #close} was called. */
    public boolean isClosed() {
        return closing.get();
    }

    /** Ends a waiting {@link #receive} and closes the socket; a second call does nothing. */
    @Override
    public void close() {
        if (closing.compareAndSet(false, true)) {
            Libc.eventfdWrite(wake, "closing a " + name);
            release();
        }
    }

    /** Waits for the thread that receives: a descriptor that is closed under it might be somebody else's a moment later. */
    private synchronized void release() {
        Libc.close(fd, "closing a " + name);
        Libc.close(wake, "closing a " + name);
        arena.close();
    }
}
