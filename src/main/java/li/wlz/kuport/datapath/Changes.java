package li.wlz.kuport.datapath;

import java.util.List;
import java.util.Optional;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.xtables.Restore;

/**
 * What makes a kernel have what is wanted, to be applied in the order of the components.
 *
 * @param before what new rules will lead to: device, addresses, neighbours, routes, ip rules
 * @param script for nft, one transaction; empty where the table is as wanted
 * @param listing how the table lists once the script has run
 * @param restores for the tables of iptables
 * @param after what nothing leads to any more
 */
public record Changes(
        List<Request> before, Optional<String> script, Listing listing, List<Restore> restores, List<Request> after) {
    public Changes {
        before = List.copyOf(before);
        restores = List.copyOf(restores);
        after = List.copyOf(after);
    }

    /** Whether the kernel has what is wanted. */
    public boolean isEmpty() {
        return before.isEmpty() && script.isEmpty() && restores.isEmpty() && after.isEmpty();
    }
}
