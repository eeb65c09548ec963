package li.wlz.kuport.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The decision about one PortMap, as this node sees it.
 *
 * @param writer whether this node writes {@code endpoint}, {@code published} and the conditions
 * @param ownRow this node's row; null where it has no part
 * @param endpoint the chosen pod; null without one
 * @param published what to hand to callers
 * @param obsoleteRows nodes whose rows the writer should remove: they have no part any more
 */
public record PortMapReport(
        ObjectKey key,
        long generation,
        boolean writer,
        @Nullable NodeRow ownRow,
        @Nullable ChosenEndpoint endpoint,
        List<Published> published,
        List<Condition> conditions,
        List<String> obsoleteRows) {
    public PortMapReport {
        published = List.copyOf(published);
        conditions = List.copyOf(conditions);
        obsoleteRows = List.copyOf(obsoleteRows);
    }

    /** The pod that a mapping is delivered to. */
    public record ChosenEndpoint(
            String node,
            String pod,
            @Nullable IpAddress address,
            @Nullable IpAddress address6) {}

    /**
     * An address that callers may be told; at least one of the two is there.
     *
     * @param interfaceName the interface that holds the addresses; empty for a listed address that no report places
     */
    public record Published(
            String node,
            String interfaceName,
            @Nullable IpAddress address,
            @Nullable IpAddress address6) {}

    /** The condition of that type; null where the status has none. */
    public @Nullable Condition condition(String type) {
        return conditions.stream()
                .filter(c -> c.type().equals(type))
                .findFirst()
                .orElse(null);
    }
}
