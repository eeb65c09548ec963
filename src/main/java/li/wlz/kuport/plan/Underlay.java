package li.wlz.kuport.plan;

import java.util.List;
import java.util.Optional;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.InterfaceAddress;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.NetworkInterface;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.Settings;
import org.jspecify.annotations.Nullable;

/** Finds the addresses that the link's outer packets use. */
final class Underlay {
    private final Agreement agreement;
    private final Settings settings;
    private final NodeFacts facts;

    Underlay(Agreement agreement, Settings settings, NodeFacts facts) {
        this.agreement = agreement;
        this.settings = settings;
        this.facts = facts;
    }

    /**
     * This node's: what its Node's annotation says, else the first address within {@code --underlay-cidr}, else the first
     * InternalIP that this node holds. Never guessed from the interfaces alone.
     */
    Optional<IpAddress> own() {
        List<IpAddress> annotated = annotated();
        if (!annotated.isEmpty()) {
            return annotated.stream().filter(this::held).findFirst();
        }
        return withinCidrs().or(() -> internalIps().stream().filter(this::held).findFirst());
    }

    /** Why there is none, in a sentence with what to do. */
    String lack() {
        String family = settings.underlayFamily().toString();
        List<IpAddress> annotated = annotated();
        if (!annotated.isEmpty()) {
            return "the Node's annotation " + ClusterNode.UNDERLAY_ANNOTATION + " names " + Words.list(annotated, "")
                    + ", which no interface of node " + settings.nodeName() + " holds; correct it";
        }
        return "node " + settings.nodeName() + " holds no " + family
                + " address for the link: none of its Node's InternalIPs ("
                + Words.list(internalIps(), "none of " + family) + ") is on an interface"
                + (settings.underlayCidrs().isEmpty()
                        ? ""
                        : ", and no address lies in " + Words.list(settings.underlayCidrs(), ""))
                + "; set --underlay-cidr, or annotate the Node with " + ClusterNode.UNDERLAY_ANNOTATION;
    }

    /** A peer's: what its report says. Where all read a folder and it has none, its Node's annotation, else its InternalIP. */
    @Nullable
    IpAddress of(ClusterNode peer) {
        NodeReport report = agreement.nodeReports().get(peer.name());
        if (report != null) {
            return ofFamily(report.underlay());
        }
        if (agreement.rowsShared()) {
            return null;
        }
        IpAddress annotated = ofFamily(peer.underlay());
        return annotated != null ? annotated : ofFamily(peer.internalIps());
    }

    private @Nullable IpAddress ofFamily(List<IpAddress> addresses) {
        for (IpAddress address : addresses) {
            if (address.family() == settings.underlayFamily()) {
                return address;
            }
        }
        return null;
    }

    private List<IpAddress> annotated() {
        return ofFamilyOnly(node().map(ClusterNode::underlay).orElse(List.of()));
    }

    private List<IpAddress> internalIps() {
        return ofFamilyOnly(node().map(ClusterNode::internalIps).orElse(List.of()));
    }

    private List<IpAddress> ofFamilyOnly(List<IpAddress> addresses) {
        return addresses.stream()
                .filter(a -> a.family() == settings.underlayFamily())
                .toList();
    }

    private Optional<ClusterNode> node() {
        return Optional.ofNullable(agreement.nodes().get(settings.nodeName()));
    }

    private Optional<IpAddress> withinCidrs() {
        for (Cidr cidr : settings.underlayCidrs()) {
            for (NetworkInterface networkInterface : facts.interfaces()) {
                for (InterfaceAddress held : networkInterface.addresses()) {
                    if (held.address().family() == settings.underlayFamily()
                            && cidr.contains(held.address())
                            && !networkInterface.name().equals(Ours.LINK_DEVICE)) {
                        return Optional.of(held.address());
                    }
                }
            }
        }
        return Optional.empty();
    }

    private boolean held(IpAddress address) {
        return facts.holderOf(address).isPresent();
    }
}
