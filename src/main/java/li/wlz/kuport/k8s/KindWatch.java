package li.wlz.kuport.k8s;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.net.HttpURLConnection;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a store the same as the API server's objects of one kind, whatever becomes of the connection: an informer that is
 * started anew when it ends.
 */
final class KindWatch<T extends HasMetadata> {
    private static final Logger LOG = LoggerFactory.getLogger(KindWatch.class);
    private static final long RESTART_PAUSE_SECONDS = 1;

    private final String plural;
    private final Informable<T> objects;
    private final ItemStore<T> store;
    private final Executor executor;
    private final Runnable synced;
    private final Runnable interrupted;

    private @Nullable SharedIndexInformer<T> informer;

    // Read without the lock, by those who hold others.
    private volatile boolean hasSynced;
    private volatile boolean unknownKind;
    private volatile boolean forbidden;

    private boolean closed;
    private String lastTrouble = "";
    private @Nullable String lastVersion;
    private long lastHeard = System.nanoTime();

    /**
     * Makes a watch that does nothing yet.
     *
     * @param plural the kind as URLs name it, for messages
     * @param synced called whenever the store has become complete
     * @param interrupted called when the connection broke, or the API server has forgotten what was told: it was started anew
     */
    KindWatch(
            String plural,
            Informable<T> objects,
            ItemStore<T> store,
            Executor executor,
            Runnable synced,
            Runnable interrupted) {
        this.plural = plural;
        this.objects = objects;
        this.store = store;
        this.executor = executor;
        this.synced = synced;
        this.interrupted = interrupted;
    }

    /** Begins to watch, or begins again with what is in the store; never waits. */
    void start() {
        SharedIndexInformer<T> next;
        CompletionStage<Void> begun;
        synchronized (this) {
            if (closed) {
                return;
            }
            SharedIndexInformer<T> old = informer;
            next = objects.runnableInformer(0);
            informer = next;
            lastVersion = null;
            lastHeard = System.nanoTime();
            if (old != null) {
                old.stop();
            }
            next.removeIndexer(Cache.NAMESPACE_INDEX);
            next.itemStore(store);
            next.exceptionHandler((started, trouble) -> {
                failed(next, trouble);
                return true;
            });
            begun = next.start();
        }
        // What has happened already is told in this very thread, to others with locks of their own: not within ours.
        next.stopped().whenComplete((nothing, trouble) -> ended(next, trouble));
        begun.thenRun(() -> began(next));
    }

    private void began(SharedIndexInformer<T> begun) {
        synchronized (this) {
            if (!isCurrent(begun)) {
                return;
            }
            hasSynced = true;
            unknownKind = false;
            forbidden = false;
            lastTrouble = "";
        }
        LOG.info("watching {} objects={}", plural, store.size());
        synced.run();
    }

    /**
     * Begins anew if nothing was heard for so long. A live watch is told the present version about every minute, whatever happens
     * (<a href="https://kubernetes.io/docs/reference/using-api/api-concepts/#watch-bookmarks">bookmarks</a>).
     */
    void startIfSilentFor(Duration longest) {
        synchronized (this) {
            SharedIndexInformer<T> current = informer;
            if (current == null || closed) {
                return;
            }
            String version = current.lastSyncResourceVersion();
            if (!Objects.equals(version, lastVersion)) {
                lastVersion = version;
                lastHeard = System.nanoTime();
            }
            if (System.nanoTime() - lastHeard < longest.toNanos()) {
                return;
            }
        }
        LOG.info("nothing was heard of {} for {} s, watching anew", plural, longest.toSeconds());
        start();
    }

    private void failed(SharedIndexInformer<T> failing, Throwable trouble) {
        KubernetesClientException refusal = refusal(trouble);
        if (isCurrent(failing) && (refusal == null || refusal.getCode() == HttpURLConnection.HTTP_GONE)) {
            interrupted.run();
        }
        boolean nowUnknown = refusal != null && refusal.getCode() == HttpURLConnection.HTTP_NOT_FOUND;
        boolean nowForbidden = refusal != null && refusal.getCode() == HttpURLConnection.HTTP_FORBIDDEN;
        String words = words(trouble);
        synchronized (this) {
            boolean news = !words.equals(lastTrouble);
            lastTrouble = words;
            unknownKind = nowUnknown;
            forbidden = nowForbidden;
            if (!news) {
                return;
            }
        }
        LOG.warn("cannot read {} from the API server, trying on: {}", plural, words);
        if (nowUnknown || nowForbidden) {
            synced.run();
        }
    }

    /** An informer ends by an error of the Java machine alone, since everything else is tried again. */
    private synchronized void ended(SharedIndexInformer<T> over, @Nullable Throwable trouble) {
        if (closed || !isCurrent(over)) {
            return;
        }
        LOG.error("watching {} ended, starting anew", plural, trouble);
        CompletableFuture.delayedExecutor(RESTART_PAUSE_SECONDS, TimeUnit.SECONDS, executor)
                .execute(this::start);
    }

    @SuppressWarnings("ReferenceEquality") // Which informer it is, not what it is like.
    private boolean isCurrent(SharedIndexInformer<T> some) {
        return informer == some;
    }

    private static @Nullable KubernetesClientException refusal(@Nullable Throwable trouble) {
        for (Throwable cause = trouble; cause != null; cause = cause.getCause()) {
            if (cause instanceof KubernetesClientException refusal && refusal.getCode() > 0) {
                return refusal;
            }
        }
        return null;
    }

    /** What went wrong in one line: the server's words, else those of the innermost cause. */
    static String words(Throwable trouble) {
        KubernetesClientException refusal = refusal(trouble);
        if (refusal != null) {
            String said =
                    refusal.getStatus() == null ? null : refusal.getStatus().getMessage();
            return refusal.getCode() + " " + (said == null ? refusal.getMessage() : said);
        }
        Throwable cause = trouble;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return switch (cause) {
            // The JDK's HTTP client says no more of them than their names.
            case UnresolvedAddressException unresolved -> "its name cannot be resolved";
            case ClosedChannelException closed -> "the connection was refused or broke";
            default -> cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        };
    }

    /** Whether the store has been complete once. */
    boolean hasSynced() {
        return hasSynced;
    }

    /** Whether the API server does not know the kind. */
    boolean isUnknownKind() {
        return unknownKind;
    }

    /** Whether the API server does not let us see the kind. */
    boolean isForbidden() {
        return forbidden;
    }

    /** Whether changes arrive at this moment. */
    synchronized boolean isWatching() {
        return informer != null && informer.isWatching();
    }

    String plural() {
        return plural;
    }

    synchronized void close() {
        closed = true;
        if (informer != null) {
            informer.stop();
        }
    }
}
