package li.wlz.kuport.lab;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers every message with its label and the sender's address and port as it saw them, over TCP and UDP, and remembers whom it
 * saw.
 *
 * <p>A TCP connection stays open, message after message, until the client closes it or the server is closed. Closed with its
 * namespace at the latest.
 */
public final class EchoServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EchoServer.class);
    private static final int LARGEST_DATAGRAM = 65_536;
    private static final int BACKLOG = 1_024;

    private final String label;
    private final List<Sighting> sightings = new CopyOnWriteArrayList<>();
    private final List<Thread> listeners = new CopyOnWriteArrayList<>();
    private final Set<Channel> open = ConcurrentHashMap.newKeySet();

    /**
     * A message that arrived.
     *
     * @param sender as the server saw it
     * @param length in bytes
     */
    public record Sighting(Protocol protocol, Peer sender, int length) {}

    private EchoServer(String label) {
        this.label = label;
    }

    /** Starts a server for both protocols and families on all addresses of the namespace. */
    public static EchoServer start(Namespace namespace, String label, int port) {
        return start(namespace, label, port, List.of());
    }

    /**
     * Starts a server for both protocols on some addresses. It answers UDP from the address that was dialled only where it is
     * bound to it, as with any server: with none, from one that the kernel picks.
     *
     * @param addresses none for all
     * @throws LabException if a socket cannot be bound
     */
    public static EchoServer start(Namespace namespace, String label, int port, List<IpAddress> addresses) {
        EchoServer server = new EchoServer(label);
        // An IPv6 socket for all addresses speaks IPv4 as well.
        List<IpAddress> bound = addresses.isEmpty() ? List.of(IpAddress.unspecified(IpFamily.IPV6)) : addresses;
        // The sockets are made inside; the threads are started outside, else they would stay inside.
        List<Channel> channels = namespace.call(() -> bind(bound, port));
        server.open.addAll(channels);
        namespace.own(server);
        channels.forEach(server::serve);
        return server;
    }

    private static List<Channel> bind(List<IpAddress> addresses, int port) throws IOException {
        List<Channel> channels = new ArrayList<>();
        for (IpAddress address : addresses) {
            ProtocolFamily family = Sockets.family(address.family());
            InetSocketAddress local = new Peer(address, port).socketAddress();
            channels.add(ServerSocketChannel.open(family)
                    .setOption(StandardSocketOptions.SO_REUSEADDR, true)
                    .bind(local, BACKLOG));
            channels.add(DatagramChannel.open(family)
                    .setOption(StandardSocketOptions.SO_RCVBUF, 1 << 20)
                    .setOption(Sockets.DONT_FRAGMENT, false)
                    .bind(local));
        }
        return channels;
    }

    private void serve(Channel channel) {
        if (channel instanceof DatagramChannel datagrams) {
            listeners.add(Thread.startVirtualThread(() -> untilClosed(datagrams, () -> answer(datagrams))));
        } else if (channel instanceof ServerSocketChannel connections) {
            listeners.add(Thread.startVirtualThread(() -> untilClosed(connections, () -> accept(connections))));
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private void untilClosed(Channel channel, Step step) {
        while (channel.isOpen()) {
            try {
                step.run();
            } catch (IOException | LabException e) {
                // A client that went away, or sent what is no message; closing ends the same way.
                LOG.debug("echo label={} channel={} failed", label, channel, e);
                if (channel instanceof SocketChannel) {
                    close(channel);
                }
            }
        }
    }

    private void answer(DatagramChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(LARGEST_DATAGRAM);
        InetSocketAddress sender = (InetSocketAddress) channel.receive(buffer);
        byte[] bytes = Arrays.copyOf(buffer.array(), buffer.position());
        channel.send(ByteBuffer.wrap(reply(Protocol.UDP, bytes, Peer.of(sender))), sender);
    }

    private void accept(ServerSocketChannel connections) throws IOException {
        SocketChannel channel = connections.accept();
        open.add(channel);
        if (!connections.isOpen()) {
            close(channel);
        }
        Peer sender = Peer.of((InetSocketAddress) channel.getRemoteAddress());
        Thread.ofVirtual()
                .name("echo-" + label)
                .start(() -> untilClosed(channel, () -> {
                    byte[] bytes = Sockets.readMessage(channel);
                    Sockets.writeFully(channel, reply(Protocol.TCP, bytes, sender));
                }));
    }

    private byte[] reply(Protocol protocol, byte[] bytes, Peer sender) {
        sightings.add(new Sighting(protocol, sender, bytes.length));
        return Message.answer(Message.readRequest(bytes), sender, label);
    }

    public String label() {
        return label;
    }

    /** Every message so far, in the order of arrival. */
    public List<Sighting> sightings() {
        return List.copyOf(sightings);
    }

    /** The senders' addresses so far, each once. */
    public List<IpAddress> sources() {
        return sightings.stream()
                .map(sighting -> sighting.sender().address())
                .distinct()
                .toList();
    }

    private void close(Channel channel) {
        open.remove(channel);
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing label={} channel={} failed", label, channel, e);
        }
    }

    /** Stops listening and ends all connections; when this returns, the port is free. */
    @Override
    public void close() {
        // Listeners first, so that no connection comes while the others are closed.
        open.stream().filter(channel -> !(channel instanceof SocketChannel)).forEach(this::close);
        // A socket lives on until the thread that waits at it has left.
        listeners.forEach(EchoServer::await);
        List.copyOf(open).forEach(this::close);
    }

    private static void await(Thread listener) {
        try {
            listener.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted while an echo server ended", e);
        }
    }
}
