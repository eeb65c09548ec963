package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import li.wlz.kuport.model.PodReason;
import li.wlz.kuport.model.PodReport;
import li.wlz.kuport.model.PodRequest;

/** Collects what becomes of each entry of one pod's annotation. */
final class PodAccount {
    private final PodRequest pod;
    private final List<Entry> entries = new ArrayList<>();

    private static final class Entry {
        private final List<PodClaim> delivered = new ArrayList<>();
        private final List<PodReport.Line> findings = new ArrayList<>();
    }

    PodAccount(PodRequest pod) {
        this.pod = pod;
        pod.entries().forEach(entry -> entries.add(new Entry()));
    }

    PodRequest pod() {
        return pod;
    }

    void delivered(PodClaim claim) {
        entries.get(claim.entry()).delivered.add(claim);
    }

    /** Notes why an entry, or a part of it, is not delivered. */
    void refused(int entry, PodReason reason, String message) {
        entries.get(entry).findings.add(new PodReport.Line(subject(entry), reason, message));
    }

    /** What is delivered, in the order of the entries. */
    List<PodClaim> delivered() {
        return entries.stream().flatMap(entry -> entry.delivered.stream()).toList();
    }

    PodReport report() {
        List<PodReport.Line> lines = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            lines.add(line(i, entries.get(i)));
        }
        return new PodReport(pod.key(), pod.uid(), lines);
    }

    private static String subject(int entry) {
        return "entries[" + entry + "]";
    }

    /** What is delivered, with what is not of it as a remark; else the first of what keeps it from that. */
    private static PodReport.Line line(int index, Entry entry) {
        if (entry.delivered.isEmpty()) {
            return entry.findings.isEmpty()
                    ? new PodReport.Line(subject(index), PodReason.AddressMissing, "the pod has no address yet")
                    : entry.findings.getFirst();
        }
        String remarks = entry.findings.stream()
                .filter(finding -> finding.reason() != PodReason.AddressMissing)
                .map(finding -> "; " + finding.message())
                .collect(Collectors.joining());
        return new PodReport.Line(
                subject(index),
                PodReason.Delivered,
                entry.delivered.stream()
                                .map(claim -> claim.dialled() + " goes to " + claim.target())
                                .collect(Collectors.joining(", "))
                        + remarks);
    }
}
