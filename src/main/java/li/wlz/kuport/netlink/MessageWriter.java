package li.wlz.kuport.netlink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;
import li.wlz.kuport.model.IpAddress;

/** Puts a request together: header, fixed part, attributes. Its sequence number is left 0 for the sender. */
final class MessageWriter {
    private static final int NLA_F_NESTED = 0x8000;

    private ByteBuffer bytes = ByteBuffer.allocate(256).order(ByteOrder.nativeOrder());

    private MessageWriter() {}

    /** Begins a request. */
    static MessageWriter request(int type, int flags) {
        return new MessageWriter()
                .u32(0)
                .u16(type)
                .u16(flags | Message.NLM_F_REQUEST)
                .u32(0)
                .u32(0);
    }

    MessageWriter u8(int value) {
        room(1).put((byte) value);
        return this;
    }

    MessageWriter u16(int value) {
        room(2).putShort((short) value);
        return this;
    }

    MessageWriter u32(int value) {
        room(4).putInt(value);
        return this;
    }

    MessageWriter zeros(int count) {
        return bytes(new byte[count]);
    }

    MessageWriter bytes(byte[] value) {
        room(value.length).put(value);
        return this;
    }

    MessageWriter u8(int type, int value) {
        return attribute(type, inside -> inside.u8(value));
    }

    MessageWriter u32(int type, int value) {
        return attribute(type, inside -> inside.u32(value));
    }

    /** A number of two bytes in network order. */
    MessageWriter be16(int type, int value) {
        return attribute(type, inside -> inside.u8(value >>> 8).u8(value));
    }

    /** A number of four bytes in network order. */
    MessageWriter be32(int type, int value) {
        return attribute(
                type,
                inside ->
                        inside.u8(value >>> 24).u8(value >>> 16).u8(value >>> 8).u8(value));
    }

    /** Text with its zero byte. */
    MessageWriter string(int type, String value) {
        return attribute(
                type,
                inside -> inside.bytes(value.getBytes(StandardCharsets.UTF_8)).u8(0));
    }

    MessageWriter address(int type, IpAddress value) {
        return bytes(type, value.bytes());
    }

    MessageWriter bytes(int type, byte[] value) {
        return attribute(type, inside -> inside.bytes(value));
    }

    /** An attribute that holds attributes. */
    MessageWriter nested(int type, Consumer<MessageWriter> attributes) {
        return attribute(type | NLA_F_NESTED, attributes);
    }

    private MessageWriter attribute(int type, Consumer<MessageWriter> value) {
        int start = bytes.position();
        u16(0).u16(type);
        value.accept(this);
        int length = bytes.position() - start;
        if (length > 0xffff) {
            throw new IllegalArgumentException("an attribute of " + length + " bytes; 65535 are possible");
        }
        bytes.putShort(start, (short) length);
        return zeros(Message.aligned(length) - length);
    }

    private ByteBuffer room(int more) {
        if (bytes.remaining() < more) {
            bytes = ByteBuffer.wrap(Arrays.copyOf(bytes.array(), (bytes.position() + more) * 2))
                    .order(ByteOrder.nativeOrder())
                    .position(bytes.position());
        }
        return bytes;
    }

    /** The message, with its length in its header. */
    byte[] finish() {
        bytes.putInt(0, bytes.position());
        return Arrays.copyOf(bytes.array(), bytes.position());
    }
}
