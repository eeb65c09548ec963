package li.wlz.kuport.lab;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;

/** Dials an {@link EchoServer} once and says what came of it. */
public final class Dialler {
    private static final int LARGEST_DATAGRAM = 65_536;

    private Dialler() {}

    /**
     * Sends one request from the namespace and waits for its answer.
     *
     * @throws LabException if it cannot even be sent (no such source address, port in use), or if what came back is no answer to it
     */
    public static Answer dial(Namespace namespace, Dial dial) {
        return switch (dial.protocol()) {
            case TCP -> tcp(namespace, dial);
            case UDP -> udp(namespace, dial);
        };
    }

    /**
     * Dials where an answer is due.
     *
     * @throws LabException if there is none
     */
    public static Answer.Reply reply(Namespace namespace, Dial dial) {
        Answer answer = dial(namespace, dial);
        if (answer instanceof Answer.Reply reply) {
            return reply;
        }
        throw new LabException(namespace + " dialled " + dial + " and got " + answer);
    }

    private static Answer tcp(Namespace namespace, Dial dial) {
        try (TcpStream stream = TcpStream.connect(namespace, dial)) {
            return stream.exchange(dial.bytes(), dial.answerBytes());
        } catch (IOException e) {
            return TcpStream.unconnected(e);
        }
    }

    /**
     * Two sockets on one port: the connected one learns of ICMP errors but hears only whom it dialled, the other hears everybody
     * else, so that an answer from a wrong address is seen as one.
     */
    private record Pair(DatagramChannel connected, DatagramChannel open, Peer local) implements AutoCloseable {
        static Pair in(Namespace namespace, Dial dial) {
            return namespace.call(() -> {
                DatagramChannel connected = channel(dial, Sockets.local(dial));
                InetSocketAddress bound = (InetSocketAddress) connected.getLocalAddress();
                DatagramChannel open = channel(dial, bound);
                connected.connect(dial.destination().socketAddress());
                return new Pair(connected, open, Peer.of((InetSocketAddress) connected.getLocalAddress()));
            });
        }

        private static DatagramChannel channel(Dial dial, InetSocketAddress local) throws IOException {
            DatagramChannel channel = DatagramChannel.open(
                    Sockets.family(dial.destination().address().family()));
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.setOption(Sockets.DONT_FRAGMENT, dial.dontFragment());
            channel.bind(local).configureBlocking(false);
            return channel;
        }

        @Override
        public void close() throws IOException {
            connected.close();
            open.close();
        }
    }

    private static Answer udp(Namespace namespace, Dial dial) {
        byte[] request = Message.request(System.nanoTime(), dial.bytes(), dial.answerBytes());
        try (Pair sockets = Pair.in(namespace, dial);
                Selector selector = Selector.open()) {
            sockets.connected().register(selector, SelectionKey.OP_READ);
            sockets.open().register(selector, SelectionKey.OP_READ);
            for (int attempt = 0; attempt < dial.attempts(); attempt++) {
                sockets.connected().write(ByteBuffer.wrap(request));
                Optional<Answer> answer =
                        receive(selector, sockets, request, dial.patience().dividedBy(dial.attempts()));
                if (answer.isPresent()) {
                    return answer.get();
                }
            }
            return new Answer.TimedOut();
        } catch (PortUnreachableException e) {
            return new Answer.Refused();
        } catch (IOException e) {
            return failed(namespace, dial, e);
        }
    }

    private static Optional<Answer> receive(Selector selector, Pair sockets, byte[] request, Duration patience)
            throws IOException {
        long end = System.nanoTime() + patience.toNanos();
        for (long left = patience.toMillis(); left > 0; left = (end - System.nanoTime()) / 1_000_000) {
            selector.select(left);
            for (SelectionKey key : selector.selectedKeys()) {
                ByteBuffer buffer = ByteBuffer.allocate(LARGEST_DATAGRAM);
                InetSocketAddress sender = (InetSocketAddress) ((DatagramChannel) key.channel()).receive(buffer);
                if (sender != null) {
                    byte[] answer = Arrays.copyOf(buffer.array(), buffer.position());
                    return Optional.of(Sockets.reply(request, answer, Peer.of(sender), sockets.local()));
                }
            }
            selector.selectedKeys().clear();
        }
        return Optional.empty();
    }

    private static Answer failed(Namespace namespace, Dial dial, IOException failure) {
        if (dial.dontFragment()) {
            OptionalInt mtu = knownMtu(namespace, dial.destination().address());
            if (mtu.isEmpty()
                    || mtu.getAsInt()
                            < dial.bytes()
                                    + headers(dial.destination().address().family())) {
                return new Answer.TooBig(mtu);
            }
        }
        return new Answer.Unreachable(String.valueOf(failure.getMessage()));
    }

    /** The length of the IP and UDP headers, in bytes. */
    private static int headers(IpFamily family) {
        return switch (family) {
            case IPV4 -> 28;
            case IPV6 -> 48;
        };
    }

    /** The longest packet that the namespace's kernel would send to a destination: learnt from ICMP, else its device's. */
    static OptionalInt knownMtu(Namespace namespace, IpAddress destination) {
        String route = namespace.run("ip", "-o", "route", "get", destination.toString());
        OptionalInt learnt = number(route, "\\bmtu (\\d+)");
        if (learnt.isPresent()) {
            return learnt;
        }
        Matcher device = Pattern.compile("\\bdev (\\S+)").matcher(route);
        return device.find()
                ? number(namespace.run("ip", "-o", "link", "show", "dev", device.group(1)), "\\bmtu (\\d+)")
                : OptionalInt.empty();
    }

    private static OptionalInt number(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        return matcher.find() ? OptionalInt.of(Integer.parseInt(matcher.group(1))) : OptionalInt.empty();
    }
}
