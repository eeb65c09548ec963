package li.wlz.kuport.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import li.wlz.kuport.model.Ours;

/**
 * All that is set up in a namespace's network, in words that are the same as long as nothing is changed: nftables without counters
 * but with handles, ip rules, the routes of all tables, links, addresses, permanent neighbours and forwarding entries, and kernel
 * parameters.
 *
 * <p>What lives and dies by itself is left out: learnt neighbours, connections, remaining lifetimes, whether a
 * link that is set up runs already.
 */
public record Snapshot(List<String> lines) {
    /** Each line is made to say of itself what it is: its command is put in front. */
    private static final String SCRIPT = """
            say() { name=$1; shift; "$@" | sed "s/^/$name: /"; }
            say link ip -o link show
            say address ip -o address show
            say rule4 ip rule show
            say rule6 ip -6 rule show
            say route4 ip -o route show table all
            say route6 ip -6 -o route show table all
            say neighbour ip -o neigh show nud permanent
            say forwarding bridge fdb show
            say sysctl grep -rs . /proc/sys/net/ipv4/conf /proc/sys/net/ipv6/conf /proc/sys/net/ipv4/ip_forward \\
                /proc/sys/net/netfilter
            say nft nft --stateless --handle list ruleset
            # A table that only was looked at stays, and is as good as none.
            rules() { "$@" | awk '/^\\*/ {table = $0} /^-A/ || /^:/ && $2 != "ACCEPT" {sub(/ \\[[0-9]*:[0-9]*\\]/, ""); print table, $0}'; }
            for family in iptables ip6tables; do
                ! command -v $family-legacy-save >/dev/null || say $family rules $family-legacy-save
            done
            """;

    private static final Pattern VOLATILE =
            Pattern.compile(" expires [0-9]+sec| state [A-Z]+(?= mode)| tentative|nf_conntrack_count:.*"
                    + "|/stable_secret:.*|^forwarding: (?!.*permanent).*"
                    // The kernel adds a link-local address's own routes once nobody else was found to have it.
                    + "|^route[46]: (anycast|local|multicast) f[ef].*proto kernel.*");

    private static final String DEVICE = Pattern.quote(Ours.LINK_DEVICE);
    private static final Pattern OURS = Pattern.compile("proto " + Ours.ROUTE_PROTOCOL + "\\b"
            + "|\\bdev " + DEVICE + "\\b"
            + "|^(link|address): [0-9]+: " + DEVICE + "\\b"
            + "|^ip6?tables: .*\\bKUPORT-"
            + "|^sysctl: /proc/sys/net/ipv[46]/conf/" + DEVICE + "/");
    private static final String OUR_TABLE = "nft: table inet " + Ours.TABLE + " {";

    public Snapshot {
        lines = List.copyOf(lines);
    }

    /** Takes the namespace down as it is now. */
    public static Snapshot of(Namespace namespace) {
        return new Snapshot(namespace
                .run("sh", "-c", SCRIPT)
                .lines()
                .map(line -> VOLATILE.matcher(line).replaceAll("").stripTrailing())
                .filter(line -> !line.isEmpty())
                .toList());
    }

    /** The same without what is kuport's, known by its table, its device and its protocol number. */
    public Snapshot withoutKuport() {
        List<String> foreign = new ArrayList<>();
        boolean inOurTable = false;
        for (String line : lines) {
            inOurTable |= line.startsWith(OUR_TABLE);
            if (!inOurTable && !OURS.matcher(line).find()) {
                foreign.add(line);
            }
            inOurTable &= !line.equals("nft: }") && !line.startsWith("nft: } #");
        }
        return new Snapshot(foreign);
    }

    /** Whether something of kuport's is in it. */
    public boolean hasKuport() {
        return !withoutKuport().equals(this);
    }

    /** The lines that are only here ({@code -}) or only in the later one ({@code +}). */
    public List<String> difference(Snapshot later) {
        SortedSet<String> here = new TreeSet<>(lines);
        SortedSet<String> there = new TreeSet<>(later.lines);
        return Stream.concat(
                        here.stream().filter(line -> !there.contains(line)).map(line -> "- " + line),
                        there.stream().filter(line -> !here.contains(line)).map(line -> "+ " + line))
                .toList();
    }

    @Override
    public String toString() {
        return lines.stream().collect(Collectors.joining("\n", "", "\n"));
    }
}
