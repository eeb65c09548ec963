package li.wlz.kuport.kernel;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.netlink.Message;
import li.wlz.kuport.netlink.NftablesMessages;

/**
 * Tells others' changes of our table from our own, by the generations of the ruleset.
 *
 * <p>The kernel announces each transaction by its parts, then by the generation that it made. Other tables' transactions, which
 * kube-proxy makes all day, end here.
 */
final class TableWatch {
    private final Runnable foreign;
    private final Set<Integer> own = new HashSet<>();
    private final List<Integer> seenMeanwhile = new ArrayList<>();
    private boolean committing;
    private boolean touched;

    /** @param foreign called when somebody else changed our table; it returns at once */
    TableWatch(Runnable foreign) {
        this.foreign = foreign;
    }

    /** Takes a notification of NFNLGRP_NFTABLES. */
    synchronized void take(Message message) {
        OptionalInt generation = NftablesMessages.decodeGeneration(message);
        if (generation.isEmpty()) {
            touched |= NftablesMessages.concerns(message, Ours.TABLE);
        } else if (touched) {
            touched = false;
            judge(generation.getAsInt());
        }
    }

    private void judge(int generation) {
        if (committing) {
            // Whose it is will be known when our own script has ended.
            seenMeanwhile.add(generation);
        } else if (!own.remove(generation)) {
            foreign.run();
        }
    }

    /** Notifications were lost: those of our own transactions may be among them. */
    synchronized void forget() {
        touched = false;
        own.clear();
    }

    /** Called before a script of ours. */
    synchronized void begin() {
        committing = true;
    }

    /** Called after it, with the generation that is ours for certain. */
    synchronized void end(OptionalInt made) {
        committing = false;
        made.ifPresent(own::add);
        List<Integer> seen = List.copyOf(seenMeanwhile);
        seenMeanwhile.clear();
        seen.forEach(this::judge);
    }
}
