package li.wlz.kuport.manifest;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapClass;
import li.wlz.kuport.crd.PortMapNode;
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

    /** Reads a folder, or a single file, once; what cannot be read is among the problems. */
    public static Snapshot read(Path folder) {
        ManifestFolder manifests = new ManifestFolder(folder);
        manifests.scan(System.nanoTime(), f -> {});
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
            folder.problems().forEach(problem -> LOG.warn("{}", problem));
        }
    }

    private void publish(ManifestFolder folder, boolean readable, Runnable dirty) {
        if ((latest != null || readable) && folder.takeChanged()) {
            latest = snapshot(folder);
            dirty.run();
        }
    }

    private static Snapshot snapshot(ManifestFolder folder) {
        List<ManifestFolder.Placed> objects = folder.objects();
        Resources resources = new Resources(
                of(objects, PortMap.class),
                of(objects, PortMapClass.class),
                of(objects, PortMapNode.class),
                of(objects, Node.class),
                of(objects, Service.class),
                of(objects, EndpointSlice.class),
                of(objects, Namespace.class),
                of(objects, Pod.class));
        return new Snapshot(resources, folder.problems(), false);
    }

    private static <T extends HasMetadata> List<Sourced<T>> of(List<ManifestFolder.Placed> objects, Class<T> type) {
        List<Sourced<T>> some = new ArrayList<>();
        for (ManifestFolder.Placed placed : objects) {
            if (type.isInstance(placed.object().object())) {
                some.add(new Sourced<>(type.cast(placed.object().object()), placed.origin()));
            }
        }
        return some;
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
