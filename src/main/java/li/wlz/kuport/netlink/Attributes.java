package li.wlz.kuport.netlink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import li.wlz.kuport.model.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a message by their types: {@code struct nlattr} of linux/netlink.h. Those that nobody asks for are skipped.
 *
 * <p>Reading one that is too short throws {@link MalformedMessageException}.
 */
final class Attributes {
    private static final int HEADER = 4;

    /** Without NLA_F_NESTED and NLA_F_NET_BYTEORDER. */
    private static final int TYPE_MASK = 0x3fff;

    private final Map<Integer, ByteBuffer> values;

    private Attributes(Map<Integer, ByteBuffer> values) {
        this.values = values;
    }

    /** Reads attributes from a position to the end; of two of one type the last counts, as in the kernel. */
    static Attributes parse(ByteBuffer bytes, int start) {
        Map<Integer, ByteBuffer> values = new HashMap<>();
        int at = start;
        // Fewer bytes than a header has are padding.
        while (bytes.limit() - at >= HEADER) {
            int length = bytes.getShort(at) & 0xffff;
            if (length < HEADER || length > bytes.limit() - at) {
                throw new MalformedMessageException(
                        "an attribute of " + length + " bytes where there are " + (bytes.limit() - at));
            }
            int type = bytes.getShort(at + 2) & TYPE_MASK;
            values.put(type, bytes.slice(at + HEADER, length - HEADER).order(ByteOrder.nativeOrder()));
            at += Message.aligned(length);
        }
        return new Attributes(values);
    }

    boolean has(int type) {
        return values.containsKey(type);
    }

    int u8(int type, int absent) {
        ByteBuffer value = value(type, 1);
        return value == null ? absent : value.get(0) & 0xff;
    }

    int u32(int type, int absent) {
        ByteBuffer value = value(type, 4);
        return value == null ? absent : value.getInt(0);
    }

    /** A number of two bytes in network order, as netfilter and port numbers have it. */
    int be16(int type, int absent) {
        ByteBuffer value = value(type, 2);
        return value == null ? absent : (value.get(0) & 0xff) << 8 | (value.get(1) & 0xff);
    }

    /** A number of four bytes in network order. */
    int be32(int type, int absent) {
        ByteBuffer value = value(type, 4);
        if (value == null) {
            return absent;
        }
        int number = value.getInt(0);
        return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? number : Integer.reverseBytes(number);
    }

    /** Text up to the first zero byte. */
    String string(int type, String absent) {
        ByteBuffer value = values.get(type);
        if (value == null) {
            return absent;
        }
        byte[] bytes = bytes(value);
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    /** The value's bytes; empty if it is absent. */
    Optional<byte[]> bytes(int type) {
        return Optional.ofNullable(values.get(type)).map(Attributes::bytes);
    }

    /** An address of 4 or 16 bytes; empty if it is absent. */
    Optional<IpAddress> address(int type) {
        ByteBuffer value = values.get(type);
        if (value == null) {
            return Optional.empty();
        }
        if (value.limit() != 4 && value.limit() != 16) {
            throw new MalformedMessageException("an address of " + value.limit() + " bytes");
        }
        return Optional.of(IpAddress.of(bytes(value)));
    }

    /** The attributes inside one; none if it is absent. */
    Attributes nested(int type) {
        ByteBuffer value = values.get(type);
        return value == null ? new Attributes(Map.of()) : parse(value, 0);
    }

    /** The value as it is; empty if it is absent. */
    Optional<ByteBuffer> raw(int type) {
        return Optional.ofNullable(values.get(type));
    }

    private @Nullable ByteBuffer value(int type, int bytes) {
        ByteBuffer value = values.get(type);
        if (value != null && value.limit() < bytes) {
            throw new MalformedMessageException(
                    "attribute " + type + " has " + value.limit() + " bytes of the " + bytes + " it needs");
        }
        return value;
    }

    private static byte[] bytes(ByteBuffer value) {
        byte[] bytes = new byte[value.limit()];
        value.get(0, bytes);
        return bytes;
    }
}
