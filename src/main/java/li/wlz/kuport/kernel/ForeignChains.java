package li.wlz.kuport.kernel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import li.wlz.kuport.ffm.Nftables;
import li.wlz.kuport.ffm.NftablesException;
import li.wlz.kuport.nft.ForeignChain;
import li.wlz.kuport.nft.ForeignRule;
import li.wlz.kuport.nft.ForeignRuleset;

/** Reads the chains of others through libnftables: base chains first, then what they lead to, and never whole tables. */
final class ForeignChains {
    private static final Set<String> FAMILIES = Set.of("ip", "ip6", "inet");
    private static final Set<String> HOOKS = Set.of("prerouting", "input", "forward", "output", "postrouting");

    /** So many chains are read at most: whoever leads on to more has one for each of its Services. */
    private static final int MOST = 300;

    private final Nftables nftables;
    private final Map<String, ForeignChain> headers = new HashMap<>();
    private final Deque<ForeignChain> waiting = new ArrayDeque<>();
    private final List<ForeignChain> read = new ArrayList<>();

    ForeignChains(Nftables nftables) {
        this.nftables = nftables;
    }

    ForeignRuleset read() {
        for (ForeignChain header : ForeignChain.headers(nftables.list("list chains"))) {
            if (FAMILIES.contains(header.family())) {
                if (isOfInterest(header)) {
                    waiting.add(header);
                } else {
                    headers.put(header.address(), header);
                }
            }
        }
        while (!waiting.isEmpty() && read.size() < MOST) {
            take(waiting.remove());
        }
        return new ForeignRuleset(read);
    }

    /** Nat chains translate and do no more; they matter where they may come before ours. */
    private static boolean isOfInterest(ForeignChain chain) {
        return HOOKS.contains(chain.hook().hook())
                && (!chain.hook().type().equals("nat") || chain.hook().hook().equals("postrouting"));
    }

    private void take(ForeignChain header) {
        try {
            ForeignChain chain = header.with(nftables.print("list chain " + header.address()));
            read.add(chain);
            for (ForeignRule rule : chain.rules()) {
                ForeignChain target = headers.remove(chain.family() + " " + chain.table() + " " + rule.target());
                if (target != null) {
                    waiting.add(target);
                }
            }
        } catch (NftablesException e) {
            // It went away in the meantime, or bears a name that nft takes for a word of its own: nothing is known of
            // it.
        }
    }
}
