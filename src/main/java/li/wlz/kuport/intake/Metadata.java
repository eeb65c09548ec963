package li.wlz.kuport.intake;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.Sorted;
import org.jspecify.annotations.Nullable;

/**
 * What every Kubernetes object says of itself.
 *
 * @param object kind and key, for problems
 * @param key null where the name cannot be used
 * @param created seconds since the epoch; 0 where the object does not say
 * @param generation 0 where the object does not say
 */
record Metadata(
        String object,
        @Nullable ObjectKey key,
        long created,
        long generation,
        boolean deleted,
        SortedMap<String, String> labels,
        SortedMap<String, String> annotations,
        Mistakes mistakes) {

    static Metadata namespaced(String kind, HasMetadata object, String origin) {
        ObjectMeta meta = object.getMetadata();
        String namespace = meta == null || meta.getNamespace() == null ? "default" : meta.getNamespace();
        return read(kind, meta, namespace, origin);
    }

    static Metadata clusterScoped(String kind, HasMetadata object, String origin) {
        return read(kind, object.getMetadata(), "", origin);
    }

    private static Metadata read(String kind, @Nullable ObjectMeta meta, String namespace, String origin) {
        String name = meta == null || meta.getName() == null ? "" : meta.getName();
        ObjectKey key = new ObjectKey(namespace, name);
        String object = name.isEmpty() ? kind : kind + " " + Text.shown(key.toString());
        Mistakes mistakes = new Mistakes(origin, object);
        boolean usable = true;
        if (name.isEmpty()) {
            mistakes.add("metadata.name", "is missing; every object needs a name");
            usable = false;
        } else if (!Names.isObjectName(name)) {
            mistakes.add("metadata.name", Text.quoted(name) + " is not a name; " + Names.OBJECT_NAME_RULE);
            usable = false;
        }
        if (!namespace.isEmpty() && !Names.isLabelName(namespace)) {
            mistakes.add("metadata.namespace", Text.quoted(namespace) + " is not a name; " + Names.LABEL_NAME_RULE);
            usable = false;
        }
        return new Metadata(
                object,
                usable ? key : null,
                meta == null ? 0 : seconds(meta.getCreationTimestamp(), mistakes),
                meta == null || meta.getGeneration() == null ? 0 : meta.getGeneration(),
                meta != null && meta.getDeletionTimestamp() != null,
                meta == null ? Sorted.map() : strings(Written.map(meta.getLabels())),
                meta == null ? Sorted.map() : strings(Written.map(meta.getAnnotations())),
                mistakes);
    }

    private static long seconds(@Nullable String timestamp, Mistakes mistakes) {
        if (timestamp == null) {
            return 0;
        }
        try {
            return Instant.parse(timestamp).getEpochSecond();
        } catch (DateTimeParseException e) {
            mistakes.add(
                    "metadata.creationTimestamp",
                    Text.quoted(timestamp) + " is not a time such as 2026-01-31T12:00:00Z; taken as the oldest");
            return 0;
        }
    }

    /** A label without a value is as good as none. */
    private static SortedMap<String, String> strings(Map<String, ? extends @Nullable String> map) {
        if (map.isEmpty()) {
            return Sorted.map();
        }
        SortedMap<String, String> strings = new TreeMap<>();
        map.forEach((name, value) -> {
            if (value != null) {
                strings.put(name, value);
            }
        });
        return Sorted.copyOf(strings);
    }

    String origin() {
        return mistakes.origin();
    }
}
