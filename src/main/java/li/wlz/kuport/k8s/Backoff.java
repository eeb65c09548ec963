package li.wlz.kuport.k8s;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** How long to leave an API server alone: longer with each failure, and not the same on all nodes. Used by one thread. */
final class Backoff {
    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private int failures;
    private long until = System.nanoTime();

    void succeeded() {
        failures = 0;
    }

    void failed() {
        failures++;
        long longest = Math.min(FIRST.toNanos() << Math.min(failures - 1, 10), LONGEST.toNanos());
        until = System.nanoTime() + longest / 2 + ThreadLocalRandom.current().nextLong(longest / 2 + 1);
    }

    /** Whether the last try failed. */
    boolean isFailing() {
        return failures > 0;
    }

    /** Zero where nothing has failed, or long ago. */
    Duration remaining() {
        return Duration.ofNanos(isFailing() ? Math.max(0, until - System.nanoTime()) : 0);
    }
}
