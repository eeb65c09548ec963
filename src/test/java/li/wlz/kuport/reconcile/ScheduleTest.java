package li.wlz.kuport.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final long MS = 1_000_000;
    private final Schedule schedule = new Schedule(Duration.ofSeconds(60));

    @Test
    void the_first_pass_runs_at_once_and_verifies() {
        assertThat(schedule.wait(5 * MS, false)).isZero();
        assertThat(schedule.verifies(5 * MS)).isTrue();
    }

    @Test
    void nothing_happens_until_something_changes() {
        schedule.passed(0, true, false);
        assertThat(schedule.wait(1000 * MS, false)).isEqualTo(59_000 * MS);
        assertThat(schedule.wait(1000 * MS, true)).isNegative();
        assertThat(schedule.verifies(1000 * MS)).isFalse();
    }

    @Test
    void a_burst_waits_for_a_breath_after_the_last_pass() {
        schedule.passed(100 * MS, true, false);
        assertThat(schedule.wait(101 * MS, true)).isEqualTo(19 * MS);
    }

    @Test
    void the_kernel_is_verified_though_nothing_changed() {
        schedule.passed(0, true, false);
        schedule.passed(30_000 * MS, false, false);
        assertThat(schedule.wait(60_000 * MS, false)).isZero();
        assertThat(schedule.verifies(60_000 * MS)).isTrue();
    }

    @Test
    void a_zero_interval_means_never() {
        Schedule never = new Schedule(Duration.ZERO);
        never.passed(0, true, false);
        assertThat(never.wait(1_000_000_000 * MS, false)).isGreaterThan(1_000_000_000 * MS);
        assertThat(never.verifies(1_000_000_000 * MS)).isFalse();
    }

    @Test
    void failures_are_retried_with_growing_pauses_and_trust_nothing() {
        long[] pauses = {1000, 2000, 4000, 8000, 16000, 30000, 30000};
        long now = 0;
        for (long pause : pauses) {
            schedule.passed(now, true, true);
            assertThat(schedule.wait(now, false)).isEqualTo(pause * MS);
            assertThat(schedule.verifies(now)).isTrue();
            now += pause * MS;
        }
        schedule.passed(now, true, false);
        assertThat(schedule.wait(now, false)).isEqualTo(60_000 * MS);
    }

    @Test
    void a_change_does_not_wait_for_the_pause_after_a_failure() {
        schedule.passed(0, true, true);
        schedule.passed(1000 * MS, true, true);
        assertThat(schedule.wait(1500 * MS, true)).isNegative();
    }
}
