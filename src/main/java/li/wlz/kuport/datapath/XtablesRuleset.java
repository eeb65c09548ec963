package li.wlz.kuport.datapath;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.MarkSpace.Hex;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.Target;
import li.wlz.kuport.xtables.Backend;
import li.wlz.kuport.xtables.ChainRule;
import li.wlz.kuport.xtables.Place;
import li.wlz.kuport.xtables.Restore;
import li.wlz.kuport.xtables.Rules;
import li.wlz.kuport.xtables.Rules.ChainName;
import li.wlz.kuport.xtables.Rules.Jump;
import li.wlz.kuport.xtables.State;

/**
 * Same-node deliveries in the tables of iptables, for nodes whose other rules live there.
 *
 * <p>Our nat chains come first, or a masquerade would hide the client; our filter chain comes last, so that it lets pass what a policy
 * of DROP would end and never what somebody's rule refused.
 */
final class XtablesRuleset {
    private static final ChainName PRE = new ChainName("nat", "KUPORT-PRE");
    private static final ChainName POST = new ChainName("nat", "KUPORT-POST");
    private static final ChainName OUT = new ChainName("nat", "KUPORT-OUT");
    private static final ChainName FORWARD = new ChainName("filter", "KUPORT-FORWARD");

    private static final List<Jump> JUMPS = List.of(
            new Jump(new ChainName("nat", "PREROUTING"), PRE.chain(), true),
            new Jump(new ChainName("nat", "OUTPUT"), PRE.chain(), true),
            new Jump(new ChainName("nat", "POSTROUTING"), POST.chain(), true),
            new Jump(new ChainName("filter", "FORWARD"), FORWARD.chain(), false));

    private final MarkSpace marks;
    private final NodePlan plan;
    private final IpFamily family;
    private final List<ChainRule> pre = new ArrayList<>();
    private final List<ChainRule> post = new ArrayList<>();
    private final List<ChainRule> out = new ArrayList<>();
    private final List<ChainRule> forward = new ArrayList<>();

    private XtablesRuleset(MarkSpace marks, NodePlan plan, IpFamily family) {
        this.marks = marks;
        this.plan = plan;
        this.family = family;
    }

    /** The rules of a family; none at all where nothing is delivered. */
    static Rules of(MarkSpace marks, NodePlan plan, IpFamily family) {
        return new XtablesRuleset(marks, plan, family).rules();
    }

    /**
     * What must change.
     *
     * @param wanted whether the rules are to be there; else what there is of them goes
     */
    static List<Restore> restores(MarkSpace marks, NodePlan plan, boolean wanted, State present) {
        Backend inUse = present.inUse();
        List<Restore> restores = new ArrayList<>();
        for (Backend backend : Backend.values()) {
            for (IpFamily family : IpFamily.values()) {
                Place place = new Place(backend, family);
                Rules rules = wanted && backend == inUse ? of(marks, plan, family) : Rules.NONE;
                String script = rules.difference(present.listing(place));
                if (!script.isEmpty()) {
                    restores.add(new Restore(place, script));
                }
            }
        }
        return restores;
    }

    private Rules rules() {
        plan.accept().entrySet().stream()
                .filter(e -> e.getKey().address().family() == family)
                .forEach(this::deliver);
        egress();
        if (pre.isEmpty() && out.isEmpty()) {
            return Rules.NONE;
        }
        SortedMap<ChainName, List<ChainRule>> chains =
                new TreeMap<>(Map.of(PRE, pre, POST, post, OUT, out, FORWARD, forward));
        return new Rules(chains, JUMPS);
    }

    private void deliver(Map.Entry<Dialled, Delivery> entry) {
        Target target = entry.getValue().target();
        if (target == null) {
            return;
        }
        Dialled dialled = entry.getKey();
        String protocol = dialled.protocol().lowerCase();
        String asDialled =
                "-d %s -p %s -m %s --dport %s ".formatted(host(dialled.address()), protocol, protocol, dialled.ports());
        pre.add(ChainRule.of(asDialled + mark()));
        pre.add(ChainRule.of(asDialled + "-j DNAT --to-destination " + target));

        String flow = "-m conntrack --ctstate DNAT --ctorigdst %s --ctorigdstport %s "
                .formatted(dialled.address(), dialled.ports());
        String toPod =
                "-d %s -p %s -m %s --dport %s ".formatted(host(target.address()), protocol, protocol, target.ports());
        // A pod that dials itself would answer itself directly.
        post.add(ChainRule.of("-s " + host(target.address()) + " " + toPod + flow + "-j MASQUERADE"));
        post.add(ChainRule.of(toPod + flow + "-j ACCEPT"));

        forward.add(ChainRule.of(toPod + flow + "-j ACCEPT"));
        forward.add(ChainRule.of("-s %s -p %s -m %s --sport %s %s--ctdir REPLY -j ACCEPT"
                .formatted(host(target.address()), protocol, protocol, target.ports(), flow)));
    }

    private void egress() {
        plan.egress().sources().forEach((opener, source) -> {
            if (opener.pod().family() == family) {
                String opened = "-s %s -p %s "
                        .formatted(host(opener.pod()), opener.protocol().lowerCase());
                out.add(ChainRule.of(opened + mark()));
                out.add(ChainRule.of(opened + "-j SNAT --to-source " + source));
            }
        });
        if (out.isEmpty()) {
            return;
        }
        post.add(ChainRule.of("-m conntrack --ctstate DNAT -j RETURN"));
        post.add(ChainRule.of("-p tcp -m tcp ! --tcp-flags FIN,SYN,RST,ACK SYN -j RETURN"));
        for (Cidr block : Outside.notOutside(family, plan.egress().cluster())) {
            post.add(ChainRule.of("-d " + block + " -j RETURN"));
        }
        String to = "-j " + OUT.chain();
        if (family == IpFamily.IPV4) {
            post.add(ChainRule.of(to));
        } else {
            Outside.publicBlocks6().forEach(block -> post.add(ChainRule.of("-d " + block + " " + to)));
        }
    }

    private String mark() {
        return "-j CONNMARK --set-xmark " + Hex.of(marks.mark(MarkSpace.NO_WAY_BACK)) + "/" + Hex.of(marks.mask());
    }

    private static String host(IpAddress address) {
        return address + "/" + address.family().bits();
    }
}
