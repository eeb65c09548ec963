package li.wlz.kuport.reconcile.spi;

import java.util.List;
import java.util.Optional;
import li.wlz.kuport.crd.Resources;
import li.wlz.kuport.model.Problem;

/** Where the wanted comes from: a cluster, or a folder of files. */
public interface Source extends AutoCloseable {
    /**
     * Begins to watch.
     *
     * @param dirty called, from any thread, whenever {@link #latest} may answer differently; it returns at once
     */
    void start(Runnable dirty);

    /** What is wanted now; empty until everything has been read once, since absence is believed only then. */
    Optional<Snapshot> latest();

    @Override
    void close();

    /**
     * All that is wanted, at one moment.
     *
     * @param problems what could not be read
     * @param rowsShared whether agents see each other's rows of status
     */
    record Snapshot(Resources resources, List<Problem> problems, boolean rowsShared) {
        public Snapshot {
            problems = List.copyOf(problems);
        }
    }
}
