package li.wlz.kuport.kernel;

import static li.wlz.kuport.ffm.Errno.EADDRNOTAVAIL;
import static li.wlz.kuport.ffm.Errno.EAFNOSUPPORT;
import static li.wlz.kuport.ffm.Errno.EEXIST;
import static li.wlz.kuport.ffm.Errno.ENODEV;
import static li.wlz.kuport.ffm.Errno.ENOENT;
import static li.wlz.kuport.ffm.Errno.ENXIO;
import static li.wlz.kuport.ffm.Errno.EPERM;
import static li.wlz.kuport.ffm.Errno.ESRCH;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import li.wlz.kuport.ffm.Errno;
import li.wlz.kuport.ffm.NativeException;
import li.wlz.kuport.netlink.Devices;
import li.wlz.kuport.netlink.Link;
import li.wlz.kuport.netlink.LinkMessages;
import li.wlz.kuport.netlink.Message;
import li.wlz.kuport.netlink.NoSuchDeviceException;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.netlink.RequestMessages;
import li.wlz.kuport.reconcile.spi.NodeException.Refusal;

/** Makes changes over rtnetlink, one request after the other; good for one list of requests. */
final class RoutingChanges {
    private final Conversation conversation;
    private final Asked devices = new Asked();

    RoutingChanges(Conversation conversation) {
        this.conversation = conversation;
    }

    /** Makes a change; present if it was refused. */
    Optional<Refusal> make(Request request) {
        try {
            return steps(request, RequestMessages.encode(request, devices));
        } catch (NoSuchDeviceException e) {
            return settled(request).contains(ENODEV)
                    ? Optional.empty()
                    : Optional.of(refusal(request, ENODEV, String.valueOf(e.getMessage())));
        }
    }

    private static Refusal refusal(Request request, int errno, String words) {
        String explained = words.isEmpty() ? "" : ": " + words;
        return new Refusal(request, errno == EPERM, request + ": " + Errno.describe(errno) + explained);
    }

    private Optional<Refusal> steps(Request request, List<byte[]> steps) {
        for (int step = 0; step < steps.size(); step++) {
            Message.Answer answer = conversation.request(steps.get(step));
            if (answer.errno() == 0 || dispensable(step, answer)) {
                continue;
            }
            if (step == 0 && settled(request).contains(answer.errno())) {
                return Optional.empty();
            }
            if (step > 0 && request instanceof Request.CreateVxlan create) {
                // Half a device would be taken for somebody else's.
                make(new Request.DeleteLink(create.name()));
            }
            return Optional.of(refusal(request, answer.errno(), answer.words()));
        }
        return Optional.empty();
    }

    /** A kernel without IPv6 refuses a device's IPv6 settings, and does not need them. */
    private static boolean dispensable(int step, Message.Answer answer) {
        return step > 0 && answer.errno() == EAFNOSUPPORT;
    }

    /** The errors by which the kernel says that there is nothing to do. */
    private static Set<Integer> settled(Request request) {
        return switch (request) {
            case Request.CreateVxlan _,
                    Request.AddAddress _,
                    Request.AddNeighbour _,
                    Request.AddForwardingEntry _,
                    Request.AddRoute _,
                    Request.AddRule _ -> Set.of(EEXIST);
            case Request.DeleteLink _ -> Set.of(ENODEV);
            // A device that became too short for IPv6 has lost its addresses (ENXIO).
            case Request.DeleteAddress _ -> Set.of(EADDRNOTAVAIL, ENODEV, ENXIO);
            case Request.DeleteNeighbour _, Request.DeleteForwardingEntry _ -> Set.of(ENOENT, ENODEV);
            case Request.DeleteRoute _ -> Set.of(ESRCH, ENODEV);
            case Request.DeleteRule _ -> Set.of(ENOENT);
            case Request.SetMtu _, Request.SetUp _, Request.SetRpFilter _, Request.SetVxlanLocal _ -> Set.of();
        };
    }

    /** Devices by the kernel's word at the time, since an earlier request may have made one. */
    private final class Asked implements Devices {
        private final Map<String, Link> known = new HashMap<>();

        @Override
        public OptionalInt index(String name) {
            Link link = known.get(name);
            if (link == null) {
                try {
                    Message answer = conversation.get(LinkMessages.get(name), "device " + name);
                    link = LinkMessages.decode(answer).orElseThrow();
                    known.put(name, link);
                } catch (NativeException e) {
                    if (e.errno() == ENODEV) {
                        return OptionalInt.empty();
                    }
                    throw e;
                }
            }
            return OptionalInt.of(link.index());
        }

        @Override
        public Optional<String> name(int index) {
            return known.values().stream()
                    .filter(link -> link.index() == index)
                    .map(Link::name)
                    .findFirst();
        }
    }
}
