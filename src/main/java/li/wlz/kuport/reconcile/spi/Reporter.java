package li.wlz.kuport.reconcile.spi;

import java.util.List;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.Problem;

/** Where the outcome of a pass goes: statuses in a cluster, files or the log without one, metrics. */
public interface Reporter extends AutoCloseable {
    /** Tells the outcome of a pass. Called by the loop's thread after each pass; one that fails is tried again at the next. */
    void report(Outcome outcome);

    @Override
    default void close() {}

    /**
     * What became of a pass.
     *
     * @param pass its number, from 1
     * @param decision what was decided
     * @param problems what users wrote wrong
     * @param failures what the kernel refused; empty where all was applied
     */
    record Outcome(long pass, Decision decision, List<Problem> problems, List<String> failures) {
        public Outcome {
            problems = List.copyOf(problems);
            failures = List.copyOf(failures);
        }
    }
}
