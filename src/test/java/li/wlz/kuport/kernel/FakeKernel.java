package li.wlz.kuport.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import li.wlz.kuport.ffm.NetlinkSocket.Datagram;
import li.wlz.kuport.netlink.Message;

/** A channel that answers each request with the next of the answers it was given. */
final class FakeKernel implements Channel {
    static final int PORT = 4711;

    /** What becomes of one receive; it may throw. */
    interface Part {
        Datagram take(int sequence);
    }

    private final Deque<List<Part>> answers = new ArrayDeque<>();
    private final Deque<Part> waiting = new ArrayDeque<>();
    private int sequence;
    private boolean closed;
    int asked;
    int opened;

    /** The parts of the answer to the next request that has none yet. */
    FakeKernel answers(Part... parts) {
        answers.add(List.of(parts));
        return this;
    }

    /** Opens this channel, again and again: what was not received is gone then. */
    Supplier<Channel> opener() {
        return () -> {
            opened++;
            closed = false;
            waiting.clear();
            return this;
        };
    }

    @Override
    public void send(byte[] message) {
        asked++;
        sequence = Message.split(message).getFirst().sequence();
        waiting.addAll(answers.remove());
    }

    @Override
    public Optional<Datagram> receive(int milliseconds) {
        return waiting.isEmpty()
                ? Optional.empty()
                : Optional.of(waiting.remove().take(sequence));
    }

    @Override
    public int portId() {
        return PORT;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
    }

    /** A datagram of messages from the kernel. */
    static Datagram datagram(byte[]... messages) {
        int length = Arrays.stream(messages).mapToInt(m -> m.length).sum();
        ByteBuffer bytes = ByteBuffer.allocate(length);
        for (byte[] message : messages) {
            bytes.put(message);
        }
        return new Datagram(bytes.array(), 0, false);
    }

    /** A part of an answer that holds one byte, and is followed by more. */
    static byte[] item(int sequence, int value, int flags) {
        return message(99, Message.NLM_F_MULTI | flags, sequence, PORT, new byte[] {(byte) value, 0, 0, 0});
    }

    /** The end of a dump. */
    static byte[] done(int sequence, int flags) {
        return message(Message.NLMSG_DONE, Message.NLM_F_MULTI | flags, sequence, PORT, new byte[4]);
    }

    static byte[] refusal(int sequence, int errno) {
        byte[] body = ByteBuffer.allocate(20)
                .order(ByteOrder.nativeOrder())
                .putInt(-errno)
                .array();
        return message(Message.NLMSG_ERROR, 0, sequence, PORT, body);
    }

    static byte[] message(int type, int flags, int sequence, int port, byte[] body) {
        return ByteBuffer.allocate(16 + body.length)
                .order(ByteOrder.nativeOrder())
                .putInt(16 + body.length)
                .putShort((short) type)
                .putShort((short) flags)
                .putInt(sequence)
                .putInt(port)
                .put(body)
                .array();
    }
}
