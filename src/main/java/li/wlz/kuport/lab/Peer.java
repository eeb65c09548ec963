package li.wlz.kuport.lab;

import java.net.InetSocketAddress;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;

/** One end of a conversation: {@code 198.51.100.7:40000} or {@code [2001:db8:1::7]:40000}. */
public record Peer(IpAddress address, int port) {
    static Peer of(InetSocketAddress socket) {
        return new Peer(IpAddress.of(socket.getAddress().getAddress()), socket.getPort());
    }

    InetSocketAddress socketAddress() {
        return new InetSocketAddress(address.toInetAddress(), port);
    }

    @Override
    public String toString() {
        return address.family() == IpFamily.IPV4 ? address + ":" + port : "[" + address + "]:" + port;
    }
}
