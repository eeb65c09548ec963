package li.wlz.kuport.intake;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeAddress;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.IpAddress;
import org.jspecify.annotations.Nullable;

/** Makes a {@link ClusterNode} of a Node. */
final class NodeReader {
    static final String KIND = "Node";

    private NodeReader() {}

    static Reading<ClusterNode> read(Node node, String origin) {
        Metadata meta = Metadata.clusterScoped(KIND, node, origin);
        if (meta.key() == null) {
            return Reading.of(origin, null, null, meta.mistakes());
        }
        NodeStatus status = node.getStatus();
        List<IpAddress> all = new ArrayList<>();
        List<IpAddress> internal = new ArrayList<>();
        List<? extends @Nullable NodeAddress> addresses =
                status == null ? List.of() : Written.list(status.getAddresses());
        for (int i = 0; i < addresses.size(); i++) {
            NodeAddress written = addresses.get(i);
            IpAddress address = address("status.addresses[" + i + "].address", written, meta.mistakes());
            if (written != null && address != null) {
                all.add(address);
                if ("InternalIP".equals(written.getType())) {
                    internal.add(address);
                }
            }
        }
        ClusterNode read = new ClusterNode(
                meta.key().name(),
                meta.created(),
                meta.labels(),
                ready(status),
                internal,
                all,
                underlay(meta.annotations().get(ClusterNode.UNDERLAY_ANNOTATION), meta.mistakes()),
                podBlocks(node, meta.mistakes()));
        return Reading.of(origin, meta.key(), read, meta.mistakes());
    }

    private static List<Cidr> podBlocks(Node node, Mistakes mistakes) {
        List<Cidr> blocks = new ArrayList<>();
        for (String text : node.getSpec() == null
                ? List.<@Nullable String>of()
                : Written.list(node.getSpec().getPodCIDRs())) {
            if (text != null) {
                try {
                    blocks.add(Cidr.parse(text));
                } catch (IllegalArgumentException e) {
                    mistakes.add("spec.podCIDRs", String.valueOf(e.getMessage()));
                }
            }
        }
        return blocks;
    }

    /** A node has host names among its addresses. */
    private static @Nullable IpAddress address(String field, @Nullable NodeAddress written, Mistakes mistakes) {
        String type = written == null || written.getType() == null ? "" : written.getType();
        if (written == null || !type.endsWith("IP")) {
            return null;
        }
        String text = written.getAddress() == null ? "" : written.getAddress();
        Optional<IpAddress> address = IpAddress.tryParse(text);
        if (address.isEmpty()) {
            mistakes.add(field, Text.quoted(text) + " is not an address, as its type " + Text.shown(type) + " says");
        }
        return address.orElse(null);
    }

    private static boolean ready(@Nullable NodeStatus status) {
        if (status == null || status.getConditions() == null) {
            return true;
        }
        for (NodeCondition condition : status.getConditions()) {
            if (condition != null && "Ready".equals(condition.getType())) {
                return !"False".equals(condition.getStatus()) && !"Unknown".equals(condition.getStatus());
            }
        }
        return true;
    }

    /** Without an annotation that can be used the node's InternalIP counts, as the problem then says. */
    private static List<IpAddress> underlay(@Nullable String annotation, Mistakes mistakes) {
        List<IpAddress> read = new ArrayList<>();
        if (annotation == null) {
            return read;
        }
        String field = "metadata.annotations[" + ClusterNode.UNDERLAY_ANNOTATION + "]";
        for (String part : annotation.split(",", -1)) {
            Optional<IpAddress> address = IpAddress.tryParse(part.strip());
            if (address.isEmpty()) {
                mistakes.add(
                        field,
                        Text.quoted(part.strip())
                                + " is not an address; write at most one of each family, separated by a comma");
            } else if (read.stream().anyMatch(a -> a.family() == address.get().family())) {
                mistakes.add(field, "names two addresses of one family; only the first counts: " + read.getFirst());
            } else {
                read.add(address.get());
            }
        }
        if (read.isEmpty()) {
            mistakes.add(field, "names no address that can be used; the node's InternalIP is used instead");
        }
        return read;
    }
}
