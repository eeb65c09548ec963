package li.wlz.kuport.kernel;

import java.util.ArrayList;
import java.util.List;
import li.wlz.kuport.ffm.Errno;
import li.wlz.kuport.ffm.NativeException;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Listener;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.netlink.Devices;
import li.wlz.kuport.netlink.SocketMessages;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The host's bound sockets: {@code ss -tuln}. */
final class BoundSockets {
    private static final Logger LOG = LoggerFactory.getLogger(BoundSockets.class);

    private final Conversation conversation;
    private boolean complained;

    BoundSockets(Conversation conversation) {
        this.conversation = conversation;
    }

    /** Listening TCP and unconnected UDP sockets of both families. */
    List<Listener> read(Devices devices) {
        List<Listener> listeners = new ArrayList<>();
        for (Protocol protocol : Protocol.values()) {
            for (IpFamily family : IpFamily.values()) {
                listeners.addAll(read(protocol, family, devices));
            }
        }
        return listeners;
    }

    private List<Listener> read(Protocol protocol, IpFamily family, Devices devices) {
        try {
            return conversation.dumpEach(
                    SocketMessages.dump(protocol, family),
                    protocol + " sockets",
                    message -> SocketMessages.decode(message, protocol, devices));
        } catch (NativeException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
            complain(protocol, family);
            return List.of();
        }
    }

    /** Without the module delivery works, but a port that a host process listens on is not told. */
    private void complain(Protocol protocol, IpFamily family) {
        if (!complained) {
            complained = true;
            LOG.warn(
                    "the kernel does not list {} sockets of {} (module {}_diag): ports in use by the host are not noticed",
                    protocol,
                    family,
                    protocol.lowerCase());
        }
    }
}
