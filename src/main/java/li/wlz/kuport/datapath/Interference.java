package li.wlz.kuport.datapath;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import li.wlz.kuport.model.Blockade;
import li.wlz.kuport.model.Blockade.Stretch;
import li.wlz.kuport.model.InterfaceRoute;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.nft.ForeignChain;
import li.wlz.kuport.nft.ForeignPacket;
import li.wlz.kuport.nft.ForeignRule;
import li.wlz.kuport.nft.ForeignRuleset;
import org.jspecify.annotations.Nullable;

/**
 * What the rules of others do to mapped packets, as far as it is certain.
 *
 * <p>A rule of which it is not known whether it applies is taken to be harmless: a false alarm would be believed once.
 */
final class Interference {
    /** NF_IP_PRI_CONNTRACK of linux/netfilter_ipv4.h. */
    private static final int CONNTRACK = -200;

    private final MarkSpace marks;
    private final NodePlan plan;
    private final NodeFacts facts;
    private final ForeignRuleset foreign;
    private final SortedSet<NodeProblem> problems = new TreeSet<>();

    private Interference(MarkSpace marks, NodePlan plan, NodeFacts facts, ForeignRuleset foreign) {
        this.marks = marks;
        this.plan = plan;
        this.facts = facts;
        this.foreign = foreign;
    }

    static SortedSet<NodeProblem> of(MarkSpace marks, NodePlan plan, NodeFacts facts, ForeignRuleset foreign) {
        Interference interference = new Interference(marks, plan, facts, foreign);
        for (IpFamily family : IpFamily.values()) {
            List<Passage> passages = Passage.all(plan, facts, family);
            passages.forEach(interference::drops);
            passages.forEach(interference::masquerades);
            passages.forEach(interference::prerouting);
        }
        return interference.problems;
    }

    private void drops(Passage passage) {
        for (ForeignChain chain : foreign.at("forward", passage.family())) {
            if (passage.packets().stream().allMatch(packet -> foreign.drops(chain, packet))) {
                problems.add(new NodeProblem(
                        NodeReason.ForeignDrop,
                        "chain %s drops what comes in by %s for %s in %s; let it pass: %s"
                                .formatted(
                                        chain.address(),
                                        passage.in(),
                                        passage.out() == null ? "pods" : passage.out(),
                                        passage.family(),
                                        remedy(chain, passage.family())),
                        List.of(new Blockade(passage.stretch(), passage.family()))));
            }
        }
    }

    /** In the words of the tool that made the chain. */
    private static String remedy(ForeignChain chain, IpFamily family) {
        boolean iptables = chain.table().equals("filter") && chain.name().equals("FORWARD");
        return iptables
                ? (family == IpFamily.IPV4 ? "iptables" : "ip6tables")
                        + " -I FORWARD -m conntrack --ctstate DNAT -j ACCEPT"
                : "nft insert rule " + chain.address() + " ct status dnat accept";
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
                packets.add(new ForeignPacket(passage.family(), protocol, passage.out(), null, passage.destination(), null));
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
