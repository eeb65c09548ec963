package li.wlz.kuport.netlink;

import java.util.Optional;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;

/** RTM_*ADDR of rtnetlink(7): {@code struct ifaddrmsg} and IFA_* of linux/if_addr.h. */
public final class AddressMessages {
    private static final int RTM_NEWADDR = 20;
    private static final int RTM_DELADDR = 21;
    private static final int RTM_GETADDR = 22;

    /** sizeof(struct ifaddrmsg): family, prefix length, flags, scope, index. */
    private static final int HEADER = 8;

    private static final int PREFIX_LENGTH = 1;
    private static final int FLAGS = 2;
    private static final int SCOPE = 3;
    private static final int INDEX = 4;

    private static final int IFA_ADDRESS = 1;
    private static final int IFA_LOCAL = 2;
    private static final int IFA_FLAGS = 8;

    private AddressMessages() {}

    /** Asks for all addresses: {@code ip address show}. */
    public static byte[] dump() {
        return MessageWriter.request(RTM_GETADDR, Message.NLM_F_DUMP)
                .zeros(HEADER)
                .finish();
    }

    /**
     * An address, from an answer; empty for other messages, families and unknown devices.
     *
     * @throws MalformedMessageException if the message is not whole
     */
    public static Optional<Address> decode(Message message, Devices devices) {
        if (message.type() != RTM_NEWADDR) {
            return Optional.empty();
        }
        Attributes attributes = message.attributes(HEADER);
        Optional<IpFamily> family = Family.of(message.u8(0));
        Optional<String> device = devices.name(message.u32(INDEX));
        // With a peer, IFA_ADDRESS is the peer's; our own is then in IFA_LOCAL.
        Optional<IpAddress> address = attributes.address(IFA_LOCAL).or(() -> attributes.address(IFA_ADDRESS));
        if (family.isEmpty() || device.isEmpty() || address.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Address(
                device.get(),
                address.get(),
                message.u8(PREFIX_LENGTH),
                message.u8(SCOPE),
                attributes.u32(IFA_FLAGS, message.u8(FLAGS))));
    }

    static byte[] add(Address address, Devices devices) {
        return write(RTM_NEWADDR, Message.NLM_F_CREATE | Message.NLM_F_REPLACE, address, devices);
    }

    static byte[] delete(Address address, Devices devices) {
        return write(RTM_DELADDR, 0, address, devices);
    }

    private static byte[] write(int type, int flags, Address address, Devices devices) {
        return MessageWriter.request(type, flags | Message.NLM_F_ACK)
                .u8(Family.number(address.address().family()))
                .u8(address.prefixLength())
                .u8(0)
                .u8(address.scope())
                .u32(devices.indexOf(address.device()))
                .address(IFA_LOCAL, address.address())
                .address(IFA_ADDRESS, address.address())
                .u32(IFA_FLAGS, address.flags())
                .finish();
    }

    /** Whether a notification is about an address. */
    public static boolean concerns(Message message) {
        return message.type() == RTM_NEWADDR || message.type() == RTM_DELADDR;
    }
}
