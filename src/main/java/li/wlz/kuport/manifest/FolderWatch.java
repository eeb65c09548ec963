package li.wlz.kuport.manifest;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Waits for changes in a folder and its sub-folders (inotify(7)). */
final class FolderWatch implements AutoCloseable {
    /**
     * What changed.
     *
     * @param everything whether more than single files may have
     */
    record Changes(boolean everything, Set<Path> files) {
        static final Changes NONE = new Changes(false, Set.of());
    }

    private final Path root;
    private final WatchService service;
    private final Map<WatchKey, Path> folders = new HashMap<>();
    private @Nullable IOException failure;

    FolderWatch(Path root) throws IOException {
        this.root = root;
        this.service = root.getFileSystem().newWatchService();
        Path parent = root.toAbsolutePath().getParent();
        if (parent != null) {
            watch(parent);
        }
    }

    /** Watches a folder too; one that cannot be watched is told by {@link #failure}. */
    void watch(Path folder) {
        try {
            folders.put(
                    folder.register(
                            service,
                            StandardWatchEventKinds.ENTRY_CREATE,
                            StandardWatchEventKinds.ENTRY_MODIFY,
                            StandardWatchEventKinds.ENTRY_DELETE),
                    folder);
        } catch (IOException e) {
            failure = e;
        }
    }

    /** The last failure to watch a folder, once. */
    @Nullable
    IOException takeFailure() {
        IOException was = failure;
        failure = null;
        return was;
    }

    /**
     * Waits for changes and takes all that there are.
     *
     * @return none if the time passed, or the watch was closed
     */
    Changes await(Duration longest) throws InterruptedException {
        try {
            WatchKey key = service.poll(longest.toNanos(), TimeUnit.NANOSECONDS);
            boolean everything = false;
            Set<Path> files = new HashSet<>();
            for (; key != null; key = service.poll()) {
                everything |= take(key, files);
            }
            return new Changes(everything, files);
        } catch (ClosedWatchServiceException e) {
            return Changes.NONE;
        }
    }

    /** Adds the files that changed; true where more than those may have. */
    private boolean take(WatchKey key, Set<Path> files) {
        Path folder = folders.get(key);
        boolean everything = folder == null;
        for (WatchEvent<?> event : key.pollEvents()) {
            if (folder == null || !(event.context() instanceof Path name)) {
                everything = true;
            } else if (folder.equals(root) || folder.startsWith(root)) {
                everything |= take(folder.resolve(name), event.kind(), files);
            } else {
                everything |= name.equals(root.toAbsolutePath().getFileName());
            }
        }
        if (!key.reset()) {
            folders.remove(key);
            everything = true;
        }
        return everything;
    }

    /**
     * A folder that came brings files, and one that went takes them along. So does a link that was swapped: Kubernetes mounts a
     * ConfigMap as links through {@code ..data}, and changes all files at once by renaming a new link over it.
     */
    private boolean take(Path path, WatchEvent.Kind<?> kind, Set<Path> files) {
        if (ManifestFolder.isManifest(path) && !Files.isDirectory(path)) {
            files.add(path);
            return false;
        }
        return kind.equals(StandardWatchEventKinds.ENTRY_DELETE)
                ? folders.containsValue(path)
                : Files.isSymbolicLink(path) || Files.isDirectory(path);
    }

    @Override
    public void close() throws IOException {
        service.close();
    }
}
