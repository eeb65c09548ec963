package li.wlz.kuport.manifest;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import li.wlz.kuport.crd.PortMapClassSpec;
import li.wlz.kuport.crd.PortMapSpec;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Finds the fields of an object of ours that its kind does not have; statuses, which programs write, are not looked at. */
final class UnknownFields {
    private static final List<String> TOP_LEVEL = List.of("apiVersion", "kind", "metadata", "spec", "status");

    /**
     * A field that the kind does not have.
     *
     * @param meant the field that it looks like; null where there is none
     */
    record UnknownField(String path, @Nullable String meant) {
        String message() {
            return "unknown field" + (meant == null ? "; remove it" : "; did you mean " + meant + "?");
        }
    }

    /** What a record is read from: its components by their names in JSON. */
    private static final ClassValue<Map<String, Type>> COMPONENTS = new ClassValue<>() {
        @Override
        protected Map<String, Type> computeValue(Class<?> type) {
            Map<String, Type> components = new LinkedHashMap<>();
            for (RecordComponent component : type.getRecordComponents()) {
                JsonProperty renamed = component.getAccessor().getAnnotation(JsonProperty.class);
                components.put(renamed == null ? component.getName() : renamed.value(), component.getGenericType());
            }
            return components;
        }
    };

    private final List<UnknownField> found = new ArrayList<>();

    private UnknownFields() {}

    static List<UnknownField> of(Kind kind, JsonNode tree) {
        UnknownFields fields = new UnknownFields();
        fields.check(tree, TOP_LEVEL, List.of());
        switch (kind) {
            case PORT_MAP -> fields.walk(tree.path("spec"), PortMapSpec.class, List.of("spec"));
            case PORT_MAP_CLASS -> fields.walk(tree.path("spec"), PortMapClassSpec.class, List.of("spec"));
            case PORT_MAP_NODE, NODE, SERVICE, ENDPOINT_SLICE, NAMESPACE, POD -> {}
        }
        return fields.found;
    }

    /** Goes through a tree along the records that it is read into. */
    private void walk(JsonNode node, Type type, List<String> path) {
        if (type instanceof Class<?> some && some.isRecord() && node.isObject()) {
            Map<String, Type> known = COMPONENTS.get(some);
            check(node, known.keySet(), path);
            known.forEach((name, child) -> walk(node.path(name), child, with(path, name)));
        } else if (type instanceof ParameterizedType generic && node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                walk(node.get(i), generic.getActualTypeArguments()[0], with(path, "[" + i + "]"));
            }
        } else if (type instanceof ParameterizedType generic && node.isObject()) {
            Type child = generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1];
            node.propertyStream().forEach(p -> walk(p.getValue(), child, with(path, p.getKey())));
        }
    }

    private static List<String> with(List<String> path, String name) {
        List<String> longer = new ArrayList<>(path);
        longer.add(name);
        return longer;
    }

    private void check(JsonNode node, Collection<String> known, List<String> path) {
        for (String name : node.propertyNames()) {
            if (!known.contains(name)) {
                found.add(new UnknownField(Shape.path(with(path, name)), similar(name, known)));
            }
        }
    }

    /** The name that was meant: the beginning of it or more than it, or the same with at most two letters wrong. */
    private static @Nullable String similar(String name, Collection<String> known) {
        String lower = name.toLowerCase(Locale.ROOT);
        for (String candidate : known) {
            String other = candidate.toLowerCase(Locale.ROOT);
            if (lower.length() >= 3 && (other.startsWith(lower) || lower.startsWith(other))) {
                return candidate;
            }
        }
        for (String candidate : known) {
            if (candidate.length() > 3 && distance(lower, candidate.toLowerCase(Locale.ROOT)) <= 2) {
                return candidate;
            }
        }
        return null;
    }

    /** How many letters must be added, removed or replaced (Levenshtein); more than 2 is told as 3. */
    private static int distance(String one, String other) {
        if (Math.abs(one.length() - other.length()) > 2) {
            return 3;
        }
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return Math.min(3, row[other.length()]);
    }
}
