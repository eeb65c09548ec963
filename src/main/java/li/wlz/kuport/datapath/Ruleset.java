package li.wlz.kuport.datapath;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.MarkSpace.Hex;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.nft.Chain;
import li.wlz.kuport.nft.Hook;
import li.wlz.kuport.nft.Rule;

/**
 * The chains of our table. docs/datapath.md tells the packet's path through them.
 *
 * <p>Rules are ordered by cost: established packets leave each filter chain by its first rules, names of interfaces are compared
 * only where a flow begins, and what can be asked of a flow's first packet alone is asked in nat chains, which later packets skip.
 */
final class Ruleset {
    private static final String FROM_LINK = "iifgroup " + Ours.LINK_GROUP + " ";
    private static final String INTO_LINK = "oifgroup " + Ours.LINK_GROUP + " ";
    private static final String NOT_INTO_LINK = "oifgroup != " + Ours.LINK_GROUP + " ";
    private static final String OTHER_TRANSPORT = "meta l4proto != { tcp, udp } ";
    private static final String DIALLED_PORT = " . meta l4proto . th dport ";
    private static final String UNTRANSLATED = "ct status & dnat == 0 ";
    private static final String CLAMP = "tcp flags syn tcp option maxseg size set ";

    /** Bytes of the IP and TCP headers, without options. */
    private static final int HEADERS4 = 40;

    private static final int HEADERS6 = 60;

    private final Settings settings;
    private final MarkSpace marks;
    private final NodePlan plan;
    private final SortedMap<String, Chain> chains = new TreeMap<>();

    private Ruleset(Settings settings, NodePlan plan) {
        this.settings = settings;
        this.marks = settings.marks();
        this.plan = plan;
    }

    /** The chains for a plan, by name. */
    static SortedMap<String, Chain> chains(Settings settings, NodePlan plan) {
        Ruleset ruleset = new Ruleset(settings, plan);
        ruleset.marking();
        ruleset.steering();
        ruleset.claiming();
        ruleset.delivering();
        ruleset.guarding();
        ruleset.keepingTheSource();
        ruleset.leavingAsMapped();
        ruleset.returning();
        return Sorted.copyOf(ruleset.chains);
    }

    /** Each index has a chain that writes it: nft 1.0.6 refuses a masked write of what a map answers. */
    private void marking() {
        RulesetSets.indices(plan).forEach(index -> {
            chain(RulesetLayout.markChain(index), writeIndex("ct", index));
            chain(RulesetLayout.routeChain(index), writeIndex("meta", index));
        });
        chain(RulesetLayout.markChain(MarkSpace.NO_WAY_BACK), writeIndex("ct", MarkSpace.NO_WAY_BACK));
    }

    private Rule writeIndex(String key, int index) {
        return Rule.of("%1$s mark set %1$s mark & %2$s | %3$s"
                .formatted(key, Hex.of(marks.keepMask()), Hex.of(marks.mark(index))));
    }

    /** Filter prerouting: replies get their way back, a flow's first packet is looked up. */
    private void steering() {
        base(
                "steer",
                RulesetLayout.STEER_HOOK,
                Rule.of("ct direction reply goto replies"),
                Rule.of("ct status confirmed accept", "only a flow's first packet is looked up"),
                Rule.of("goto first"));
        chain(
                "replies",
                Rule.of(bits("ct", "!=") + "accept"),
                Rule.of(
                        "meta mark 0 meta mark set ct mark & " + Hex.of(marks.mask()) + " accept",
                        "no foreign bits to keep"),
                Rule.of(index("ct") + "vmap @" + RulesetLayout.RETURN_ROUTE));
        List<Rule> first = new ArrayList<>(List.of(
                Rule.of("ct state invalid,untracked jump untranslatable"),
                Rule.of(FROM_LINK + "ether saddr vmap @" + RulesetLayout.PEER),
                Rule.of(FROM_LINK + "counter drop", "a node that is none of our peers"),
                Rule.of("ct state related accept", "a helper's connection is translated by its helper"),
                Rule.of("fib daddr type != local accept"),
                Rule.of(OTHER_TRANSPORT + "accept")));
        first.addAll(lookUp(RulesetLayout.ACCEPTED));
        chain("first", first);
        List<Rule> untranslatable = new ArrayList<>();
        untranslatable.add(Rule.of(FROM_LINK + "counter drop", "nothing leaves the link untranslated"));
        untranslatable.addAll(both(f -> Rule.of(
                "ct state invalid %1$s saddr . %1$s saddr @%2$s counter drop"
                        .formatted(ip(f), RulesetLayout.name(RulesetLayout.PODS, f)),
                "a client would take a pod's untranslated packet for a stranger's")));
        chain("untranslatable", untranslatable);
    }

