package li.wlz.kuport.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import li.wlz.kuport.ffm.Errno;
import li.wlz.kuport.ffm.NativeException;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.netlink.ConntrackMessages;
import li.wlz.kuport.netlink.Flow;
import li.wlz.kuport.reconcile.spi.NodeException;

/** The kernel's connection tracking table: {@code conntrack -L}, {@code conntrack -D}. */
final class ConntrackTable {
    private final Conversation conversation;

    ConntrackTable(Conversation conversation) {
        this.conversation = conversation;
    }

    /** All TCP and UDP entries. */
    List<Flow> flows() {
        return dump(ConntrackMessages.dump());
    }

    /** The marks of ours that entries bear, whole. */
    SortedSet<Integer> marks(MarkSpace space) {
        byte[] request = ConntrackMessages.dump(space.base(), space.baseMask());
        TreeSet<Integer> marks = new TreeSet<>();
        for (Flow flow : dump(request)) {
            if (space.index(flow.mark()).isPresent()) {
                marks.add(flow.mark());
            }
        }
        return marks;
    }

    private List<Flow> dump(byte[] request) {
        try {
            return conversation.dumpEach(request, "the connection tracking table", ConntrackMessages::decode);
        } catch (NativeException e) {
            if (e.errno() == Errno.EINVAL) {
                throw new NodeException(
                        "the kernel does not list tracked connections: load the module nf_conntrack_netlink", e);
            }
            throw e;
        }
    }

    /** Deletes entries, those that are still there; returns what was refused. */
    List<String> delete(List<Flow> flows) {
        List<String> refused = new ArrayList<>();
        for (Flow flow : flows) {
            try {
                int errno = conversation.request(ConntrackMessages.delete(flow)).errno();
                if (errno != 0 && errno != Errno.ENOENT) {
                    refused.add("deleting " + flow + ": " + Errno.describe(errno));
                }
            } catch (NativeException | NodeException e) {
                refused.add("deleting " + flow + ": " + e.getMessage());
            }
        }
        return refused;
    }
}
