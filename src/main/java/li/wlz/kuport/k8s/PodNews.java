package li.wlz.kuport.k8s;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PodReason;
import li.wlz.kuport.model.PodReport;

/** Finds out what is other with pods' annotations than it was: they have no status that would remember it. */
final class PodNews {
    private static final int LISTED = 5;
    private static final int LONGEST_LIST = 900;

    private Map<String, PodReport.Line> told = Map.of();

    /**
     * What is to be told: one item for each pod and reason, however many entries the annotation has.
     *
     * @param message of the first few entries, and the number of the rest
     */
    record Item(ObjectKey pod, String uid, PodReason reason, String message) {
        boolean isDelivered() {
            return reason == PodReason.Delivered;
        }
    }

    /** What is not as it was when this was asked last; all of it when it is asked first. */
    List<Item> of(SortedMap<ObjectKey, PodReport> pods) {
        List<Item> items = new ArrayList<>();
        Map<String, PodReport.Line> now = new HashMap<>();
        for (PodReport report : pods.values()) {
            Map<PodReason, List<PodReport.Line>> changed = new EnumMap<>(PodReason.class);
            for (PodReport.Line line : report.lines()) {
                String about = report.key() + " " + report.uid() + " " + line.subject();
                now.put(about, line);
                if (!line.equals(told.get(about))) {
                    changed.computeIfAbsent(line.reason(), reason -> new ArrayList<>())
                            .add(line);
                }
            }
            changed.forEach((reason, lines) -> items.add(new Item(report.key(), report.uid(), reason, message(lines))));
        }
        told = now;
        return items;
    }

    private static String message(List<PodReport.Line> lines) {
        StringBuilder message = new StringBuilder();
        int listed = 0;
        for (PodReport.Line line : lines) {
            String one = line.subject() + ": " + line.message();
            if (listed == LISTED || (listed > 0 && message.length() + one.length() > LONGEST_LIST)) {
                break;
            }
            message.append(listed == 0 ? "" : "; ").append(one);
            listed++;
        }
        if (listed < lines.size()) {
            message.append("; and ").append(lines.size() - listed).append(" more");
        }
        return message.toString();
    }
}
