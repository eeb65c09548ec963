package li.wlz.kuport.lab;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import jdk.net.ExtendedSocketOptions;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;

/** Ways of using sockets that the lab's clients and servers share. */
final class Sockets {
    /** Whether datagrams bear IPv4's DF, and in IPv6 are refused rather than cut: IP_MTU_DISCOVER of ip(7). */
    static final SocketOption<Boolean> DONT_FRAGMENT = ExtendedSocketOptions.IP_DONTFRAGMENT;

    private Sockets() {}

    static ProtocolFamily family(IpFamily family) {
        return switch (family) {
            case IPV4 -> StandardProtocolFamily.INET;
            case IPV6 -> StandardProtocolFamily.INET6;
        };
    }

    /** Where a socket for the dial is bound. */
    static InetSocketAddress local(Dial dial) {
        IpAddress any = IpAddress.unspecified(dial.destination().address().family());
        return new Peer(dial.source().orElse(any), dial.sourcePort().orElse(0)).socketAddress();
    }

    /**
     * The reply that a server's message is.
     *
     * @throws LabException if it answers another request, or the server did not get what was sent
     */
    static Answer.Reply reply(byte[] request, byte[] answer, Peer repliedFrom, Peer sentFrom) {
        Message.Echo read = Message.readAnswer(answer);
        Message.Request sent = Message.readRequest(request);
        if (read.id() != sent.id()
                || read.requestLength() != sent.length()
                || read.requestChecksum() != sent.checksum()) {
            throw new LabException("the server answered what was not sent: " + read + " to " + sent);
        }
        return new Answer.Reply(read.label(), read.seen(), repliedFrom, sentFrom);
    }

    /**
     * Reads one whole {@link Message}.
     *
     * @throws EOFException if the other side ended the connection
     */
    static byte[] readMessage(ReadableByteChannel channel) throws IOException {
        ByteBuffer start = ByteBuffer.allocate(4);
        readFully(channel, start);
        byte[] message = new byte[Message.length(start)];
        ByteBuffer rest = ByteBuffer.wrap(message).putInt(message.length);
        readFully(channel, rest);
        return message;
    }

    private static void readFully(ReadableByteChannel channel, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new EOFException("the connection was ended by the other side");
            }
        }
    }

    static void writeFully(WritableByteChannel channel, byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }
}
