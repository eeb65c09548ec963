package li.wlz.kuport.manifest;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import li.wlz.kuport.crd.Resources.Sourced;
import li.wlz.kuport.model.Problem;
import org.jspecify.annotations.Nullable;

/**
 * The files of a folder as they were read last. Used by one thread.
 *
 * <p>What is new or changed counts at once. What is gone counts once it has been gone for a moment: an editor that empties a
 * file and writes it, or removes it and makes it anew, must not take mappings away in between.
 */
final class ManifestFolder {
    /** How long an object must be gone before that is believed. */
    static final Duration SETTLE = Duration.ofMillis(250);

    static final int LARGEST_FILE = 16 << 20;
    private static final int DEEPEST_FOLDER = 16;

    /** What tells a version of a file from another without reading it. */
    private record Stamp(
            FileTime modified, long size, @Nullable Object inode) {}

    /** A file, and what became of it since that is not believed yet. */
    private static final class Tracked {
        ManifestFile file;

        /** The file's objects, sorted out once: of ten thousand in a hundred files most stay. */
        private Map<Kind, List<Sourced<HasMetadata>>> byKind = Map.of();

        @Nullable
        Stamp stamp;

        @Nullable
        ManifestFile pending;

        boolean pendingGone;
        long since;

        Tracked(ManifestFile absent) {
            this.file = absent;
        }

        void become(ManifestFile next) {
            file = next;
            byKind = next.objects().stream()
                    .collect(Collectors.groupingBy(
                            ManifestObject::kind, Collectors.mapping(ManifestObject::sourced, Collectors.toList())));
        }

        List<Sourced<HasMetadata>> objects(Kind kind) {
            return byKind.getOrDefault(kind, List.of());
        }
    }

    /** A file as it was found now. */
    private record Found(Tracked tracked, @Nullable Stamp stamp, ManifestFile file, boolean gone) {}

    private final Path root;
    private final TreeMap<String, Tracked> files = new TreeMap<>();
    private final Set<Tracked> settling = new LinkedHashSet<>();
    private final EnumMap<Kind, List<Sourced<HasMetadata>>> objects = new EnumMap<>(Kind.class);
    private final EnumSet<Kind> stale = EnumSet.allOf(Kind.class);
    private List<Problem> folderProblems = List.of();
    private boolean changed = true;
    private boolean everRead;

    ManifestFolder(Path root) {
        this.root = root;
    }

    /**
     * Looks at every file, and reads those that look changed.
     *
     * @param now a monotonic clock's nanoseconds
     * @param folders told each folder, before it is listed
     * @return whether the folder itself could be read
     */
    boolean scan(long now, Consumer<Path> folders) {
        Walk walk = new Walk(folders);
        try {
            Files.walkFileTree(root, EnumSet.of(FileVisitOption.FOLLOW_LINKS), DEEPEST_FOLDER, walk);
        } catch (IOException e) {
            walk.unreadable(root, e);
        }
        setFolderProblems(walk.problems);
        List<Tracked> changed = new ArrayList<>();
        walk.found.forEach((origin, stamp) -> {
            Tracked tracked = tracked(origin);
            if (tracked.pending != null || !stamp.equals(tracked.stamp)) {
                changed.add(tracked);
            }
        });
        // At the start these are all, and reading YAML is most of the work until then.
        changed.parallelStream().map(this::read).toList().forEach(found -> take(found, now));
        for (Tracked tracked : List.copyOf(files.values())) {
            String origin = tracked.file.origin();
            if (!walk.found.containsKey(origin) && walk.unlisted.stream().noneMatch(f -> isWithin(origin, f))) {
                offer(tracked, ManifestFile.absent(origin), true, now);
            }
        }
        boolean readable = !walk.unlisted.contains("");
        everRead |= readable;
        return readable;
    }

    private static boolean isWithin(String origin, String folder) {
        return folder.isEmpty() || origin.equals(folder) || origin.startsWith(folder + "/");
    }

    private void setFolderProblems(List<Problem> problems) {
        if (!problems.equals(folderProblems)) {
            folderProblems = List.copyOf(problems);
            changed = true;
        }
    }

