package li.wlz.kuport.kernel;

import li.wlz.kuport.netlink.Message;
import li.wlz.kuport.netlink.NftablesMessages;
import li.wlz.kuport.xtables.SaveListing;

/**
 * Notices changes of our chains in the tables of iptables, and of what leads to them, where nf_tables holds those tables.
 *
 * <p>Ours count as well: the pass that they cause finds nothing to do. The older backend tells nobody of changes.
 */
final class XtablesWatch {
    private final Runnable changed;
    private boolean touched;

    /** @param changed called at the end of such a transaction; it returns at once */
    XtablesWatch(Runnable changed) {
        this.changed = changed;
    }

    /** Takes a notification of NFNLGRP_NFTABLES, on the one thread that hands them on. */
    void take(Message message) {
        if (NftablesMessages.decodeGeneration(message).isEmpty()) {
            touched |= NftablesMessages.chain(message)
                    .filter(SaveListing::dependsOn)
                    .isPresent();
        } else if (touched) {
            touched = false;
            changed.run();
        }
    }
}
