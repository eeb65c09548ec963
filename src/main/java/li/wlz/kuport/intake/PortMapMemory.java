package li.wlz.kuport.intake;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.crd.PortMapStatus;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.PortRequest.CurrentEndpoint;
import li.wlz.kuport.model.ProgrammedReason;
import org.jspecify.annotations.Nullable;

/**
 * What a PortMap's status remembers of the last choice. Programs write it, newer ones than this perhaps: what cannot be read is
 * left out without a word, and the choice is made as if it had not been there.
 */
record PortMapMemory(
        @Nullable CurrentEndpoint endpoint, @Nullable String servingNode, SortedMap<String, NodeRow> rows) {

    static PortMapMemory of(@Nullable PortMapStatus status) {
        if (status == null) {
            return new PortMapMemory(null, null, new TreeMap<>());
        }
        return new PortMapMemory(
                endpoint(status.endpoint()),
                servingNode(Written.list(status.published())),
                rows(Written.list(status.nodes())));
    }

    private static @Nullable CurrentEndpoint endpoint(PortMapStatus.@Nullable Endpoint endpoint) {
        if (endpoint == null || endpoint.node() == null || endpoint.pod() == null) {
            return null;
        }
        return new CurrentEndpoint(endpoint.node(), endpoint.pod());
    }

    private static @Nullable String servingNode(List<? extends PortMapStatus.@Nullable Published> published) {
        PortMapStatus.Published first = published.isEmpty() ? null : published.getFirst();
        return first == null ? null : first.node();
    }

    private static SortedMap<String, NodeRow> rows(List<? extends PortMapStatus.@Nullable Node> nodes) {
        SortedMap<String, NodeRow> rows = new TreeMap<>();
        for (PortMapStatus.Node node : nodes) {
            String name = node == null ? null : node.name();
            NodeRow.Role role = node == null ? null : role(node.role());
            if (node != null && name != null && role != null) {
                rows.put(name, row(name, role, node));
            }
        }
        return rows;
    }

    private static NodeRow row(String name, NodeRow.Role role, PortMapStatus.Node node) {
        return new NodeRow(
                name,
                role,
                Boolean.TRUE.equals(node.ready()),
                node.endpoint() == null
                        ? null
                        : IpAddress.tryParse(node.endpoint()).orElse(null),
                node.observedGeneration() == null ? 0 : node.observedGeneration(),
                reason(node.reason()),
                node.message() == null ? "" : node.message());
    }

    private static NodeRow.@Nullable Role role(@Nullable String name) {
        for (NodeRow.Role role : NodeRow.Role.values()) {
            if (role.name().equals(name)) {
                return role;
            }
        }
        return null;
    }

    private static @Nullable ProgrammedReason reason(@Nullable String name) {
        for (ProgrammedReason reason : ProgrammedReason.values()) {
            if (reason.name().equals(name)) {
                return reason;
            }
        }
        return null;
    }
}
