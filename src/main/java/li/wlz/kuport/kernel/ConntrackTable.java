package li.wlz.kuport.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import li.wlz.kuport.ffm.Errno;
import li.wlz.kuport.ffm.NativeException;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.netlink.ConntrackMessages;
import li.wlz.kuport.netlink.Flow;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.reconcile.spi.NodeException;

/** The kernel's connection tracking table: {@code conntrack -L}, {@code conntrack -D}. */
final class ConntrackTable {
    /** Of thousands that are refused, mostly for one reason, so many are named. */
    private static final int NAMED = 5;

    private final Conversation conversation;

    ConntrackTable(Conversation conversation) {
        this.conversation = conversation;
    }

    /** TCP and UDP entries, as {@link Node#flows}. */
    Node.FoundFlows flows(Predicate<Flow> wanted, int most) {
        List<Flow> some = new ArrayList<>();
        AtomicInteger all = new AtomicInteger();
        Runnable afresh = () -> {
            some.clear();
            all.set(0);
        };
        dump(ConntrackMessages.dump(), afresh, flow -> {
            if (wanted.test(flow) && all.incrementAndGet() <= most) {
                some.add(flow);
            }
        });
        return new Node.FoundFlows(some, all.get());
    }

    /** The marks of ours that entries bear, whole. */
    SortedSet<Integer> marks(MarkSpace space) {
        byte[] request = ConntrackMessages.dump(space.base(), space.baseMask());
        TreeSet<Integer> marks = new TreeSet<>();
        dump(request, marks::clear, flow -> {
            if (space.index(flow.mark()).isPresent()) {
                marks.add(flow.mark());
            }
        });
        return marks;
    }

    private void dump(byte[] request, Runnable afresh, Consumer<Flow> each) {
        try {
            conversation.dump(
                    request,
                    "the connection tracking table",
                    afresh,
                    message -> ConntrackMessages.decode(message).ifPresent(each));
        } catch (NativeException e) {
            if (e.errno() == Errno.EINVAL) {
                throw new NodeException(
                        "the kernel does not list tracked connections: load the module nf_conntrack_netlink", e);
            }
            throw e;
        }
    }

    /**
     * Deletes entries, those that are still there. Each is tried, whatever becomes of those before it.
     *
     * @throws NodeException if any was refused
     */
    void delete(List<Flow> flows) {
        List<String> refused = new ArrayList<>();
        boolean forbidden = false;
        for (Flow flow : flows) {
            try {
                int errno = conversation.request(ConntrackMessages.delete(flow)).errno();
                if (errno != 0 && errno != Errno.ENOENT) {
                    forbidden |= errno == Errno.EPERM;
                    refused.add("deleting " + flow + ": " + Errno.describe(errno));
                }
            } catch (NativeException | NodeException e) {
                refused.add("deleting " + flow + ": " + e.getMessage());
            }
        }
        if (!refused.isEmpty()) {
            String more = refused.size() > NAMED ? "; and " + (refused.size() - NAMED) + " more" : "";
            throw new NodeException(
                    "the kernel refused: " + String.join("; ", refused.subList(0, Math.min(NAMED, refused.size())))
                            + more,
                    forbidden,
                    null);
        }
    }
}
