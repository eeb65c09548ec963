package li.wlz.kuport.model;

import java.util.List;

/**
 * The decision about one pod's annotation.
 *
 * @param uid of the pod's object; empty where it has none
 * @param lines what there is to say, in the order of the entries
 */
public record PodReport(ObjectKey key, String uid, List<Line> lines) {
    public PodReport {
        lines = List.copyOf(lines);
    }

    /**
     * What became of one entry, or of the whole annotation.
     *
     * @param subject {@code entries[0]}, or {@code annotation}
     * @param message what a person can act on; never empty
     */
    public record Line(String subject, PodReason reason, String message) {
        public boolean isDelivered() {
            return reason == PodReason.Delivered;
        }
    }
}
