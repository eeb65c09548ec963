package li.wlz.kuport.lab;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import li.wlz.kuport.model.Protocol;

/**
 * A client that goes on sending UDP from one socket, as games and meters do, and remembers every answer.
 *
 * <p>It hears only whom it dials: an answer from another address counts as none.
 */
public final class UdpSender implements AutoCloseable {
    private static final int LARGEST_DATAGRAM = 65_536;
    private static final Duration GRACE = Duration.ofMillis(500);

    private final DatagramChannel channel;
    private final Dial dial;
    private final long start = System.nanoTime();
    private final List<Received> received = new CopyOnWriteArrayList<>();
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private volatile boolean sending = true;

    /**
     * An answer.
     *
     * @param sequence of the request, from 1
     * @param server the server's label
     * @param sourceSeen the client as the server saw it
     * @param at since the first request
     */
    public record Received(int sequence, String server, Peer sourceSeen, Duration at) {}

    private UdpSender(DatagramChannel channel, Dial dial) {
        this.channel = channel;
        this.dial = dial;
    }

    /** Starts to send the dial's request from the namespace, a hundred times a second. */
    public static UdpSender start(Namespace namespace, Dial dial) {
        return start(namespace, dial, Duration.ofMillis(10));
    }

    /** Starts to send the dial's request from the namespace again and again. */
    public static UdpSender start(Namespace namespace, Dial dial, Duration interval) {
        if (dial.protocol() != Protocol.UDP) {
            throw new IllegalArgumentException("a sender speaks UDP, not " + dial);
        }
        DatagramChannel channel = namespace.call(() -> {
            DatagramChannel made = DatagramChannel.open(
                    Sockets.family(dial.destination().address().family()));
            made.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            made.setOption(Sockets.DONT_FRAGMENT, dial.dontFragment());
            return made.bind(Sockets.local(dial)).connect(dial.destination().socketAddress());
        });
        UdpSender sender = namespace.own(new UdpSender(channel, dial));
        Thread.ofVirtual().name("send-" + dial).start(() -> sender.send(interval));
        Thread.ofVirtual().name("hear-" + dial).start(sender::hear);
        return sender;
    }

    private void send(Duration interval) {
        try {
            while (sending) {
                byte[] request = Message.request(sent.incrementAndGet(), dial.bytes(), dial.answerBytes());
                try {
                    channel.write(ByteBuffer.wrap(request));
                } catch (ClosedChannelException e) {
                    return;
                } catch (IOException e) {
                    refused.incrementAndGet();
                }
                Thread.sleep(interval);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void hear() {
        ByteBuffer buffer = ByteBuffer.allocate(LARGEST_DATAGRAM);
        while (channel.isOpen()) {
            try {
                buffer.clear();
                channel.read(buffer);
                Message.Echo answer = Message.readAnswer(Arrays.copyOf(buffer.array(), buffer.position()));
                received.add(new Received((int) answer.id(), answer.label(), answer.seen(), elapsed()));
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                refused.incrementAndGet();
            }
        }
    }

    private Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /** How many requests were sent so far. */
    public int sent() {
        return sent.get();
    }

    /** How often the kernel reported a refusal, be it ICMP's or its own. */
    public int refused() {
        return refused.get();
    }

    /** Every answer so far, in the order of arrival. */
    public List<Received> received() {
        return List.copyOf(received);
    }

    /** The labels of the servers that answered, each once, in the order in which they first did. */
    public List<String> servers() {
        return received.stream().map(Received::server).distinct().toList();
    }

    /** The client's own address and port. */
    public Peer local() {
        try {
            return Peer.of((InetSocketAddress) channel.getLocalAddress());
        } catch (IOException e) {
            throw new LabException("the sender is closed", e);
        }
    }

    /** How many requests have had no answer; after {@link #stop} for good. */
    public int lost() {
        return sent()
                - (int) received.stream()
                        .mapToInt(Received::sequence)
                        .distinct()
                        .count();
    }

    /** The longest time between two answers, one after the other. */
    public Duration longestSilence() {
        Duration longest = Duration.ZERO;
        Duration before = Duration.ZERO;
        for (Received answer : received) {
            Duration silence = answer.at().minus(before);
            longest = silence.compareTo(longest) > 0 ? silence : longest;
            before = answer.at();
        }
        return longest;
    }

    /**
     * Waits until the server has answered a request that is sent from now on.
     *
     * @throws LabException if it does not in time
     */
    public void awaitAnswerOf(String server, Duration patience) {
        int now = sent();
        Waiting.until(
                "an answer of " + server + " to " + dial + "; answers came from " + servers() + ", refusals: "
                        + refused(),
                patience,
                () -> received.stream()
                        .anyMatch(answer ->
                                answer.sequence() > now && answer.server().equals(server)));
    }

    /** Sends no more, and gives the answers under way a moment to arrive. */
    public void stop() {
        sending = false;
        long end = System.nanoTime() + GRACE.toNanos();
        while (lost() > 0 && System.nanoTime() < end) {
            Waiting.aMoment("the last answers");
        }
    }

    @Override
    public void close() {
        sending = false;
        try {
            channel.close();
        } catch (IOException e) {
            throw new LabException("cannot close a UDP socket: " + e.getMessage(), e);
        }
    }
}