    /** Looks at single files. */
    void look(Collection<Path> paths, long now) {
        for (Path path : paths) {
            if (isManifest(path)) {
                take(read(tracked(origin(path))), now);
            }
        }
    }

    /** Goes through the folder and its sub-folders. */
    private final class Walk extends SimpleFileVisitor<Path> {
        final TreeMap<String, Stamp> found = new TreeMap<>();
        /** Paths that may hold files that we cannot see: {@code ""} is the folder itself. */
        final Set<String> unlisted = new TreeSet<>();

        final List<Problem> problems = new ArrayList<>();
        private final Consumer<Path> folders;

        Walk(Consumer<Path> folders) {
            this.folders = folders;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            if (!folder.equals(root) && isHidden(folder)) {
                return FileVisitResult.SKIP_SUBTREE;
            }
            folders.accept(folder);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isDirectory() && !isHidden(file)) {
                unreadable(file, new IOException("is nested deeper than " + DEEPEST_FOLDER + " folders"));
            } else if (isManifest(file)) {
                found.put(
                        origin(file),
                        new Stamp(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey()));
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) {
            boolean vanished = e instanceof NoSuchFileException && !file.equals(root);
            if (!vanished && (file.equals(root) || !isHidden(file))) {
                unreadable(file, e);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e) {
            if (e != null) {
                unreadable(folder, e);
            }
            return FileVisitResult.CONTINUE;
        }

        void unreadable(Path path, IOException e) {
            String origin = path.equals(root) ? "" : origin(path);
            // A loop holds no files but those that are found elsewhere.
            if (!(e instanceof FileSystemLoopException)) {
                unlisted.add(origin);
            }
            problems.add(new Problem(
                    path.equals(root) ? root.toString() : origin,
                    "",
                    "",
                    reason(e) + (wasRead(origin) ? "; what was read there before stays in force" : "")));
        }

        private boolean wasRead(String origin) {
            return origin.isEmpty() ? everRead : files.keySet().stream().anyMatch(file -> isWithin(file, origin));
        }
    }

    private static boolean isHidden(Path path) {
        return path.getFileName() != null && path.getFileName().toString().startsWith(".");
    }

    /** Whether a file of that name is read: neither hidden nor an editor's own. */
    static boolean isManifest(Path path) {
        String name = path.getFileName() == null ? "" : path.getFileName().toString();
        String lower = name.toLowerCase(Locale.ROOT);
        return !name.startsWith(".")
                && !name.startsWith("#")
                && (lower.endsWith(".yaml") || lower.endsWith(".yml") || lower.endsWith(".json"));
    }

    private String origin(Path path) {
        return path.equals(root)
                ? path.getFileName().toString()
                : root.relativize(path).toString();
    }

    private Path path(String origin) {
        return Files.isDirectory(root) ? root.resolve(origin) : root;
    }

    private Tracked tracked(String origin) {
        return files.computeIfAbsent(origin, o -> new Tracked(ManifestFile.absent(o)));
    }

    /** What stands in the place of a file now. Changes nothing, so that several may be read at a time. */
    private Found read(Tracked tracked) {
        String origin = tracked.file.origin();
        Stamp stamp = null;
        ManifestFile next;
        boolean gone = false;
        try {
            Path path = path(origin);
            stamp = stamp(Files.readAttributes(path, BasicFileAttributes.class));
            String text = text(path);
            next = tracked.file.isOf(text) ? tracked.file : ManifestFile.read(origin, text, tracked.file);
        } catch (NoSuchFileException e) {
            gone = true;
            next = ManifestFile.absent(origin);
        } catch (CharacterCodingException e) {
            next = ManifestFile.unreadable(origin, "is not UTF-8 text", tracked.file);
        } catch (IOException e) {
            next = ManifestFile.unreadable(origin, reason(e), tracked.file);
        }
        return new Found(tracked, stamp, next, gone);
    }

    private void take(Found found, long now) {
        found.tracked.stamp = found.stamp;
        offer(found.tracked, found.file, found.gone, now);
    }

