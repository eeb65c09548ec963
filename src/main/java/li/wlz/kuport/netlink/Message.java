package li.wlz.kuport.netlink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A netlink message as received: {@code struct nlmsghdr} of linux/netlink.h and what follows it.
 *
 * @param sequence that of the request that it answers, or that caused it
 * @param portId of the socket that it answers, or whose request caused it; 0 for the kernel's own doing
 * @param body what follows the header, in the machine's byte order; read at absolute positions only
 */
public record Message(int type, int flags, int sequence, int portId, ByteBuffer body) {
    /** Message types of linux/netlink.h. */
    public static final int NLMSG_NOOP = 1;

    public static final int NLMSG_ERROR = 2;
    public static final int NLMSG_DONE = 3;

    /** Flags of linux/netlink.h. */
    public static final int NLM_F_REQUEST = 0x1;

    public static final int NLM_F_MULTI = 0x2;
    public static final int NLM_F_ACK = 0x4;
    public static final int NLM_F_DUMP_INTR = 0x10;
    public static final int NLM_F_DUMP = 0x300;
    public static final int NLM_F_REPLACE = 0x100;
    public static final int NLM_F_EXCL = 0x200;
    public static final int NLM_F_CREATE = 0x400;

    /** Flags of an NLMSG_ERROR or NLMSG_DONE. */
    private static final int NLM_F_CAPPED = 0x100;

    private static final int NLM_F_ACK_TLVS = 0x200;
    private static final int NLMSGERR_ATTR_MSG = 1;

    static final int HEADER = 16;
    private static final int SEQUENCE = 8;

    /**
     * The messages of one datagram.
     *
     * @throws MalformedMessageException if a length leads out of it, or bytes are left over
     */
    public static List<Message> split(byte[] datagram) {
        ByteBuffer bytes = ByteBuffer.wrap(datagram).order(ByteOrder.nativeOrder());
        List<Message> messages = new ArrayList<>();
        int at = 0;
        while (at < datagram.length) {
            int length = datagram.length - at < HEADER ? 0 : bytes.getInt(at);
            if (length < HEADER || length > datagram.length - at) {
                throw new MalformedMessageException(
                        "a message of " + length + " bytes at byte " + at + " of a datagram of " + datagram.length);
            }
            messages.add(new Message(
                    bytes.getShort(at + 4) & 0xffff,
                    bytes.getShort(at + 6) & 0xffff,
                    bytes.getInt(at + SEQUENCE),
                    bytes.getInt(at + 12),
                    bytes.slice(at + HEADER, length - HEADER).order(ByteOrder.nativeOrder())));
            // The last message of a datagram may come without its padding.
            at = Math.min(at + aligned(length), datagram.length);
        }
        return messages;
    }

    /** Writes the sequence number into a request. */
    public static void number(byte[] request, int sequence) {
        ByteBuffer.wrap(request).order(ByteOrder.nativeOrder()).putInt(SEQUENCE, sequence);
    }

    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** Attributes that follow a fixed header of so many bytes. */
    Attributes attributes(int header) {
        require(header);
        return Attributes.parse(body, Math.min(aligned(header), body.limit()));
    }

    /** Makes sure that the body has that many bytes. */
    void require(int bytes) {
        if (body.limit() < bytes) {
            throw new MalformedMessageException(
                    "a message of type " + type + " has " + body.limit() + " bytes of the " + bytes + " it needs");
        }
    }

    int u8(int at) {
        return body.get(at) & 0xff;
    }

    int u16(int at) {
        return body.getShort(at) & 0xffff;
    }

    int u32(int at) {
        return body.getInt(at);
    }

    /**
     * What an NLMSG_ERROR, or the NLMSG_DONE of a dump, says.
     *
     * @throws MalformedMessageException if it is cut short
     */
    public Answer answer() {
        if (type == NLMSG_DONE && body.limit() < Integer.BYTES) {
            return new Answer(0, "");
        }
        require(Integer.BYTES);
        return new Answer(-u32(0), has(NLM_F_ACK_TLVS) ? words() : "");
    }

    private String words() {
        int skip = Integer.BYTES;
        if (type == NLMSG_ERROR) {
            require(Integer.BYTES + HEADER);
            int request = Math.max(u32(Integer.BYTES), HEADER);
            skip += has(NLM_F_CAPPED) ? HEADER : Math.min(request, body.limit());
        }
        return attributes(skip).string(NLMSGERR_ATTR_MSG, "");
    }

    /**
     * What became of a request.
     *
     * @param errno 0 if it was carried out
     * @param words the kernel's own explanation; mostly empty
     */
    public record Answer(int errno, String words) {}

    static int aligned(int length) {
        return (length + 3) & ~3;
    }
}
