package li.wlz.kuport.delivery;

import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Settings;

/**
 * A datagram as only nodes should send it: VXLAN (RFC 7348), in it an Ethernet frame, in it a UDP packet, put together by hand.
 *
 * @param from the frame's sender, {@code 6a:...}
 * @param to the frame's receiver
 * @param source whom the packet claims to come from
 * @param sourcePort by which the test knows it again
 */
record Forgery(String from, String to, IpAddress source, int sourcePort, IpAddress destination, int port) {
    private static final int ETHERNET_HEADER = 14;
    private static final int UDP_HEADER = 8;
    private static final int UDP = 17;
    private static final byte[] PAYLOAD = new byte[64];

    /** The MAC address of a node's link device. */
    static String mac(MeshNode node) {
        return found(node.namespace().run("ip", "-o", "link", "show", "kup0"), "link/ether ([0-9a-f:]+)");
    }

    /** A link address that a node delivers a UDP port of. */
    static IpAddress linkAddress(MeshNode node, IpFamily family, int port) {
        String map = node.namespace().run("nft", "list", "map", "inet", "kuport", "deliver" + family.digit());
        return IpAddress.parse(found(map, "([0-9a-f.:]+) \\. udp \\. " + port + " "));
    }

    private static String found(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        if (!matcher.find()) {
            throw new AssertionError("no " + pattern + " in " + text);
        }
        return matcher.group(1);
    }

    Forgery from(String mac) {
        return new Forgery(mac, to, source, sourcePort, destination, port);
    }

    Forgery sourcePort(int number) {
        return new Forgery(from, to, source, number, destination, port);
    }

    Forgery destination(IpAddress address) {
        return new Forgery(from, to, source, sourcePort, address, port);
    }

    /** Sends it three times. */
    void send(Namespace sender, IpAddress receiver) {
        send(sender, Optional.empty(), receiver);
    }

    /** Sends it three times, from an address that the sender has. */
    void send(Namespace sender, Optional<IpAddress> outerSource, IpAddress receiver) {
        sender.call(() -> {
            try (DatagramChannel channel = DatagramChannel.open(
                    receiver.family() == IpFamily.IPV4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6)) {
                if (outerSource.isPresent()) {
                    channel.bind(new InetSocketAddress(outerSource.get().toInetAddress(), 0));
                }
                InetSocketAddress link = new InetSocketAddress(receiver.toInetAddress(), Settings.DEFAULT_LINK_PORT);
                for (int time = 0; time < 3; time++) {
                    channel.send(ByteBuffer.wrap(datagram()), link);
                }
            }
            return true;
        });
    }

    private byte[] datagram() {
        byte[] packet = packet();
        ByteBuffer buffer = ByteBuffer.allocate(8 + ETHERNET_HEADER + packet.length);
        buffer.putInt(0x08000000).putInt(Settings.DEFAULT_VNI << 8);
        buffer.put(bytes(to)).put(bytes(from)).putShort((short) (source.family() == IpFamily.IPV4 ? 0x0800 : 0x86dd));
        return buffer.put(packet).array();
    }

    private static byte[] bytes(String mac) {
        return HexFormat.ofDelimiter(":").parseHex(mac);
    }

    private byte[] packet() {
        int length = UDP_HEADER + PAYLOAD.length;
        ByteBuffer udp = ByteBuffer.allocate(length);
        udp.putShort((short) sourcePort)
                .putShort((short) port)
                .putShort((short) length)
                .putShort((short) 0);
        udp.put(PAYLOAD);
        byte[] addresses = ByteBuffer.allocate(2 * source.bytes().length)
                .put(source.bytes())
                .put(destination.bytes())
                .array();
        udp.putShort(6, checksum(addresses, new byte[] {0, UDP, 0, (byte) length}, udp.array()));
        return source.family() == IpFamily.IPV4 ? ip4(addresses, udp.array()) : ip6(addresses, udp.array());
    }

    private static byte[] ip4(byte[] addresses, byte[] udp) {
        ByteBuffer header = ByteBuffer.allocate(20);
        header.putShort((short) 0x4500).putShort((short) (20 + udp.length)).putInt(0);
        header.put((byte) 64).put((byte) UDP).putShort((short) 0).put(addresses);
        header.putShort(10, checksum(header.array()));
        return ByteBuffer.allocate(20 + udp.length).put(header.array()).put(udp).array();
    }

    private static byte[] ip6(byte[] addresses, byte[] udp) {
        return ByteBuffer.allocate(40 + udp.length)
                .putInt(0x60000000)
                .putShort((short) udp.length)
                .put((byte) UDP)
                .put((byte) 64)
                .put(addresses)
                .put(udp)
                .array();
    }

    /** RFC 1071, of parts of even length. */
    private static short checksum(byte[]... parts) {
        int sum = 0;
        for (byte[] part : parts) {
            ByteBuffer words = ByteBuffer.wrap(part);
            while (words.hasRemaining()) {
                sum += Short.toUnsignedInt(words.getShort());
            }
        }
        while (sum > 0xffff) {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        return (short) ~sum;
    }
}
