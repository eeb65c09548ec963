package li.wlz.kuport.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LoopTest {
    @Test
    void a_change_during_a_pass_is_not_lost() throws Exception {
        AtomicInteger passes = new AtomicInteger();
        CountDownLatch inFirst = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(2);
        Loop loop = new Loop(
                verify -> {
                    passes.incrementAndGet();
                    second.countDown();
                    inFirst.countDown();
                    await(release);
                    return true;
                },
                Duration.ZERO);
        Thread thread = start(loop);
        await(inFirst);
        loop.dirty();
        loop.dirty();
        release.countDown();
        await(second);
        loop.stop();
        thread.join();
        assertThat(passes).hasValue(2);
    }

    @Test
    void stop_ends_a_loop_that_waits() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        Loop loop = new Loop(
                verify -> {
                    ran.countDown();
                    return true;
                },
                Duration.ZERO);
        Thread thread = start(loop);
        await(ran);
        loop.stop();
        assertThat(thread.join(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void a_bug_in_a_pass_is_not_swallowed() {
        Loop loop = new Loop(
                verify -> {
                    throw new IllegalStateException("bug");
                },
                Duration.ZERO);
        assertThatThrownBy(loop::run).hasMessage("bug");
    }

    private static Thread start(Loop loop) {
        return Thread.ofPlatform().start(() -> {
            try {
                loop.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
