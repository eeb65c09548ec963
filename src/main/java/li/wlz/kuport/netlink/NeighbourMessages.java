package li.wlz.kuport.netlink;

import java.util.Optional;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.MacAddress;
import li.wlz.kuport.model.Ours;

/** RTM_*NEIGH of rtnetlink(7): {@code struct ndmsg} and NDA_* of linux/neighbour.h, for neighbours and forwarding databases. */
public final class NeighbourMessages {
    static final int RTM_NEWNEIGH = 28;
    static final int RTM_DELNEIGH = 29;
    private static final int RTM_GETNEIGH = 30;

    /** sizeof(struct ndmsg): family, padding, index, state, flags, type. */
    private static final int HEADER = 12;

    private static final int INDEX = 4;
    private static final int STATE = 8;

    private static final int NDA_DST = 1;
    private static final int NDA_LLADDR = 2;
    private static final int NDA_IFINDEX = 8;
    private static final int NDA_PROTOCOL = 12;
    private static final int NUD_PERMANENT = 0x80;
    private static final int NTF_SELF = 0x02;

    private NeighbourMessages() {}

    /** Asks for the neighbours on a device: {@code ip neigh show dev NAME}. */
    public static byte[] dumpNeighbours(int device) {
        return dump(Family.AF_UNSPEC, device);
    }

    /** Asks for the forwarding database of a device: {@code bridge fdb show dev NAME}. */
    public static byte[] dumpForwarding(int device) {
        return dump(Family.AF_BRIDGE, device);
    }

    private static byte[] dump(int family, int device) {
        return MessageWriter.request(RTM_GETNEIGH, Message.NLM_F_DUMP)
                .u8(family)
                .zeros(HEADER - 1)
                .u32(NDA_IFINDEX, device)
                .finish();
    }

    /**
     * A permanent neighbour, from an answer; empty for other messages and for what the kernel learned.
     *
     * @throws MalformedMessageException if the message is not whole
     */
    public static Optional<Neighbour> decodeNeighbour(Message message, Devices devices) {
        if (message.type() != RTM_NEWNEIGH) {
            return Optional.empty();
        }
        Attributes attributes = message.attributes(HEADER);
        if (Family.of(message.u8(0)).isEmpty()) {
            return Optional.empty();
        }
        Optional<Entry> entry = entry(message, attributes, devices);
        return entry.map(e -> new Neighbour(e.device, e.address, e.mac));
    }

    /**
     * A permanent forwarding entry with a destination, from an answer; empty for other messages.
     *
     * @throws MalformedMessageException if the message is not whole
     */
    public static Optional<ForwardingEntry> decodeForwarding(Message message, Devices devices) {
        if (message.type() != RTM_NEWNEIGH) {
            return Optional.empty();
        }
        Attributes attributes = message.attributes(HEADER);
        if (message.u8(0) != Family.AF_BRIDGE) {
            return Optional.empty();
        }
        Optional<Entry> entry = entry(message, attributes, devices);
        return entry.map(e -> new ForwardingEntry(e.device, e.mac, e.address));
    }

    private record Entry(String device, IpAddress address, MacAddress mac) {}

    private static Optional<Entry> entry(Message message, Attributes attributes, Devices devices) {
        Optional<String> device = devices.name(message.u32(INDEX));
        Optional<IpAddress> address = attributes.address(NDA_DST);
        Optional<byte[]> mac = attributes.bytes(NDA_LLADDR).filter(bytes -> bytes.length == 6);
        boolean permanent = (message.u16(STATE) & NUD_PERMANENT) != 0;
        if (!permanent || device.isEmpty() || address.isEmpty() || mac.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Entry(device.get(), address.get(), MacAddress.of(mac.get())));
    }

    static byte[] add(Neighbour neighbour, Devices devices) {
        return write(
                RTM_NEWNEIGH,
                Message.NLM_F_CREATE | Message.NLM_F_REPLACE,
                Family.number(neighbour.address().family()),
                devices.indexOf(neighbour.device()),
                0,
                neighbour.address(),
                neighbour.mac(),
                true);
    }

    static byte[] delete(Neighbour neighbour, Devices devices) {
        return write(
                RTM_DELNEIGH,
                0,
                Family.number(neighbour.address().family()),
                devices.indexOf(neighbour.device()),
                0,
                neighbour.address(),
                neighbour.mac(),
                false);
    }

    static byte[] add(ForwardingEntry entry, Devices devices) {
        return write(
                RTM_NEWNEIGH,
                Message.NLM_F_CREATE | Message.NLM_F_REPLACE,
                Family.AF_BRIDGE,
                devices.indexOf(entry.device()),
                NTF_SELF,
                entry.destination(),
                entry.mac(),
                false);
    }

    static byte[] delete(ForwardingEntry entry, Devices devices) {
        return write(
                RTM_DELNEIGH,
                0,
                Family.AF_BRIDGE,
                devices.indexOf(entry.device()),
                NTF_SELF,
                entry.destination(),
                entry.mac(),
                false);
    }

    private static byte[] write(
            int type,
            int flags,
            int family,
            int device,
            int entryFlags,
            IpAddress address,
            MacAddress mac,
            boolean protocol) {
        MessageWriter writer = MessageWriter.request(type, flags | Message.NLM_F_ACK)
                .u8(family)
                .zeros(INDEX - 1)
                .u32(device)
                .u16(NUD_PERMANENT)
                .u8(entryFlags)
                .u8(0)
                .address(NDA_DST, address)
                .bytes(NDA_LLADDR, mac.bytes());
        if (protocol) {
            writer.u8(NDA_PROTOCOL, Ours.ROUTE_PROTOCOL);
        }
        return writer.finish();
    }

    /**
     * Whether a notification is about a device's forwarding database, or a neighbour there that somebody changed.
     *
     * <p>What the kernel learns about neighbours by itself is constant noise; it never touches permanent ones but with their device.
     *
     * @throws MalformedMessageException if the message is not whole
     */
    public static boolean concerns(Message message, int device) {
        if (message.type() != RTM_NEWNEIGH && message.type() != RTM_DELNEIGH) {
            return false;
        }
        message.require(HEADER);
        boolean somebody = message.portId() != 0 || message.u8(0) == Family.AF_BRIDGE;
        return message.u32(INDEX) == device && somebody;
    }
}
