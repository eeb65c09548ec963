package li.wlz.kuport.plan;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.ProgrammedReason;
import org.jspecify.annotations.Nullable;

/** What this node has to deliver mappings with, the same for all of them. */
final class Here {
    private final String self;
    private final Agreement agreement;
    private final LinkPlan link;
    private final LinkAddresses linkAddresses;
    private final OwnAddresses addresses;
    private final Way way;
    private final List<Finding> blocked;
    private final IdentityHashMap<Scope, List<EntryPoint>> entryPoints = new IdentityHashMap<>();
    private HostListeners listeners;

    Here(
            String self,
            Agreement agreement,
            NodeFacts facts,
            LinkPlan link,
            LinkAddresses linkAddresses,
            OwnAddresses addresses) {
        this.self = self;
        this.agreement = agreement;
        this.link = link;
        this.linkAddresses = linkAddresses;
        this.addresses = addresses;
        this.listeners = new HostListeners(facts);
        this.way = new Way(self, facts, link, linkAddresses, agreement.nodeReports());
        this.blocked = facts.problems().stream()
                .map(Here::blocking)
                .filter(Objects::nonNull)
                .toList();
    }

    /** What a problem of the node means for every mapping in which it has a part; null where it means nothing. */
    private static @Nullable Finding blocking(NodeProblem problem) {
        return switch (problem.reason()) {
            case PermissionMissing, NftablesUnavailable ->
                new Finding(ProgrammedReason.NodeNotReady, problem.message());
            case VxlanUnavailable, LinkDown -> new Finding(ProgrammedReason.ReturnPathUnavailable, problem.message());
            case UnderlayUnknown,
                    LinkAddressCollision,
                    LinkMtuTooSmall,
                    LinkSettingsDiffer,
                    IndicesExhausted,
                    ForwardingDisabled,
                    ReversePathFilter,
                    RulePrecedence,
                    ConntrackFull,
                    RoutingUnavailable,
                    Ipv6Unavailable,
                    AddressNotOnNode,
                    ForeignDrop,
                    EarlyMasquerade,
                    NoTrack,
                    MarkClash,
                    ForeignController,
                    RulesLeft -> null;
        };
    }

    /** From now on, the host's sockets and our open ports are those of these facts. */
    void take(NodeFacts facts) {
        listeners = new HostListeners(facts);
    }

    String self() {
        return self;
    }

    Agreement agreement() {
        return agreement;
    }

    LinkPlan link() {
        return link;
    }

    LinkAddresses linkAddresses() {
        return linkAddresses;
    }

    OwnAddresses addresses() {
        return addresses;
    }

    HostListeners listeners() {
        return listeners;
    }

    Way way() {
        return way;
    }

    /** What keeps every mapping from working here. */
    List<Finding> blocked() {
        return blocked;
    }

    /** The entry points of this node, an accepting one, that mappings of a scope are dialled at. */
    List<EntryPoint> entryPoints(Scope scope) {
        return entryPoints.computeIfAbsent(
                scope,
                s -> Objects.requireNonNull(s.classNodes().offers().get(self))
                        .narrowed(s.interfaces(), (address, names) -> {
                            String holder = addresses.holder(address);
                            return holder != null && names.contains(holder);
                        }));
    }
}
