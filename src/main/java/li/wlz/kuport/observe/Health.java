package li.wlz.kuport.observe;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import li.wlz.kuport.reconcile.spi.Reporter;

/**
 * Knows whether the agent is well.
 *
 * <p>Ready is one that has put in force once all that it decided. Well is one whose loop still runs; whether there is an API server to talk to does
 * not count, since starting the agent anew would not bring it back.
 */
public final class Health implements Reporter {
    private final long limit;
    private final LongSupplier clock;
    private final AtomicLong lastPass;
    private volatile boolean ready;

    /** @param limit how long the loop may take from one pass to the next; must be well above the time between verifications */
    public Health(Duration limit) {
        this(limit, System::nanoTime);
    }

    /** @param clock monotonic, in nanoseconds */
    Health(Duration limit, LongSupplier clock) {
        this.limit = limit.toNanos();
        this.clock = clock;
        this.lastPass = new AtomicLong(clock.getAsLong());
    }

    /** A pass begins, of whatever outcome. */
    public void passBegins() {
        lastPass.set(clock.getAsLong());
    }

    @Override
    public void report(Outcome outcome) {
        ready |= outcome.failures().isEmpty();
    }

    /** Whether what is wanted has been programmed once. */
    public boolean isReady() {
        return ready;
    }

    /** Whether the loop runs. */
    public boolean isWell() {
        return clock.getAsLong() - lastPass.get() <= limit;
    }
}
