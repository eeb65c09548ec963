package li.wlz.kuport.lab;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import li.wlz.kuport.model.Protocol;

/** A TCP connection to an {@link EchoServer} that stays open between exchanges. */
public final class TcpStream implements AutoCloseable {
    private final SocketChannel channel;
    private final Duration patience;
    private final AtomicLong ids = new AtomicLong(System.nanoTime());

    private TcpStream(SocketChannel channel, Duration patience) {
        this.channel = channel;
        this.patience = patience;
    }

    /**
     * Connects.
     *
     * @throws LabException if there is no connection within the dial's patience
     */
    public static TcpStream open(Namespace namespace, Dial dial) {
        try {
            return namespace.own(connect(namespace, dial));
        } catch (IOException e) {
            throw new LabException(namespace + " cannot dial " + dial + ": " + e.getMessage(), e);
        }
    }

    static TcpStream connect(Namespace namespace, Dial dial) throws IOException {
        if (dial.protocol() != Protocol.TCP) {
            throw new IllegalArgumentException("a stream is TCP, not " + dial);
        }
        SocketChannel channel = namespace.call(() -> {
            SocketChannel made = SocketChannel.open(
                    Sockets.family(dial.destination().address().family()));
            return made.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(Sockets.local(dial));
        });
        try {
            channel.socket()
                    .connect(
                            dial.destination().socketAddress(),
                            Math.toIntExact(dial.patience().toMillis()));
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        return new TcpStream(channel, dial.patience());
    }

    /** What a failure to connect means. */
    static Answer unconnected(IOException failure) {
        return switch (failure) {
            case SocketTimeoutException _ -> new Answer.TimedOut();
            case BindException bind -> throw new LabException("cannot dial: " + bind.getMessage(), bind);
            case ConnectException _ -> new Answer.Refused();
            default -> new Answer.Unreachable(String.valueOf(failure.getMessage()));
        };
    }

    /**
     * Sends so many bytes and receives so many.
     *
     * @return a {@link Answer.Reply}, {@link Answer.Reset}, or {@link Answer.TimedOut}; after one of the latter two the stream is
     *     of no more use
     */
    public Answer exchange(int bytes, int answerBytes) {
        byte[] request = Message.request(ids.incrementAndGet(), bytes, answerBytes);
        Expiry expiry = Expiry.start(channel, patience);
        try {
            Sockets.writeFully(channel, request);
            return Sockets.reply(
                    request,
                    Sockets.readMessage(channel),
                    Peer.of((InetSocketAddress) channel.getRemoteAddress()),
                    Peer.of((InetSocketAddress) channel.getLocalAddress()));
        } catch (IOException e) {
            return expiry.happened() ? new Answer.TimedOut() : new Answer.Reset(String.valueOf(e.getMessage()));
        } finally {
            expiry.cancel();
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new LabException("cannot close a TCP connection: " + e.getMessage(), e);
        }
    }

    /** Closes a channel when time is up, which ends what reads or writes there. */
    private static final class Expiry {
        private final Thread thread;
        private volatile boolean happened;

        private Expiry(SocketChannel channel, Duration patience) {
            this.thread = Thread.ofVirtual().unstarted(() -> {
                try {
                    Thread.sleep(patience);
                    happened = true;
                    channel.close();
                } catch (InterruptedException | IOException e) {
                    // In time, or already closed.
                    happened = happened && !(e instanceof InterruptedException);
                }
            });
        }

        static Expiry start(SocketChannel channel, Duration patience) {
            Expiry expiry = new Expiry(channel, patience);
            expiry.thread.start();
            return expiry;
        }

        boolean happened() {
            return happened;
        }

        void cancel() {
            thread.interrupt();
        }
    }
}
