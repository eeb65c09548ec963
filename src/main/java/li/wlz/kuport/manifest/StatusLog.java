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
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.model.Problem;
import li.wlz.kuport.reconcile.spi.Reporter.Outcome;

/** Tells what is other than it was told last, a line each. */
final class StatusLog {
    private Map<String, String> told = Map.of();
    private Set<String> mistakes = Set.of();

    /** The lines that this outcome adds. */
    List<String> lines(Outcome outcome) {
        List<String> lines = new ArrayList<>();
        Set<String> mistakesNow = new LinkedHashSet<>();
        outcome.problems().stream().map(Problem::toString).forEach(mistakesNow::add);
        mistakesNow.stream().filter(m -> !mistakes.contains(m)).forEach(m -> lines.add("mistake: " + m));
        mistakes.stream().filter(m -> !mistakesNow.contains(m)).forEach(m -> lines.add("mended: " + m));
        mistakes = mistakesNow;

        Map<String, String> now = statements(outcome.decision());
        now.forEach((subject, statement) -> {
            if (!statement.equals(told.get(subject))) {
                lines.add(subject + statement);
            }
        });
        told.keySet().stream().filter(s -> !now.containsKey(s)).forEach(s -> lines.add(s + " is gone"));
        told = now;
        return lines;
    }

    /** What there is to say, by what it is said of. */
    private static Map<String, String> statements(Decision decision) {
        Map<String, String> statements = new LinkedHashMap<>();
        decision.portMaps().values().forEach(report -> addPortMap(statements, report));
        decision.pods()
                .forEach((key, report) -> report.lines()
                        .forEach(line -> statements.put(
                                "Pod " + key + " " + line.subject(), "=" + line.reason() + ": " + line.message())));
        decision.classes().forEach((name, report) -> addCondition(statements, "PortMapClass " + name, report.ready()));
        for (NodeProblem problem : decision.report().problems()) {
            statements.put("Node " + decision.report().node() + " " + problem.reason(), ": " + problem.message());
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
