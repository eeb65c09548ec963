package li.wlz.kuport.reconcile;

import java.time.Duration;

/**
 * Decides when the next pass runs, from a monotonic clock's readings alone.
 *
 * <p>A change is acted on at once, but passes never follow each other faster than {@link #BREATH}, so that a burst of events
 * becomes a few passes. A pass that failed is tried again after a pause that doubles up to {@link #LONGEST_PAUSE}; a change
 * meanwhile is acted on all the same. Without any event the whole is verified against the kernel every so often.
 */
public final class Schedule {
    static final Duration BREATH = Duration.ofMillis(20);
    static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    private final long verifyEvery;
    private long lastPass;
    private long lastVerification;
    private int failures;
    private boolean ran;

    /** @param verifyEvery how often to read everything back from the kernel though nothing happened; zero for never */
    public Schedule(Duration verifyEvery) {
        this.verifyEvery = verifyEvery.toNanos();
    }

    /**
     * How long to wait before the next pass, in nanoseconds; zero or less means now.
     *
     * @param now the clock's reading, in nanoseconds
     * @param dirty whether anything changed since the last pass
     */
    public long wait(long now, boolean dirty) {
        if (!ran) {
            return 0;
        }
        long due = Long.MAX_VALUE;
        if (dirty) {
            due = lastPass + BREATH.toNanos() - now;
        }
        if (failures > 0) {
            due = Math.min(due, lastPass + pause() - now);
        }
        if (verifyEvery > 0) {
            due = Math.min(due, lastVerification + verifyEvery - now);
        }
        return due;
    }

    /** Whether a pass that starts now should not rely on what was read before. */
    public boolean verifies(long now) {
        return !ran || failures > 0 || (verifyEvery > 0 && now - lastVerification >= verifyEvery);
    }

    /**
     * Takes note of a pass.
     *
     * @param started when it began, in nanoseconds
     * @param verified whether it read everything back from the kernel
     */
    public void passed(long started, boolean verified, boolean failed) {
        ran = true;
        lastPass = started;
        if (verified) {
            lastVerification = started;
        }
        failures = failed ? failures + 1 : 0;
    }

    private long pause() {
        int doublings = Math.min(failures - 1, 30);
        return Math.min(FIRST_PAUSE.toNanos() << doublings, LONGEST_PAUSE.toNanos());
    }
}
