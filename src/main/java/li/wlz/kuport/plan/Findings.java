package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.ProgrammedReason;
import org.jspecify.annotations.Nullable;

/** What was found while planning one mapping on this node: what its row of status will say. */
final class Findings {
    private final List<Finding> findings = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();

    void add(Finding finding) {
        findings.add(finding);
    }

    void add(ProgrammedReason reason, String message) {
        findings.add(new Finding(reason, message));
    }

    /** Notes what does not keep the mapping from working. */
    void remark(String remark) {
        if (!remarks.contains(remark)) {
            remarks.add(remark);
        }
    }

    boolean isEmpty() {
        return findings.isEmpty();
    }

    NodeRow row(String node, NodeRow.Role role, @Nullable IpAddress endpoint, long generation) {
        Finding first = findings.isEmpty() ? null : Collections.min(findings, Finding.MOST_TELLING);
        return first == null
                ? new NodeRow(node, role, true, endpoint, generation, null, String.join("; ", remarks))
                : new NodeRow(node, role, false, endpoint, generation, first.reason(), first.message());
    }
}
