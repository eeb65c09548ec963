package li.wlz.kuport.manifest;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import li.wlz.kuport.model.Problem;
import org.jspecify.annotations.Nullable;

/**
 * One version of a file.
 *
 * @param origin its path within the folder
 * @param objects what it stands for: what could be read, and what an older version held in the place of what could not
 */
record ManifestFile(String origin, List<Part> parts, List<ManifestObject> objects, List<Problem> problems) {

    /** A document and what was made of it; null where it is no YAML. */
    record Part(YamlDocument document, DocumentReader.@Nullable Content content) {}

    /** A file that is not there. */
    static ManifestFile absent(String origin) {
        return new ManifestFile(origin, List.of(), List.of(), List.of());
    }

    /**
     * Reads a file, of its documents only those that the version before did not have.
     *
     * <p>What cannot be read keeps what it was: of a document that is no YAML nobody knows what it holds, so all that the version
     * before held stays unless another document holds it now; of an object that cannot be made, it alone.
     */
    static ManifestFile read(String origin, String text, ManifestFile before) {
        Map<String, Part> known = before.clean();
        List<Part> parts = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        boolean broken = false;
        for (YamlDocument document : YamlDocument.split(text)) {
            Part part = known.remove(document.text());
            if (part == null) {
                part = readPart(origin, document, problems);
            }
            broken |= part.content() == null;
            parts.add(part);
        }
        List<ManifestObject> objects = new ArrayList<>();
        Set<String> unreadable = new HashSet<>();
        for (Part part : parts) {
            if (part.content() != null) {
                objects.addAll(part.content().objects());
                unreadable.addAll(part.content().unreadable());
            }
        }
        keep(before, broken, unreadable, objects, origin, problems);
        return new ManifestFile(origin, List.copyOf(parts), List.copyOf(objects), List.copyOf(problems));
    }

    /** A file that is there and of which nothing can be known: what it held stays. */
    static ManifestFile unreadable(String origin, String message, ManifestFile before) {
        List<Problem> problems = new ArrayList<>();
        problems.add(new Problem(origin, "", "", message));
        List<ManifestObject> objects = new ArrayList<>();
        keep(before, true, Set.of(), objects, origin, problems);
        return new ManifestFile(origin, List.of(), List.copyOf(objects), List.copyOf(problems));
    }

    private static Part readPart(String origin, YamlDocument document, List<Problem> problems) {
        try {
            DocumentReader.Content content = DocumentReader.read(origin, document);
            problems.addAll(content.problems());
            return new Part(document, content);
        } catch (UnreadableException e) {
            problems.add(new Problem(origin, "", "", Shape.oneLine(String.valueOf(e.getMessage()), 300)));
            return new Part(document, null);
        }
    }

    private static void keep(
            ManifestFile before,
            boolean all,
            Set<String> unreadable,
            List<ManifestObject> objects,
            String origin,
            List<Problem> problems) {
        Set<String> held = new HashSet<>();
        objects.forEach(object -> held.add(object.key()));
        for (ManifestObject object : before.objects()) {
            if (!held.contains(object.key()) && (all || unreadable.contains(object.key()))) {
                objects.add(object);
                problems.add(
                        new Problem(origin, object.key(), "", "stays as it was read before, until this is mended"));
            }
        }
    }

    /** Its documents without a mistake, by their text: such a one means the same wherever it stands. */
    private Map<String, Part> clean() {
        Map<String, Part> clean = new HashMap<>();
        for (Part part : parts) {
            if (part.content() != null && part.content().problems().isEmpty()) {
                clean.put(part.document().text(), part);
            }
        }
        return clean;
    }

    /** Whether it was made of this text. */
    boolean isOf(String text) {
        return !parts.isEmpty()
                && YamlDocument.split(text)
                        .equals(parts.stream().map(Part::document).toList());
    }

    /** Whether an object of this version is in no place of the next. */
    boolean loses(ManifestFile next) {
        Set<String> kept = new HashSet<>();
        next.objects().forEach(object -> kept.add(object.key()));
        return objects.stream().anyMatch(object -> !kept.contains(object.key()));
    }
}
