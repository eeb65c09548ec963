package li.wlz.kuport.datapath;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import li.wlz.kuport.model.Blockade;
import li.wlz.kuport.model.Blockade.Stretch;
import li.wlz.kuport.model.InterfaceAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.nft.ForeignChain;
import li.wlz.kuport.nft.ForeignPacket;
import li.wlz.kuport.nft.ForeignRule;
import li.wlz.kuport.nft.ForeignRuleset;

/**
 * What the rules of others do to mapped packets, as far as it is certain.
 *
 * <p>A rule of which it is not known whether it applies is taken to be harmless: a false alarm would be believed once.
 */
final class Interference {
    /** NF_IP_PRI_CONNTRACK of linux/netfilter_ipv4.h. */
    private static final int CONNTRACK = -200;

    private static final String LOOPBACK = "lo";

    /** Without outer packets the link carries neither requests nor replies, of either family. */
    private static final List<Blockade> LINK_BLOCKED = Stream.of(IpFamily.values())
            .flatMap(family -> Stream.of(Stretch.UPLINK_TO_LINK, Stretch.LINK_TO_POD)
                    .map(stretch -> new Blockade(stretch, family)))
            .toList();

    private final MarkSpace marks;
    private final NodeFacts facts;
    private final ForeignRuleset foreign;
    private final SortedSet<NodeProblem> problems = new TreeSet<>();

    private Interference(MarkSpace marks, NodeFacts facts, ForeignRuleset foreign) {
        this.marks = marks;
        this.facts = facts;
        this.foreign = foreign;
    }

    static SortedSet<NodeProblem> of(MarkSpace marks, NodePlan plan, NodeFacts facts, ForeignRuleset foreign) {
        Interference interference = new Interference(marks, facts, foreign);
        for (IpFamily family : IpFamily.values()) {
            List<Passage> passages = Passage.all(plan, facts, family);
            passages.forEach(interference::drops);
            passages.stream()
                    .filter(passage -> passage.stretch() != Stretch.LINK_TO_POD)
                    .forEach(interference::dropsOfOwn);
            passages.forEach(interference::masquerades);
            passages.forEach(interference::prerouting);
        }
        NodePlan.Link link = plan.link();
        if (link != null) {
            plan.peers().values().stream().findFirst().ifPresent(peer -> interference.dropsOfOuter(link, peer));
        }
        return interference.problems;
    }

    private void drops(Passage passage) {
        for (String hook : List.of("forward", "postrouting")) {
            for (ForeignChain chain : foreign.at(hook, passage.family())) {
                if (drops(chain, passage.packets())) {
                    problems.add(new NodeProblem(
                            NodeReason.ForeignDrop,
                            "chain %s drops what comes in by %s for %s in %s; let it pass: %s"
                                    .formatted(
                                            chain.address(),
                                            passage.in(),
                                            passage.out() == null ? "pods" : passage.out(),
                                            passage.family(),
                                            remedy(chain, passage.family(), Pass.TRANSLATED)),
                            List.of(new Blockade(passage.stretch(), passage.family()))));
                }
            }
        }
    }

    private boolean drops(ForeignChain chain, List<ForeignPacket> packets) {
        return packets.stream().allMatch(packet -> foreign.drops(chain, packet));
    }

    /**
     * What the node itself sends to what it publishes. A chain before the translation would see another destination; one behind it
     * still sees the interface by which own addresses are reached.
     */
    private void dropsOfOwn(Passage passage) {
        List<ForeignPacket> packets = facts.networkInterface(passage.in()).stream()
                .flatMap(device -> device.addresses().stream())
                .map(InterfaceAddress::address)
                .filter(address -> address.family() == passage.family() && !address.isLinkLocal())
                .limit(1)
                .flatMap(own -> Stream.of(Protocol.values())
                        .map(protocol -> new ForeignPacket(
                                passage.family(), protocol, null, LOOPBACK, own, passage.destination())))
                .toList();
        for (ForeignChain chain : foreign.at("output", passage.family())) {
            if (!packets.isEmpty()
                    && chain.hook().priority() > RulesetLayout.DELIVER_OUT_HOOK.priority()
                    && drops(chain, packets)) {
                problems.add(new NodeProblem(
                        NodeReason.ForeignDrop,
                        "chain %s drops what this node itself sends to mappings, in %s; clients elsewhere are served; let it pass: %s"
                                .formatted(
                                        chain.address(),
                                        passage.family(),
                                        remedy(chain, passage.family(), Pass.TRANSLATED))));
            }
        }
    }

