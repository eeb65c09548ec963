package li.wlz.kuport.plan;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;

/**
 * Mappings of one protocol whose ports overlap, directly or by others between them.
 *
 * <p>Only these can want the same port of the same address, so who gets it, and what the node's tables hold for it, is decided
 * among them alone. An object stands for its members as they are: where one comes or goes there is another object.
 */
final class Overlap {
    private static final Comparator<Ruling> OLDEST_FIRST = Comparator.comparing(Ruling::request, Accepted.OLDEST_FIRST);

    private final Protocol protocol;
    private final PortRange ports;
    private final List<Ruling> members;

    /** Makes one of members, of which there is one at least, and tells them. */
    Overlap(List<Ruling> members) {
        this.protocol = members.getFirst().request().protocol();
        this.ports = members.stream()
                .map(member -> member.request().ports())
                .reduce(Overlap::spanning)
                .orElseThrow();
        this.members = members.stream().sorted(OLDEST_FIRST).toList();
        members.forEach(member -> member.belongTo(this));
    }

    private static PortRange spanning(PortRange one, PortRange other) {
        return new PortRange(Math.min(one.first(), other.first()), Math.max(one.last(), other.last()));
    }

    Protocol protocol() {
        return protocol;
    }

    /** From the first port of any to the last of any; all between are some member's. */
    PortRange ports() {
        return ports;
    }

    /** Oldest first. */
    List<Ruling> members() {
        return members;
    }

    /** The accepted ones, oldest first. */
    Stream<Mapping> mappings() {
        return members.stream().map(Ruling::mapping).filter(Objects::nonNull);
    }
}
