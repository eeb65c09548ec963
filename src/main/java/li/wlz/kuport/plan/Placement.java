package li.wlz.kuport.plan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.NodeReport;
import org.jspecify.annotations.Nullable;

/** Which interface of a node holds an address, as far as the nodes' reports tell: the same answer on every node. */
final class Placement {
    private final Map<String, Map<IpAddress, String>> interfaces = new HashMap<>();

    Placement(SortedMap<String, NodeReport> reports) {
        reports.forEach((node, report) -> {
            Map<IpAddress, String> holders = new HashMap<>();
            report.interfaces().forEach((name, addresses) -> addresses.forEach(a -> holders.putIfAbsent(a, name)));
            interfaces.put(node, holders);
        });
    }

    /** The interface that the node's report shows the address on; null where it shows none. */
    @Nullable
    String holder(String node, IpAddress address) {
        Map<IpAddress, String> holders = interfaces.get(node);
        return holders == null ? null : holders.get(address);
    }

    /** Whether the address may be on one of the interfaces: unless the node's report shows it elsewhere. */
    boolean mayBeOn(String node, IpAddress address, List<String> names) {
        String holder = holder(node, address);
        return holder == null || names.contains(holder);
    }
}
