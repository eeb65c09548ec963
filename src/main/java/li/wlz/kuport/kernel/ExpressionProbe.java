package li.wlz.kuport.kernel;

import java.util.ArrayList;
import java.util.List;
import li.wlz.kuport.ffm.Nftables;
import li.wlz.kuport.ffm.NftablesException;

/**
 * Asks the kernel for each part of nftables that our rules need, by rules that are checked and never made.
 *
 * <p>A kernel without one of them refuses the whole ruleset with "No such file or directory", which names nothing.
 */
final class ExpressionProbe {
    /**
     * A part of nftables.
     *
     * @param name what a person may look for: the expression, and the kernel module that brings it
     * @param commands what needs it, within {@code table inet kuport-probe}
     */
    record Part(String name, String commands) {}

    private static final String TABLE = "inet kuport-probe";

    /** All that the rules of docs/datapath.md use. */
    static final List<Part> NEEDED = List.of(
            rule("connection tracking (nft_ct)", "ct mark set ct mark & 0x000fff00 | 0x6b700001"),
            rule("counters", "counter"),
            rule("limits (nft_limit)", "limit rate 100/second accept"),
            rule("fib lookups (nft_fib_inet)", "fib saddr . iif oif exists accept"),
            rule("rejects (nft_reject_inet)", "meta l4proto tcp reject with tcp reset"),
            rule("writes to a packet (nft_payload)", "ip daddr set 192.0.2.1"),
            rule("TCP option writes (nft_exthdr)", "tcp flags syn tcp option maxseg size set 1330"),
            rule("route lookups (nft_rt)", "tcp flags syn tcp option maxseg size set rt mtu"),
            new Part(
                    "verdict maps (nft_set_hash)",
                    "add map " + TABLE + " v { type mark : verdict; }\nadd rule " + TABLE + " c meta mark vmap @v\n"),
            new Part(
                    "maps of port ranges (nft_set_pipapo)",
                    "add map " + TABLE
                            + " r { type ipv4_addr . inet_proto . inet_service : ipv4_addr; flags interval; }\n"),
            chain(
                    "address translation (nft_nat, nft_chain_nat)",
                    "nat hook prerouting priority dstnat - 19",
                    "dnat ip to 192.0.2.1"),
            chain(
                    "IPv6 address translation (nft_nat, nft_chain_nat)",
                    "nat hook postrouting priority srcnat - 10",
                    "snat ip6 to ip6 saddr"),
            chain("masquerading (nft_masq)", "nat hook postrouting priority srcnat - 10", "masquerade"),
            chain("route chains (nft_chain_route)", "route hook output priority mangle + 10", "accept"));

    private final Nftables nftables;

    ExpressionProbe(Nftables nftables) {
        this.nftables = nftables;
    }

    private static Part rule(String name, String statement) {
        return new Part(name, "add rule " + TABLE + " c " + statement + "\n");
    }

    private static Part chain(String name, String hook, String statement) {
        return new Part(
                name, "add chain " + TABLE + " h { type " + hook + "; }\nadd rule " + TABLE + " h " + statement + "\n");
    }

    /** Those of the parts that this kernel lacks, with nft's words. */
    List<String> missing(List<Part> parts) {
        List<String> missing = new ArrayList<>();
        for (Part part : parts) {
            try {
                nftables.check("add table " + TABLE + "\nadd chain " + TABLE + " c\n" + part.commands());
            } catch (NftablesException e) {
                missing.add(part.name() + ": " + e.getMessage());
            }
        }
        return missing;
    }
}