    private static Stamp stamp(BasicFileAttributes attributes) throws IOException {
        if (!attributes.isRegularFile()) {
            throw new IOException("is not a file");
        }
        return new Stamp(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    }

    private static String text(Path path) throws IOException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(path)) {
            bytes = in.readNBytes(LARGEST_FILE + 1);
        }
        if (bytes.length > LARGEST_FILE) {
            throw new IOException("is larger than " + (LARGEST_FILE >> 20) + " MiB; split it");
        }
        String text = StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes))
                .toString();
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    private static String reason(IOException e) {
        return switch (e) {
            case NoSuchFileException missing -> "does not exist";
            case AccessDeniedException denied -> "cannot be read: permission denied";
            case FileSystemLoopException loop -> "leads back to a folder above it";
            default -> "cannot be read: " + e.getMessage();
        };
    }

    private void offer(Tracked tracked, ManifestFile next, boolean gone, long now) {
        if (next.equals(tracked.file) && !gone) {
            keep(tracked);
        } else if (!tracked.file.loses(next)) {
            accept(tracked, next, gone);
        } else if (!next.equals(tracked.pending)) {
            tracked.pending = next;
            tracked.pendingGone = gone;
            tracked.since = now;
            settling.add(tracked);
            // What has moved to another file counts as there already.
            tracked.file.objects().forEach(object -> stale.add(object.kind()));
            changed = true;
        }
    }

    private void keep(Tracked tracked) {
        if (settling.remove(tracked)) {
            tracked.pending = null;
            tracked.file.objects().forEach(object -> stale.add(object.kind()));
            changed = true;
        }
    }

    private void accept(Tracked tracked, ManifestFile next, boolean gone) {
        keep(tracked);
        if (!next.equals(tracked.file)) {
            Set<ManifestObject> before = Collections.newSetFromMap(new IdentityHashMap<>());
            before.addAll(tracked.file.objects());
            next.objects().stream()
                    .filter(object -> !before.remove(object))
                    .forEach(object -> stale.add(object.kind()));
            before.forEach(object -> stale.add(object.kind()));
            tracked.become(next);
            changed = true;
        }
        if (gone) {
            files.remove(next.origin());
        }
    }

    /** Believes what has been gone for long enough. */
    void settle(long now) {
        for (Tracked tracked : List.copyOf(settling)) {
            if (tracked.pending != null && now - tracked.since >= SETTLE.toNanos()) {
                accept(tracked, tracked.pending, tracked.pendingGone);
            }
        }
    }

    /** Whether {@link #settle} has something to wait for. */
    boolean isSettling() {
        return !settling.isEmpty();
    }

    /** Whether objects or problems are others than when this was asked last. */
    boolean takeChanged() {
        boolean was = changed;
        changed = false;
        return was;
    }

    /** The objects of a kind, by file: the same list for as long as they are the same. */
    List<Sourced<HasMetadata>> objects(Kind kind) {
        if (stale.remove(kind)) {
            objects.put(kind, collect(kind));
        }
        return objects.getOrDefault(kind, List.of());
    }

    /** An object that has moved to another file is only there. */
    private List<Sourced<HasMetadata>> collect(Kind kind) {
        Set<String> moved = new HashSet<>();
        for (Tracked tracked : settling.isEmpty() ? List.<Tracked>of() : files.values()) {
            if (!settling.contains(tracked)) {
                tracked.file.objects().forEach(object -> moved.add(object.key()));
            }
        }
        List<Sourced<HasMetadata>> some = new ArrayList<>();
        for (Tracked tracked : files.values()) {
            if (settling.contains(tracked)) {
                tracked.file.objects().stream()
                        .filter(object -> object.kind() == kind && !moved.contains(object.key()))
                        .forEach(object -> some.add(object.sourced()));
            } else {
                some.addAll(tracked.objects(kind));
            }
        }
        return List.copyOf(some);
    }

    /** What could not be read. */
    List<Problem> problems() {
        List<Problem> problems = new ArrayList<>(folderProblems);
        files.values().forEach(tracked -> problems.addAll(tracked.file.problems()));
        return problems;
    }
}