    /** What becomes of a flow whose dialled address, protocol and port are accepted. */
    private void claiming() {
        chain(
                "entered",
                Rule.of("ct state != new counter drop", "what cannot be translated would leave for the stand-in"),
                Rule.of("jump " + RulesetLayout.markChain(MarkSpace.NO_WAY_BACK)),
                Rule.of("iifname vmap @" + RulesetLayout.UPLINK));
        for (IpFamily family : IpFamily.values()) {
            chain(
                    RulesetLayout.name("claim", family),
                    Rule.of("jump entered"),
                    Rule.of(
                            ip(family) + " daddr set " + Ours.standIn(family),
                            "firewalls behind us must not see the node's address"));
        }
        chain("refused", Rule.of("jump entered", "the refusal takes the client's way back"), Rule.of("goto refuse"));
        chain(
                "refuse",
                Rule.of(
                        "limit rate over 500/second burst 100 packets counter drop",
                        "refusing costs more than dropping"),
                Rule.of("meta l4proto tcp reject with tcp reset"),
                Rule.of("reject with icmpx port-unreachable"));
    }

    /** The nat chains that translate the destination. */
    private void delivering() {
        List<Rule> standIns = both(f -> Rule.of(isStandIn(f) + "goto stand-in"));
        List<Rule> deliver = new ArrayList<>(standIns);
        deliver.add(Rule.of(OTHER_TRANSPORT + "accept"));
        deliver.add(Rule.of(FROM_LINK + "goto deliver-link"));
        deliver.add(Rule.of("goto own"));
        base("deliver", RulesetLayout.DELIVER_HOOK, deliver);

        List<Rule> standIn = new ArrayList<>(translate(RulesetLayout.ACCEPT, "ct original "));
        standIn.add(Rule.of("counter drop", "nobody has that address"));
        chain("stand-in", standIn);

        List<Rule> fromLink = new ArrayList<>();
        fromLink.add(Rule.of(bits("ct", "!=") + "counter drop", "without a mark its replies would leave by any way"));
        fromLink.addAll(translate(RulesetLayout.DELIVER, ""));
        chain("deliver-link", fromLink);

        List<Rule> own = new ArrayList<>(lookUp(RulesetLayout.OWNED));
        own.addAll(translate(RulesetLayout.OWN, ""));
        chain("own", own);

        List<Rule> deliverOut = new ArrayList<>();
        deliverOut.add(Rule.of(OTHER_TRANSPORT + "accept"));
        deliverOut.addAll(lookUp(RulesetLayout.ACCEPTED));
        deliverOut.addAll(standIns);
        deliverOut.add(Rule.of("goto own"));
        base("deliver-out", RulesetLayout.DELIVER_OUT_HOOK, deliverOut);
    }

    /** What may come out of the link, and who may speak on it. */
    private void guarding() {
        List<Rule> forward = new ArrayList<>();
        List<Rule> input = new ArrayList<>();
        if (plan.link() != null) {
            String underlay = ip(settings.underlayFamily());
            forward.add(Rule.of(intoPeers(plan.link()) + "goto link-guard"));
            // The device takes what comes to any address of this node.
            input.add(Rule.of("meta nfproto " + nfproto(settings.underlayFamily()) + " " + outer(plan.link())
                    + "goto link-guard"));
            chain(
                    "link-guard",
                    Rule.of(
                            underlay + " saddr != @" + RulesetLayout.UNDERLAY + " counter drop",
                            "only nodes speak on the link"),
                    Rule.of("fib saddr . iif oif missing counter drop", "and only by the way that leads back to them"));
        }
        forward.add(Rule.of(FROM_LINK + "goto from-link"));
        base("forward", RulesetLayout.FORWARD_HOOK, forward);
        input.add(Rule.of(FROM_LINK + "goto arrived"));
        base("input", RulesetLayout.INPUT_HOOK, input);

        List<Rule> fromLink = new ArrayList<>();
        // What would leave by the link again is untranslated too: it would bounce between nodes.
        fromLink.add(Rule.of("ct direction original " + UNTRANSLATED + "counter goto refuse", "no entry here"));
        fromLink.addAll(clamp());
        chain("from-link", fromLink);

        List<Rule> arrived = new ArrayList<>();
        arrived.add(Rule.of(UNTRANSLATED + "counter goto refuse", "the host itself serves nobody on the link"));
        arrived.addAll(clamp());
        chain("arrived", arrived);
    }

