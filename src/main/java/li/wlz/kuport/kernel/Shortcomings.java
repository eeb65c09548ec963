package li.wlz.kuport.kernel;

import static li.wlz.kuport.model.NodeReason.NftablesUnavailable;
import static li.wlz.kuport.model.NodeReason.PermissionMissing;
import static li.wlz.kuport.model.NodeReason.VxlanUnavailable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import li.wlz.kuport.ffm.Errno;
import li.wlz.kuport.ffm.NativeException;
import li.wlz.kuport.ffm.Nftables;
import li.wlz.kuport.ffm.NftablesException;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.netlink.LinkMessages;
import li.wlz.kuport.netlink.NftablesMessages;

/** What this kernel lacks or denies us, found by asking without changing anything. */
final class Shortcomings {
    private final Conversation routing;
    private final Conversation netfilter;

    Shortcomings(Conversation routing, Conversation netfilter) {
        this.routing = routing;
        this.netfilter = netfilter;
    }

    /**
     * Asks.
     *
     * @param nftables the library; empty where it is missing, for the reason given
     * @param reason why it is missing
     */
    List<NodeProblem> find(Optional<Nftables> nftables, String reason) {
        int errno = netfilterRefusal();
        if (errno == Errno.EPERM) {
            return List.of(new NodeProblem(
                    PermissionMissing,
                    "the kernel lets this process change no network settings (" + Errno.describe(errno)
                            + "): run it with user id 0 and the capability NET_ADMIN"));
        }
        List<NodeProblem> problems = new ArrayList<>();
        if (errno != 0) {
            problems.add(new NodeProblem(
                    NftablesUnavailable,
                    "the kernel has no nftables (" + Errno.describe(errno) + "): load the module nf_tables"));
        } else if (nftables.isEmpty()) {
            problems.add(new NodeProblem(NftablesUnavailable, reason));
        } else {
            new ExpressionProbe(nftables.get())
                    .missing(ExpressionProbe.NEEDED)
                    .forEach(part -> problems.add(new NodeProblem(NftablesUnavailable, "the kernel lacks " + part)));
        }
        if (routing.request(LinkMessages.probeVxlan(Ours.LINK_DEVICE)).errno() == Errno.EOPNOTSUPP) {
            problems.add(new NodeProblem(VxlanUnavailable, "the kernel has no VXLAN: load the module vxlan"));
        }
        return problems;
    }

    private int netfilterRefusal() {
        try {
            netfilter.get(NftablesMessages.generation(), "the ruleset's generation");
            return 0;
        } catch (NativeException e) {
            return e.errno();
        }
    }

    /** Opens the library, or says why there is none. */
    record Library(Optional<Nftables> nftables, String reason) {
        static Library open() {
            try {
                return new Library(Optional.of(Nftables.open()), "");
            } catch (NftablesException e) {
                return new Library(Optional.empty(), String.valueOf(e.getMessage()));
            }
        }
    }
}
