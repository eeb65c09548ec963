package li.wlz.kuport.manifest;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.CustomResource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapClass;
import li.wlz.kuport.crd.PortMapClassStatus;
import li.wlz.kuport.crd.PortMapNode;
import li.wlz.kuport.crd.PortMapNodeStatus;
import li.wlz.kuport.crd.PortMapStatus;
import li.wlz.kuport.model.ClassReport;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PodReport;
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.SortedDifference;
import li.wlz.kuport.status.Statuses;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/**
 * Keeps a folder of statuses: {@code portmaps/NAMESPACE/NAME.yaml}, {@code portmapclasses/NAME.yaml},
 * {@code portmapnodes/NODE.yaml} and {@code pods/NAMESPACE/NAME.yaml}, each an object with its status as the API server would show
 * it; what is said of a pod's annotation, which in a cluster are Events, are conditions there.
 *
 * <p>A file is written when its content changes, and removed with its object. Files that do not begin with our line are not ours.
 */
final class StatusFiles {
    static final String FIRST_LINE = "# Written by kuport agent; changes are overwritten.\n";

    private static final YAMLMapper YAML = YAMLMapper.builder()
            .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
            .enable(YAMLWriteFeature.MINIMIZE_QUOTES)
            .enable(YAMLWriteFeature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private final Path folder;
    private final String version;
    private final InstantSource clock;
    private final Map<Path, Object> written = new TreeMap<>();

    /** What all the files say; null where one could not be written. */
    private @Nullable Decision told;

    private boolean swept;

    StatusFiles(Path folder, String version, InstantSource clock) {
        this.folder = folder;
        this.version = version;
        this.clock = clock;
    }

    /**
     * Makes the files those of a decision.
     *
     * @throws UncheckedIOException if one could not be written or removed; the others were, and that one is tried next time
     */
    void write(Decision decision) {
        List<IOException> failures = new ArrayList<>();
        Decision before = told;
        told = null;
        SortedDifference<Map.Entry<ObjectKey, PortMapReport>> portMaps =
                SortedDifference.of(decision.portMaps(), before == null ? Sorted.map() : before.portMaps());
        portMaps.missing().forEach(entry -> {
            PortMapReport report = entry.getValue();
            update(file(report.key()), report, text -> portMap(report, text), failures);
        });
        decision.classes()
                .forEach((name, report) ->
                        update(fileOfClass(name), report, text -> portMapClass(report, text), failures));
        decision.pods().forEach((key, report) -> update(fileOfPod(key), report, text -> pod(report, text), failures));
        NodeReport node = decision.report();
        update(fileOfNode(node.node()), node, text -> portMapNode(node, text), failures);
        boolean allThere = before != null
                && portMaps.surplus().stream()
                        .allMatch(entry -> decision.portMaps().containsKey(entry.getKey()))
                && decision.classes().keySet().containsAll(before.classes().keySet())
                && decision.pods().keySet().containsAll(before.pods().keySet());
        if (!allThere) {
            removeOthers(files(decision), failures);
        }
        raise(failures);
        told = decision;
    }

    private Path file(ObjectKey portMap) {
        return folder.resolve("portmaps", portMap.namespace(), portMap.name() + ".yaml");
    }

    private Path fileOfClass(String name) {
        return folder.resolve("portmapclasses", name + ".yaml");
    }

    private Path fileOfPod(ObjectKey pod) {
        return folder.resolve("pods", pod.namespace(), pod.name() + ".yaml");
    }

    private Path fileOfNode(String name) {
        return folder.resolve("portmapnodes", name + ".yaml");
    }

    private Set<Path> files(Decision decision) {
        Set<Path> files = new HashSet<>();
        decision.portMaps().keySet().forEach(key -> files.add(file(key)));
        decision.classes().keySet().forEach(name -> files.add(fileOfClass(name)));
        decision.pods().keySet().forEach(key -> files.add(fileOfPod(key)));
        files.add(fileOfNode(decision.report().node()));
        return files;
    }

    private static void raise(List<IOException> failures) {
        if (!failures.isEmpty()) {
            IOException first = failures.getFirst();
            failures.stream().skip(1).forEach(first::addSuppressed);
            throw new UncheckedIOException(failures.size() + " statuses could not be written, first: " + first, first);
        }
    }

    /** What a file should be, given what it is. */
    private interface Rendering {
        HasMetadata after(String before);
    }

    private void update(Path file, Object report, Rendering rendering, List<IOException> failures) {
        if (report.equals(written.get(file))) {
            return;
        }
        try {
            String before = Files.exists(file) ? Files.readString(file) : "";
            String after = FIRST_LINE + YAML.writeValueAsString(rendering.after(before));
            if (!after.equals(before)) {
                replace(file, after);
            }
            written.put(file, report);
        } catch (IOException e) {
            failures.add(e);
        }
    }

    /** A reader sees the file as it was or as it is, never half of it. */
    private static void replace(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Path temporary = file.resolveSibling("." + file.getFileName() + ".tmp");
        Files.writeString(temporary, text);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private PortMap portMap(PortMapReport report, String before) {
        PortMap object = new PortMap();
        object.setMetadata(metadata(report.key().namespace(), report.key().name()));
        PortMapStatus status = status(before, PortMap.class);
        object.setStatus(Statuses.of(report, status == null ? null : status.conditions(), clock.instant()));
        return object;
    }

    private PortMapClass portMapClass(ClassReport report, String before) {
        PortMapClass object = new PortMapClass();
        object.setMetadata(metadata(null, report.name()));
        PortMapClassStatus status = status(before, PortMapClass.class);
        object.setStatus(Statuses.of(report, status == null ? null : status.conditions(), clock.instant()));
        return object;
    }

    private PortMapNode portMapNode(NodeReport report, String before) {
        PortMapNode object = new PortMapNode();
        object.setMetadata(metadata(null, report.node()));
        PortMapNodeStatus status = status(before, PortMapNode.class);
        object.setStatus(Statuses.of(report, version, status == null ? null : status.conditions(), clock.instant()));
        return object;
    }

    private Pod pod(PodReport report, String before) {
        return new PodBuilder()
                .withMetadata(metadata(report.key().namespace(), report.key().name()))
                .withNewStatus()
                .withConditions(Statuses.of(report, podConditions(before), clock.instant()))
                .endStatus()
                .build();
    }

    private static List<PodCondition> podConditions(String text) {
        try {
            Pod before = text.isEmpty() ? null : YAML.readValue(text, Pod.class);
            return before == null || before.getStatus() == null
                    ? List.of()
                    : before.getStatus().getConditions();
        } catch (JacksonException e) {
            return List.of();
        }
    }

    private static ObjectMeta metadata(@Nullable String namespace, String name) {
        return new ObjectMetaBuilder().withNamespace(namespace).withName(name).build();
    }

    /** The status that a file holds; null where it holds none that can be read. */
    private static <S> @Nullable S status(String text, Class<? extends CustomResource<?, @Nullable S>> type) {
        try {
            return text.isEmpty() ? null : YAML.readValue(text, type).getStatus();
        } catch (JacksonException e) {
            return null;
        }
    }

    /** What an agent before this one wrote is looked for once; after that we know what we wrote. */
    private void removeOthers(Set<Path> current, List<IOException> failures) {
        try {
            Set<Path> candidates = swept ? Set.copyOf(written.keySet()) : ours();
            for (Path file : candidates) {
                if (!current.contains(file)) {
                    Files.deleteIfExists(file);
                    written.remove(file);
                }
            }
            swept = true;
        } catch (IOException e) {
            failures.add(e);
        }
    }

    private Set<Path> ours() throws IOException {
        Set<Path> files = new HashSet<>();
        for (String kind : List.of("portmaps", "portmapclasses", "portmapnodes", "pods")) {
            if (Files.isDirectory(folder.resolve(kind))) {
                try (Stream<Path> tree = Files.walk(folder.resolve(kind), 2)) {
                    tree.filter(Files::isRegularFile).forEach(files::add);
                }
            }
        }
        Set<Path> ours = new HashSet<>();
        for (Path file : files) {
            if (Files.readString(file).startsWith(FIRST_LINE)) {
                ours.add(file);
            }
        }
        return ours;
    }
}
