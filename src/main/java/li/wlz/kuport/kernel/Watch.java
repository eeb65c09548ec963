package li.wlz.kuport.kernel;

import java.util.Optional;
import java.util.function.Consumer;
import li.wlz.kuport.ffm.Errno;
import li.wlz.kuport.ffm.NativeException;
import li.wlz.kuport.ffm.NetlinkSocket;
import li.wlz.kuport.ffm.NetlinkSocket.Datagram;
import li.wlz.kuport.netlink.MalformedMessageException;
import li.wlz.kuport.netlink.Message;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands on the notifications of one socket, on a thread of its own, until it is closed. */
final class Watch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Watch.class);

    private final String name;
    private final Channel channel;
    private final Consumer<Message> each;
    private final Runnable lost;
    private final Thread thread;

    /**
     * @param name of the thread
     * @param each takes what comes
     * @param lost called when some of it is missing, so that anything may have changed
     */
    Watch(String name, Channel channel, Consumer<Message> each, Runnable lost) {
        this.name = name;
        this.channel = channel;
        this.each = each;
        this.lost = lost;
        this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Whether it would notice a change. */
    boolean isAwake() {
        return thread.isAlive();
    }

    private void run() {
        try {
            while (!channel.isClosed()) {
                receive();
            }
        } finally {
            if (!channel.isClosed()) {
                // From now on nothing is noticed.
                lost.run();
            }
        }
    }

    private void receive() {
        try {
            Optional<Datagram> datagram = channel.receive(NetlinkSocket.FOR_EVER);
            if (datagram.isEmpty() || datagram.get().sender() != 0) {
                return;
            }
            if (datagram.get().truncated()) {
                throw new MalformedMessageException("a notification was cut short");
            }
            Message.split(datagram.get().bytes()).forEach(each);
        } catch (MalformedMessageException e) {
            LOG.warn("watch={} could not read a notification, reading everything anew", name, e);
            lost.run();
        } catch (NativeException e) {
            if (e.errno() != Errno.ENOBUFS) {
                throw e;
            }
            LOG.info("watch={} the kernel dropped notifications, reading everything anew", name);
            lost.run();
        }
    }

    /** Ends the thread. */
    @Override
    public void close() {
        channel.close();
    }
}
