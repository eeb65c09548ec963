package li.wlz.kuport.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import li.wlz.kuport.inspect.RequestText;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.Problem;
import li.wlz.kuport.netlink.Flow;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.reconcile.spi.Reporter;
import li.wlz.kuport.xtables.Restore;

/** Prints what passes would change, and keeps them from changing it. What was printed is not printed again until it differs. */
final class DryRun {
    private final PrintWriter out;
    private final Set<String> changes = new LinkedHashSet<>();
    private String printed = "";

    DryRun(PrintWriter out) {
        this.out = out;
    }

    /** A node that is read as it is and never written. */
    Node node(Node real) {
        return new Node() {
            @Override
            public void start(Runnable dirty) {
                real.start(dirty);
            }

            @Override
            public Observation observe() {
                return real.observe();
            }

            @Override
            public void distrust() {
                real.distrust();
            }

            @Override
            public void send(List<Request> requests) {
                requests.forEach(request -> changes.add(RequestText.of(request)));
            }

            @Override
            public void run(String script, Listing after) {
                changes.add("nft -f - <<END\n" + script + "END");
            }

            @Override
            public void restore(List<Restore> restores) {
                restores.forEach(restore -> changes.add(
                        restore.place().program("restore") + " --noflush <<END\n" + restore.script() + "END"));
            }

            @Override
            public FoundFlows flows(Predicate<Flow> wanted, int most) {
                return real.flows(wanted, most);
            }

            @Override
            public void forget(List<Flow> flows) {
                wouldForget(flows.size());
            }

            @Override
            public int forget(Predicate<Flow> astray) {
                int all = real.flows(astray, 0).all();
                wouldForget(all);
                return all;
            }

            @Override
            public void close() {
                // Whoever opened the real one closes it.
            }
        };
    }

    private void wouldForget(int connections) {
        if (connections > 0) {
            changes.add("# would forget " + connections + " connections that go astray");
        }
    }

    /** Prints each pass, at its end. */
    Reporter reporter() {
        return this::report;
    }

    private void report(Reporter.Outcome outcome) {
        List<String> lines = new ArrayList<>();
        outcome.problems().stream().map(Problem::toString).forEach(problem -> lines.add("# mistake: " + problem));
        lines.addAll(decided(outcome.decision()));
        lines.add(changes.isEmpty() ? "# nothing would change" : "# would change:");
        lines.addAll(changes);
        changes.clear();
        String text = String.join("\n", lines) + "\n\n";
        if (!text.equals(printed)) {
            printed = text;
            out.print(text);
            out.flush();
        }
    }

    private static List<String> decided(Decision decision) {
        List<String> lines = new ArrayList<>();
        decision.pods()
                .forEach((key, report) -> report.lines()
                        .forEach(line -> lines.add(
                                "# pod " + key + " " + line.subject() + ": " + line.reason() + ": " + line.message())));
        decision.portMaps()
                .forEach((key, report) -> report.conditions()
                        .forEach(condition -> lines.add("# PortMap " + key + " " + condition.type() + "="
                                + (condition.status() ? "True " : "False ") + condition.reason() + ": "
                                + condition.message())));
        for (NodeProblem problem : decision.report().problems()) {
            lines.add("# node " + problem.reason() + ": " + problem.message());
        }
        return lines;
    }
}
