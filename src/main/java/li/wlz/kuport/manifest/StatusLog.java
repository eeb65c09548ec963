package li.wlz.kuport.manifest;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import li.wlz.kuport.model.Condition;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.model.Problem;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.SortedDifference;
import li.wlz.kuport.reconcile.spi.Reporter.Outcome;
import org.jspecify.annotations.Nullable;

/** Tells what is other than it was told last, a line each. */
final class StatusLog {
    private @Nullable Decision told;
    private Set<String> mistakes = Set.of();

    /** The lines that this outcome adds. */
    List<String> lines(Outcome outcome) {
        List<String> lines = new ArrayList<>();
        Set<String> mistakesNow = new LinkedHashSet<>();
        outcome.problems().stream().map(Problem::toString).forEach(mistakesNow::add);
        mistakesNow.stream().filter(m -> !mistakes.contains(m)).forEach(m -> lines.add("mistake: " + m));
        mistakes.stream().filter(m -> !mistakesNow.contains(m)).forEach(m -> lines.add("mended: " + m));
        mistakes = mistakesNow;

        lines.addAll(differences(outcome.decision(), told));
        told = outcome.decision();
        return lines;
    }

    /** Of ten thousand PortMaps only those are looked at of which something else was decided. */
    private static List<String> differences(Decision decision, @Nullable Decision told) {
        SortedDifference<Map.Entry<ObjectKey, PortMapReport>> portMaps =
                SortedDifference.of(decision.portMaps(), told == null ? Sorted.map() : told.portMaps());
        Map<String, String> now = statements(portMaps.missing(), decision);
        Map<String, String> before = told == null ? Map.of() : statements(portMaps.surplus(), told);
        List<String> lines = new ArrayList<>();
        now.forEach((subject, statement) -> {
            if (!statement.equals(before.get(subject))) {
                lines.add(subject + statement);
            }
        });
        before.keySet().stream().filter(s -> !now.containsKey(s)).forEach(s -> lines.add(s + " is gone"));
        return lines;
    }

    /** What there is to say of some PortMaps and all the rest, by what it is said of. */
    private static Map<String, String> statements(
            List<Map.Entry<ObjectKey, PortMapReport>> portMaps, Decision decision) {
        Map<String, String> statements = new LinkedHashMap<>();
        portMaps.forEach(entry -> addPortMap(statements, entry.getValue()));
        decision.pods()
                .forEach((key, report) -> report.lines()
                        .forEach(line -> statements.put(
                                "Pod " + key + " " + line.subject(), "=" + line.reason() + ": " + line.message())));
        decision.classes().forEach((name, report) -> addCondition(statements, "PortMapClass " + name, report.ready()));
        for (NodeProblem problem : decision.report().problems()) {
            statements.merge(
                    "Node " + decision.report().node() + " " + problem.reason(),
                    ": " + problem.message(),
                    (one, other) -> one + "; " + problem.message());
        }
        return statements;
    }

    private static void addPortMap(Map<String, String> statements, PortMapReport report) {
        String object = "PortMap " + report.key();
        report.conditions().forEach(condition -> addCondition(statements, object, condition));
        NodeRow row = report.ownRow();
        if (row != null && row.reason() != null) {
            statements.put(object + " here", "=False " + row.reason() + ": " + row.message());
        }
    }

    private static void addCondition(Map<String, String> statements, String object, Condition condition) {
        statements.put(
                object + " " + condition.type(),
                (condition.status() ? "=True " : "=False ") + condition.reason() + ": " + condition.message());
    }
}
