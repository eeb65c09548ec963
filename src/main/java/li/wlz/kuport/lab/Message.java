package li.wlz.kuport.lab;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32;
import li.wlz.kuport.model.IpAddress;

/**
 * What clients and echo servers of the lab say to each other; the same over TCP, where messages follow each other, and UDP.
 *
 * <pre>
 * request: length (4), wanted length of the answer (4), id (8), filler
 * answer:  length (4), id (8), length of the request (4), CRC-32 of the request (4),
 *          the sender as the server saw it: port (2), bytes of the address (1), address; bytes of the label (1), label; filler
 * </pre>
 *
 * <p>Lengths are those of the whole message, in bytes; numbers in network order; byte n of a message's filler is {@code id + n}.
 */
final class Message {
    /** The shortest request, in bytes. */
    static final int SHORTEST = 16;

    private static final int LONGEST = 64 << 20;

    private Message() {}

    /** A request as its receiver reads it. */
    record Request(int answerLength, long id, int length, int checksum) {}

    /** An answer as its receiver reads it. */
    record Echo(long id, int requestLength, int requestChecksum, Peer seen, String label) {}

    /**
     * @throws IllegalArgumentException if the length is less than {@link #SHORTEST}
     */
    static byte[] request(long id, int length, int answerLength) {
        if (length < SHORTEST) {
            throw new IllegalArgumentException("a request has at least " + SHORTEST + " bytes, not " + length);
        }
        byte[] message = new byte[length];
        ByteBuffer.wrap(message).putInt(length).putInt(answerLength).putLong(id);
        return filled(message, SHORTEST, id);
    }

    /**
     * @throws LabException if it is not whole, or is no request
     */
    static Request readRequest(byte[] bytes) {
        checkLength(bytes, SHORTEST);
        ByteBuffer buffer = ByteBuffer.wrap(bytes).position(4);
        return new Request(buffer.getInt(), buffer.getLong(), bytes.length, checksum(bytes));
    }

    /** The answer to a request; longer than asked for, if what it has to say is. */
    static byte[] answer(Request request, Peer sender, String label) {
        byte[] address = sender.address().bytes();
        byte[] name = label.getBytes(StandardCharsets.UTF_8);
        int needed = 4 + 8 + 4 + 4 + 2 + 1 + address.length + 1 + name.length;
        byte[] message = new byte[Math.max(needed, request.answerLength())];
        ByteBuffer buffer = ByteBuffer.wrap(message);
        buffer.putInt(message.length)
                .putLong(request.id())
                .putInt(request.length())
                .putInt(request.checksum());
        buffer.putShort((short) sender.port()).put((byte) address.length).put(address);
        buffer.put((byte) name.length).put(name);
        return filled(message, needed, request.id());
    }

    /**
     * @throws LabException if it is not whole, or not as the server wrote it
     */
    static Echo readAnswer(byte[] bytes) {
        checkLength(bytes, 28);
        ByteBuffer buffer = ByteBuffer.wrap(bytes).position(4);
        long id = buffer.getLong();
        int requestLength = buffer.getInt();
        int requestChecksum = buffer.getInt();
        int port = Short.toUnsignedInt(buffer.getShort());
        byte[] address = new byte[buffer.get()];
        buffer.get(address);
        byte[] label = new byte[Byte.toUnsignedInt(buffer.get())];
        buffer.get(label);
        if (!Arrays.equals(filled(bytes.clone(), buffer.position(), id), bytes)) {
            throw new LabException("an answer of " + bytes.length + " bytes was changed on its way");
        }
        return new Echo(
                id,
                requestLength,
                requestChecksum,
                new Peer(IpAddress.of(address), port),
                new String(label, StandardCharsets.UTF_8));
    }

    /**
     * The length that a message's first four bytes tell.
     *
     * @throws LabException if no message has it
     */
    static int length(ByteBuffer start) {
        int length = start.getInt(0);
        if (length < SHORTEST || length > LONGEST) {
            throw new LabException("this is no message of the lab's: it claims a length of " + length);
        }
        return length;
    }

    static int checksum(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private static byte[] filled(byte[] message, int from, long id) {
        for (int i = from; i < message.length; i++) {
            message[i] = (byte) (id + i);
        }
        return message;
    }

    private static void checkLength(byte[] bytes, int least) {
        if (bytes.length < least || ByteBuffer.wrap(bytes).getInt() != bytes.length) {
            throw new LabException("a message of " + bytes.length + " bytes is not whole");
        }
    }
}