    private static String outer(NodePlan.Link link) {
        return "udp dport " + link.port() + " ";
    }

    /** The link's outer packets, to whichever node. */
    private String intoPeers(NodePlan.Link link) {
        return outer(link) + ip(settings.underlayFamily()) + " daddr @" + RulesetLayout.UNDERLAY + " ";
    }

    /** The link's segment size for what comes out of it; the kernel never raises one by this. */
    private List<Rule> clamp() {
        NodePlan.Link link = plan.link();
        return link == null
                ? List.of()
                : both(f -> Rule.of("meta nfproto " + nfproto(f) + " " + CLAMP
                        + (link.mtu() - (f == IpFamily.IPV4 ? HEADERS4 : HEADERS6))));
    }

    /**
     * Nat postrouting: the source stays what it is, whatever masquerades behind us.
     *
     * <p>That of the link's outer packets too: once NAT has changed their port, the peer drops each of them for its checksum (kernel
     * 6.18, over WireGuard).
     */
    private void keepingTheSource() {
        List<Rule> rules = new ArrayList<>();
        if (plan.link() != null) {
            String underlay = ip(settings.underlayFamily());
            rules.add(Rule.of(
                    intoPeers(plan.link()) + "snat %1$s to %1$s saddr".formatted(underlay),
                    "a masquerade that changes the port breaks the outer checksum"));
        }
        rules.add(Rule.of(bits("ct", "!=") + (hasEgress() ? "goto egress" : "accept")));
        rules.addAll(both(f -> Rule.of(isStandIn(f) + "counter drop", "left over from a damaged table")));
        rules.addAll(both(f -> Rule.of(
                "%1$s saddr . %1$s daddr @%2$s masquerade".formatted(ip(f), RulesetLayout.name(RulesetLayout.PODS, f)),
                "a pod that dials itself would answer itself directly")));
        rules.addAll(both(f -> Rule.of("snat %1$s to %1$s saddr".formatted(ip(f)))));
        base("keep-source", RulesetLayout.KEEP_SOURCE_HOOK, rules);
    }

    private boolean hasEgress() {
        return !plan.egress().sources().isEmpty();
    }

    /** What pods open themselves leaves with their mapped address. Without such a pod there is nothing of it. */
    private void leavingAsMapped() {
        if (!hasEgress()) {
            return;
        }
        List<Rule> rules = new ArrayList<>();
        rules.add(Rule.of(
                "tcp flags & (fin | syn | rst | ack) != syn accept", "an answer whose connection was forgotten"));
        rules.addAll(stayingInside());
        rules.addAll(both(f -> Rule.of("%s saddr . meta l4proto @%s jump %s"
                .formatted(
                        ip(f),
                        RulesetLayout.name(RulesetLayout.OPENERS, f),
                        RulesetLayout.markChain(MarkSpace.NO_WAY_BACK)))));
        rules.addAll(both(f -> Rule.of("snat %1$s to %1$s saddr . meta l4proto map @%2$s"
                .formatted(ip(f), RulesetLayout.name(RulesetLayout.EGRESS, f)))));
        chain("egress", rules);
        if (!plan.egress().ways().isEmpty()) {
            List<Rule> out = new ArrayList<>();
            out.add(Rule.of("ct direction reply accept"));
            out.addAll(stayingInside());
            out.addAll(both(f -> Rule.of(
                    "%s saddr . meta l4proto vmap @%s".formatted(ip(f), RulesetLayout.name(RulesetLayout.WAYS, f)))));
            base("way-out", RulesetLayout.WAY_OUT_HOOK, out);
        }
    }

    /** Lets go what is for the cluster, or for nowhere in particular. */
    private List<Rule> stayingInside() {
        List<Rule> rules = new ArrayList<>();
        rules.add(Rule.of("ct status & dnat == dnat accept", "who dials a Service stays in the cluster"));
        rules.add(Rule.of(
                "ip6 daddr != " + Outside.set(Outside.publicBlocks6()) + " accept",
                "no source but the pod's own there"));
        for (IpFamily family : IpFamily.values()) {
            List<Cidr> blocks = Outside.notOutside(family, plan.egress().cluster());
            if (!blocks.isEmpty()) {
                rules.add(Rule.of(ip(family) + " daddr " + Outside.set(blocks) + " accept", "nor there"));
            }
        }
        return rules;
    }

