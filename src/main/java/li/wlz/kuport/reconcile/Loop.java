package li.wlz.kuport.reconcile;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs passes, one at a time, on the thread that calls {@link #run}.
 *
 * <p>Whoever sees a change calls {@link #dirty} and does no work of its own; when a pass is due is {@link Schedule}'s to say.
 */
public final class Loop {
    private static final Logger LOG = LoggerFactory.getLogger(Loop.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Schedule schedule;
    private final Passes passes;
    private boolean dirty;
    private boolean stopped;

    /** One pass over the world. */
    public interface Passes {
        /**
         * Runs one pass.
         *
         * @param verify whether to read everything back from the kernel first
         * @return whether all that was decided is in force
         */
        boolean pass(boolean verify);
    }

    public Loop(Passes passes, Duration verifyEvery) {
        this.passes = passes;
        this.schedule = new Schedule(verifyEvery);
    }

    /** Asks for a pass. Returns at once, from any thread. */
    public void dirty() {
        lock.lock();
        try {
            dirty = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Ends {@link #run} after the pass under way. */
    public void stop() {
        lock.lock();
        try {
            stopped = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Runs passes until {@link #stop}, or until this thread is interrupted. A bug in a pass ends it with the exception. */
    public void run() throws InterruptedException {
        while (awaitNext()) {
            long started = System.nanoTime();
            boolean verify = schedule.verifies(started);
            boolean inForce = passes.pass(verify);
            schedule.passed(started, verify, !inForce);
            LOG.debug(
                    "pass done verify={} inForce={} micros={}", verify, inForce, (System.nanoTime() - started) / 1000);
        }
    }

    /** Waits for the next pass to be due; false when there is none. */
    private boolean awaitNext() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!stopped) {
                long wait = schedule.wait(System.nanoTime(), dirty);
                if (wait <= 0) {
                    dirty = false;
                    return true;
                }
                if (changed.await(wait, TimeUnit.NANOSECONDS)) {
                    LOG.trace("woken");
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }
}
