package li.wlz.kuport.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class KindWatchTest {
    /** An informer that has seen everything before anybody asks it to. */
    private static SharedIndexInformer<?> informer() {
        return (SharedIndexInformer<?>) Proxy.newProxyInstance(
                KindWatchTest.class.getClassLoader(),
                new Class<?>[] {SharedIndexInformer.class},
                (self, method, args) -> switch (method.getName()) {
                    case "start" -> CompletableFuture.completedFuture(null);
                    case "stopped" -> new CompletableFuture<Void>();
                    case "isWatching" -> true;
                    default -> self;
                });
    }

    @SuppressWarnings("unchecked") // A proxy has no type arguments.
    private static Informable<Pod> pods() {
        return (Informable<Pod>) Proxy.newProxyInstance(
                KindWatchTest.class.getClassLoader(),
                new Class<?>[] {Informable.class},
                (self, method, args) -> informer());
    }

    /** Else who holds a lock and asks the watch, and the watch that tells who wants that lock, would wait for each other. */
    @Test
    void who_is_told_of_a_complete_store_may_wait_for_another_who_asks_the_watch() {
        AtomicReference<KindWatch<Pod>> watch = new AtomicReference<>();
        AtomicBoolean answered = new AtomicBoolean();
        Runnable synced = () -> {
            Thread asking = Thread.ofPlatform().daemon().start(() -> {
                if (watch.get().hasSynced()) {
                    watch.get().isWatching();
                }
            });
            answered.set(ended(asking));
        };
        watch.set(new KindWatch<>(
                "pods",
                pods(),
                new KindStore<>(new Object(), pod -> pod, (before, now) -> {}),
                Runnable::run,
                synced,
                () -> {}));
        watch.get().start();
        assertThat(answered).isTrue();
    }

    private static boolean ended(Thread thread) {
        try {
            return thread.join(Duration.ofSeconds(20));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