    /** Replies leave by the way that the request came in, or not at all. */
    private void returning() {
        base(
                "reply-out",
                RulesetLayout.REPLY_OUT_HOOK,
                Rule.of(bits("ct", "!=") + "accept"),
                Rule.of(
                        "ct direction reply ip protocol icmp " + UNTRANSLATED + "ip saddr set ct original ip daddr",
                        "a refusal comes from what was dialled, not from the main route's address"),
                Rule.of("ct direction reply " + index("ct") + "vmap @" + RulesetLayout.RETURN_ROUTE));
        base(
                "leave",
                RulesetLayout.LEAVE_HOOK,
                Rule.of(INTO_LINK + CLAMP + "rt mtu"),
                // By the flow's mark: a packet that has lost its own, or never had one, must not get away.
                Rule.of(bits("ct", "==") + "goto leave-mapped"));
        List<Rule> mapped = new ArrayList<>();
        mapped.add(Rule.of("ct direction reply goto leave-reply"));
        mapped.addAll(both(f -> Rule.of(
                NOT_INTO_LINK + ip(f) + " daddr " + settings.linkRange(f) + " counter drop",
                "a request to a peer never leaves by another way")));
        chain("leave-mapped", mapped);
        List<Rule> reply = new ArrayList<>();
        reply.add(Rule.of(
                "ct mark & " + Hex.of(MarkSpace.UPLINK_BIT) + " == 0 " + NOT_INTO_LINK + "counter drop",
                "nor a reply to a peer"));
        RulesetSets.uplinks(plan)
                .forEach((name, index) -> reply.add(Rule.of(
                        index("ct") + "== " + Hex.of(marks.mark(index)) + " oifname != \"" + name + "\" counter drop",
                        "nor one to a client of " + name)));
        reply.add(Rule.of(
                "meta mark set meta mark & " + Hex.of(marks.keepMask()),
                "the link would copy it to its outer packets"));
        chain("leave-reply", reply);
    }

    /** Lookups by what is dialled, in the maps of verdicts of this stem. */
    private static List<Rule> lookUp(String stem) {
        return eachMap((family, kind) ->
                ip(family) + " daddr" + DIALLED_PORT + "vmap @" + RulesetLayout.name(stem + kind, family));
    }

    /** Translations by what is dialled, in the maps of targets of this stem. */
    private static List<Rule> translate(String stem, String tuple) {
        // dnat by a map that holds ports wants a transport match in front.
        return eachMap((family, kind) -> "meta l4proto { tcp, udp } dnat %1$s to %2$s%1$s daddr%3$smap @%4$s"
                .formatted(ip(family), tuple, DIALLED_PORT, RulesetLayout.name(stem + kind, family)));
    }

    private interface RuleText {
        String of(IpFamily family, String kind);
    }

    private static List<Rule> eachMap(RuleText text) {
        return Stream.of("", RulesetLayout.RANGES)
                .flatMap(kind -> both(family -> Rule.of(text.of(family, kind))).stream())
                .toList();
    }

    private static List<Rule> both(Function<IpFamily, Rule> rule) {
        return Stream.of(IpFamily.values()).map(rule).toList();
    }

    private static String ip(IpFamily family) {
        return family == IpFamily.IPV4 ? "ip" : "ip6";
    }

    private static String nfproto(IpFamily family) {
        return family == IpFamily.IPV4 ? "ipv4" : "ipv6";
    }

    private static String isStandIn(IpFamily family) {
        return ip(family) + " daddr " + Ours.standIn(family) + " ";
    }

    /** A condition on the bits of a mark that say whose it is. */
    private String bits(String key, String operator) {
        return "%s mark & %s %s %s ".formatted(key, Hex.of(marks.baseMask()), operator, Hex.of(marks.base()));
    }

    /** All bits of a mark that are ours. */
    private String index(String key) {
        return key + " mark & " + Hex.of(marks.mask()) + " ";
    }

    private void base(String name, Hook hook, Rule... rules) {
        base(name, hook, List.of(rules));
    }

    private void base(String name, Hook hook, List<Rule> rules) {
        chains.put(name, new Chain(hook, rules));
    }

    private void chain(String name, Rule... rules) {
        chain(name, List.of(rules));
    }

    private void chain(String name, List<Rule> rules) {
        chains.put(name, new Chain(Hook.NONE, rules));
    }
}