    /** The link's outer packets, of which those to one peer, and those from it, stand for all. */
    private void dropsOfOuter(NodePlan.Link link, NodePlan.Peer peer) {
        IpFamily family = link.underlay().family();
        String device = Passage.towards(facts, peer.underlay());
        ForeignPacket out =
                new ForeignPacket(family, Protocol.UDP, null, device, link.underlay(), peer.underlay(), link.port());
        ForeignPacket in =
                new ForeignPacket(family, Protocol.UDP, device, null, peer.underlay(), link.underlay(), link.port());
        for (String hook : List.of("output", "postrouting", "input")) {
            boolean comes = hook.equals("input");
            for (ForeignChain chain : foreign.at(hook, family)) {
                if (foreign.drops(chain, comes ? in : out)) {
                    problems.add(new NodeProblem(
                            NodeReason.ForeignDrop,
                            "chain %s drops the link's outer packets (UDP port %d) %s %s; let them pass: %s"
                                    .formatted(
                                            chain.address(),
                                            link.port(),
                                            comes ? "from" : "to",
                                            peer.underlay(),
                                            remedy(chain, family, new Pass(link.port()))),
                            LINK_BLOCKED));
                }
            }
        }
    }

    /** What a rule that lets packets pass says of them: that they were translated, or the port of the link. */
    private record Pass(int port) {
        static final Pass TRANSLATED = new Pass(0);

        String iptables() {
            return port == 0 ? "-m conntrack --ctstate DNAT" : "-p udp --dport " + port;
        }

        String nft() {
            return port == 0 ? "ct status dnat" : "udp dport " + port;
        }
    }

    /** In the words of the tool that made the chain. */
    private static String remedy(ForeignChain chain, IpFamily family, Pass pass) {
        boolean iptables = chain.name().equals(chain.hook().hook().toUpperCase(Locale.ROOT));
        String table = chain.xtable().equals("filter") ? "" : " -t " + chain.xtable();
        return iptables
                ? (family == IpFamily.IPV4 ? "iptables" : "ip6tables")
                        + (chain.isLegacy() ? "-legacy" : "")
                        + table + " -I " + chain.name() + " " + pass.iptables() + " -j ACCEPT"
                : "nft insert rule " + chain.address() + " " + pass.nft() + " accept";
    }

    private void masquerades(Passage passage) {
        for (ForeignChain chain : foreign.at("postrouting", passage.family())) {
            boolean early = chain.hook().type().equals("nat")
                    && chain.hook().priority() <= RulesetLayout.KEEP_SOURCE_HOOK.priority();
            if (early
                    && meets(
                            chain,
                            passage.packets(),
                            rule -> Stream.of("masquerade", "snat").anyMatch(rule.verb()::equals))) {
                problems.add(new NodeProblem(
                        NodeReason.EarlyMasquerade,
                        "chain %s, of priority %d, takes clients' addresses away before kuport's, of priority %d, can keep them;"
                                        .formatted(
                                                chain.address(),
                                                chain.hook().priority(),
                                                RulesetLayout.KEEP_SOURCE_HOOK.priority())
                                + " give it the priority srcnat (100)"));
            }
        }
    }

    /** What is done to requests as they come in, and to the pods' replies. */
    private void prerouting(Passage passage) {
        List<ForeignPacket> packets = new ArrayList<>();
        for (Protocol protocol : Protocol.values()) {
            packets.add(new ForeignPacket(passage.family(), protocol, passage.in(), null, null, null));
            if (passage.stretch() != Stretch.UPLINK_TO_LINK) {
                packets.add(new ForeignPacket(
                        passage.family(), protocol, passage.out(), null, passage.destination(), null));
            }
        }
        for (ForeignChain chain : foreign.at("prerouting", passage.family())) {
            if (chain.hook().priority() < CONNTRACK
                    && meets(chain, packets, rule -> rule.verb().equals("notrack"))) {
                problems.add(new NodeProblem(
                        NodeReason.NoTrack,
                        "chain " + chain.address()
                                + " takes packets of mappings out of connection tracking (notrack), without"
                                + " which nothing is translated; let it spare what kuport delivers"));
            }
            if (meets(chain, packets, this::clashes)) {
                problems.add(new NodeProblem(
                        NodeReason.MarkClash,
                        "chain %s writes bits of marks that are kuport's (%s under mask %s); give its marks a mask, or the agents another"
                                        .formatted(
                                                chain.address(),
                                                MarkSpace.Hex.of(marks.base()),
                                                MarkSpace.Hex.of(marks.mask()))
                                + " mark space"));
            }
        }
    }

    private interface Mischief {
        boolean does(ForeignRule rule);
    }

    private boolean meets(ForeignChain chain, List<ForeignPacket> packets, Mischief mischief) {
        return packets.stream()
                .anyMatch(packet -> foreign.met(chain, packet).stream().anyMatch(mischief::does));
    }

    /**
     * Whether a rule writes a connection's mark without keeping what is there, gives packets the whole of it, or a mark that is
     * ours.
     */
    private boolean clashes(ForeignRule rule) {
        List<String> statement = rule.statement();
        if (statement.size() < 4 || !statement.get(1).equals("mark")) {
            return false;
        }
        List<String> value = statement.subList(3, statement.size());
        if (rule.verb().equals("ct")) {
            return !value.contains("ct");
        }
        return value.equals(List.of("ct", "mark")) || (value.size() == 1 && isOurs(value.getFirst()));
    }

    private boolean isOurs(String number) {
        try {
            return (Long.decode(number).intValue() & marks.baseMask()) == marks.base();
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
