package li.wlz.kuport.reconcile;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import li.wlz.kuport.datapath.Changes;
import li.wlz.kuport.datapath.Datapath;
import li.wlz.kuport.intake.Intake;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.Problem;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.Target;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.plan.Planner;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.reconcile.spi.NodeException;
import li.wlz.kuport.reconcile.spi.Reporter;
import li.wlz.kuport.reconcile.spi.Source;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * One pass: gather what is wanted and what is, decide, apply the difference, put flows right, report.
 *
 * <p>New things are there before rules send packets to them; stale ones go, and flows are touched, only once the rules are in
 * force: a flow that is deleted earlier comes back wrong, and rules that the kernel refused leave those of before at work.
 */
public final class Pass implements Loop.Passes {
    private static final Logger LOG = LoggerFactory.getLogger(Pass.class);

    private final Source source;
    private final Node node;
    private final List<Reporter> reporters;
    private final Intake intake;
    private final Planner planner;
    private final Datapath datapath;
    private long number;
    private @Nullable NodePlan inForce;
    private SortedSet<NodeProblem> interference = Sorted.set();

    public Pass(Settings settings, Source source, Node node, List<Reporter> reporters) {
        this.source = source;
        this.node = node;
        this.reporters = List.copyOf(reporters);
        this.intake = new Intake(settings.podAnnotations());
        this.planner = new Planner(settings);
        this.datapath = new Datapath(settings);
    }

    @Override
    public boolean pass(boolean verify) {
        Optional<Source.Snapshot> wanted = source.latest();
        if (wanted.isEmpty()) {
            LOG.debug("not everything has been read yet");
            return true;
        }
        number++;
        MDC.put("pass", Long.toString(number));
        try {
            return run(wanted.get(), verify);
        } finally {
            MDC.remove("pass");
        }
    }

    private boolean run(Source.Snapshot snapshot, boolean verify) {
        if (verify) {
            node.distrust();
        }
        Node.Observation seen;
        try {
            seen = node.observe();
        } catch (NodeException e) {
            LOG.error("cannot read this node: {}", e.getMessage());
            return false;
        }
        Intake.Result read = intake.read(snapshot.resources(), snapshot.rowsShared());
        NodeFacts facts =
                datapath.complete(seen.facts(), seen.table(), seen.routing(), seen.xtables(), seen.markedFlows());
        SortedMap<Dialled, Target> delivered = datapath.delivered(seen.table(), seen.xtables());
        Decision decision = planner.decide(read.world(), with(facts, interference), delivered);
        SortedSet<NodeProblem> found = datapath.interference(decision.node(), facts, seen.foreign(), seen.preceding());
        if (!found.equals(interference)) {
            // What others do to packets depends on where they go, and what mappings say of themselves on what others
            // do.
            interference = found;
            decision = planner.decide(read.world(), with(facts, interference), delivered);
        }
        facts = with(facts, interference);
        List<NodeProblem> failures = apply(decision.node(), seen);
        for (NodeProblem failure : failures) {
            LOG.error("{}: {}", failure.reason(), failure.message());
            facts = facts.with(failure);
        }
        if (!failures.isEmpty()) {
            // What this node says of itself must tell what was refused; what it should do is the same.
            decision = planner.decide(read.world(), facts, delivered).with(decision.node());
        }
        List<Problem> problems = new ArrayList<>(snapshot.problems());
        problems.addAll(read.problems());
        Reporter.Outcome outcome = new Reporter.Outcome(
                number,
                decision,
                problems,
                failures.stream().map(NodeProblem::message).toList());
        reporters.forEach(reporter -> reporter.report(outcome));
        return failures.isEmpty();
    }

    private static NodeFacts with(NodeFacts facts, Iterable<NodeProblem> problems) {
        NodeFacts all = facts;
        for (NodeProblem problem : problems) {
            all = all.with(problem);
        }
        return all;
    }

    /** Makes the plan true; what the kernel refused is returned, and the rest is done all the same. */
    private List<NodeProblem> apply(NodePlan plan, Node.Observation seen) {
        long started = System.nanoTime();
        List<NodeProblem> failures = new ArrayList<>();
        Changes changes = datapath.changes(datapath.wanted(plan), seen.table(), seen.routing(), seen.xtables());
        if (!changes.before().isEmpty()) {
            attempt(NodeReason.VxlanUnavailable, failures, () -> node.send(changes.before()));
        }
        boolean ruled = putRulesInForce(changes, failures);
        if (ruled && !changes.after().isEmpty()) {
            attempt(NodeReason.VxlanUnavailable, failures, () -> node.send(changes.after()));
        }
        if (!changes.isEmpty()) {
            LOG.info(
                    "applied requests={} script={} micros={}",
                    changes.before().size() + changes.after().size(),
                    changes.script().map(String::length).orElse(0),
                    (System.nanoTime() - started) / 1000);
        }
        if (ruled && (!changes.isEmpty() || !plan.equals(inForce))) {
            attempt(NodeReason.NftablesUnavailable, failures, () -> putFlowsRight(plan));
        }
        inForce = failures.isEmpty() ? plan : null;
        return failures;
    }

    /**
     * Makes the rules true; false where the kernel refused them. Those that were there before then still are, and need all that they
     * lead to and the connections that they made.
     */
    private boolean putRulesInForce(Changes changes, List<NodeProblem> failures) {
        // When the rules move from the one to the other, the new ones are there before the old ones go.
        if (changes.listing().equals(Listing.NOTHING)) {
            return restore(changes, failures) && run(changes, failures);
        }
        return run(changes, failures) && restore(changes, failures);
    }

    private boolean run(Changes changes, List<NodeProblem> failures) {
        return changes.script().isEmpty()
                || attempt(
                        NodeReason.NftablesUnavailable,
                        failures,
                        () -> node.run(changes.script().orElseThrow(), changes.listing()));
    }

    private boolean restore(Changes changes, List<NodeProblem> failures) {
        return changes.restores().isEmpty()
                || attempt(NodeReason.NftablesUnavailable, failures, () -> node.restore(changes.restores()));
    }

    private void putFlowsRight(NodePlan plan) {
        int forgotten = node.forget(datapath.stale(plan));
        if (forgotten > 0) {
            LOG.info("forgot flows={}", forgotten);
        }
    }

    /** Whether it succeeded. */
    private static boolean attempt(NodeReason reason, List<NodeProblem> failures, Runnable action) {
        try {
            action.run();
            return true;
        } catch (NodeException e) {
            failures.addAll(Refusals.problems(reason, e));
            return false;
        }
    }
}
