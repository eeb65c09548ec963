package li.wlz.kuport.manifest;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import li.wlz.kuport.crd.Resources;
import li.wlz.kuport.crd.Resources.Sourced;
import li.wlz.kuport.reconcile.spi.Source;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A folder of YAML files, watched. */
public final class ManifestSource implements Source {
    private static final Logger LOG = LoggerFactory.getLogger(ManifestSource.class);

    /** Changes come by inotify; looking at every file now and then finds what it cannot tell (network file systems). */
    private static final Duration RESCAN = Duration.ofSeconds(30);

    /** The same where the kernel refuses to watch, or the folder is not there. */
    private static final Duration RESCAN_UNWATCHED = Duration.ofSeconds(2);

    private final Path root;
    private @Nullable FolderWatch watch;
    private @Nullable Thread thread;
    private volatile @Nullable Snapshot latest;
    private volatile boolean closed;

    public ManifestSource(Path folder) {
        this.root = folder;
    }

    /**
     * Reads a folder, or a single file, once; what of its content cannot be read is among the problems.
     *
     * @throws UncheckedIOException that says why, if the folder itself cannot be read
     */
    public static Snapshot read(Path folder) {
        ManifestFolder manifests = new ManifestFolder(folder);
        if (!manifests.scan(System.nanoTime(), f -> {})) {
            String why = manifests.problems().getFirst().toString();
            throw new UncheckedIOException(why, new IOException(why));
        }
        return snapshot(manifests);
    }

    /**
     * Begins to watch, in a thread of its own.
     *
     * @throws UncheckedIOException if the kernel has no more inotify instances for us ({@code fs.inotify.max_user_instances})
     */
    @Override
    public void start(Runnable dirty) {
        try {
            FolderWatch opened = new FolderWatch(root);
            watch = opened;
            thread = Thread.ofPlatform().name("manifests").daemon().start(() -> follow(opened, dirty));
        } catch (IOException e) {
            throw new UncheckedIOException("watching " + root + " (inotify_init): " + e.getMessage(), e);
        }
    }

    @Override
    public Optional<Snapshot> latest() {
        return Optional.ofNullable(latest);
    }

    private void follow(FolderWatch watch, Runnable dirty) {
        ManifestFolder folder = new ManifestFolder(root);
        boolean wasReadable = true;
        boolean scan = true;
        Duration rescan = RESCAN;
        long scanned = 0;
        FolderWatch.Changes changes = FolderWatch.Changes.NONE;
        try {
            while (!closed) {
                long now = System.nanoTime();
                if (scan || changes.everything() || now - scanned >= rescan.toNanos()) {
                    boolean readable = folder.scan(now, watch::watch);
                    rescan = readable && isWatched(watch) ? RESCAN : RESCAN_UNWATCHED;
                    tellReadable(readable, wasReadable, folder);
                    wasReadable = readable;
                    scanned = now;
                    scan = false;
                } else {
                    folder.look(changes.files(), now);
                }
                folder.settle(now);
                publish(folder, wasReadable, dirty);
                changes = watch.await(folder.isSettling() ? ManifestFolder.SETTLE : rescan);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isWatched(FolderWatch watch) {
        IOException failure = watch.takeFailure();
        if (failure != null) {
            LOG.warn("watching a folder (inotify_add_watch): {}; looking every 2 s instead", failure.getMessage());
        }
        return failure == null;
    }

    /** Until the folder was read once there is no snapshot that could bear the problem. */
    private void tellReadable(boolean readable, boolean wasReadable, ManifestFolder folder) {
        if (!readable && wasReadable) {
            String meanwhile = latest == null ? "; nothing is programmed or removed until it can be read" : "";
            folder.problems().forEach(problem -> LOG.warn("{}{}", problem, meanwhile));
        }
    }

    private void publish(ManifestFolder folder, boolean readable, Runnable dirty) {
        if ((latest != null || readable) && folder.takeChanged()) {
            latest = snapshot(folder);
            dirty.run();
        }
    }

    private static Snapshot snapshot(ManifestFolder folder) {
        Resources resources = new Resources(
                of(folder, Kind.PORT_MAP),
                of(folder, Kind.PORT_MAP_CLASS),
                of(folder, Kind.PORT_MAP_NODE),
                of(folder, Kind.NODE),
                of(folder, Kind.SERVICE),
                of(folder, Kind.ENDPOINT_SLICE),
                of(folder, Kind.NAMESPACE),
                of(folder, Kind.POD));
        return new Snapshot(resources, folder.problems(), false);
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // An object of a kind is of its class: it was made by it.
    private static <T extends HasMetadata> List<Sourced<T>> of(ManifestFolder folder, Kind kind) {
        return (List) folder.objects(kind);
    }

    @Override
    public void close() {
        closed = true;
        try {
            if (watch != null) {
                watch.close();
            }
            if (thread != null) {
                thread.join();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("ending the watch of " + root, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
