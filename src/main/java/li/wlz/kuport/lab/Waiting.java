package li.wlz.kuport.lab;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what happens elsewhere. */
final class Waiting {
    private static final Duration MOMENT = Duration.ofMillis(10);

    private Waiting() {}

    /**
     * Waits until the condition holds.
     *
     * @throws LabException if it does not in time
     */
    static void until(String what, Duration patience, BooleanSupplier condition) {
        long end = System.nanoTime() + patience.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new LabException("waited " + patience.toMillis() + " ms in vain for " + what);
            }
            aMoment(what);
        }
    }

    static void aMoment(String what) {
        try {
            Thread.sleep(MOMENT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted while waiting for " + what, e);
        }
    }
}
