package li.wlz.kuport.manifest;

import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.exc.MismatchedInputException;

/** Says in words what stands somewhere and what should. */
final class Shape {
    private static final int LONGEST = 80;
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}+");

    /** Fields whose members people name; such a name may hold dots, so it goes in brackets, as Kubernetes writes it. */
    private static final Set<String> MAPS = Set.of("nodes", "external", "matchLabels", "labels", "annotations");

    private Shape() {}

    /** A value of the wrong type. */
    record Mismatch(String field, String message) {}

    /** {@code a list}, {@code the text "80"}. */
    static String of(JsonNode node) {
        return switch (node.getNodeType()) {
            case ARRAY -> "a list";
            case OBJECT, POJO -> "a mapping";
            case STRING, BINARY -> "the text \"" + oneLine(node.asString()) + "\"";
            case NUMBER -> "the number " + oneLine(node.asString());
            case BOOLEAN -> node.asString();
            case NULL, MISSING -> "empty";
        };
    }

    /** Shortened and without control characters. */
    static String oneLine(String text) {
        return oneLine(text, LONGEST);
    }

    /** Shortened to a length and without control characters. */
    static String oneLine(String text, int longest) {
        return CONTROL.matcher(text.length() <= longest ? text : text.substring(0, longest) + "...")
                .replaceAll(" ");
    }

    /** {@code spec.nodes[edge-a].interfaces[0]}, from its names and bracketed indices. */
    static String path(List<String> names) {
        StringBuilder path = new StringBuilder();
        String parent = "";
        for (String name : names) {
            if (name.startsWith("[")) {
                path.append(name);
            } else if (MAPS.contains(parent)) {
                path.append('[').append(oneLine(name)).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(oneLine(name));
            }
            parent = name;
        }
        return path.toString();
    }

    /** What is wrong, where an object could not be made of a tree. */
    static Mismatch mismatch(JacksonException failure, JsonNode tree) {
        List<String> path = new ArrayList<>();
        JsonNode at = tree;
        for (JacksonException.Reference step : failure.getPath()) {
            String name = step.getPropertyName();
            path.add(name == null ? "[" + step.getIndex() + "]" : name);
            at = name == null ? at.path(step.getIndex()) : at.path(name);
        }
        return new Mismatch(path(path), "is " + of(at) + "; " + wanted(target(failure), at));
    }

    private static @Nullable Class<?> target(JacksonException failure) {
        return switch (failure) {
            case MismatchedInputException mismatch -> mismatch.getTargetType();
            case InputCoercionException coercion -> coercion.getTargetType();
            // The deserializer of fabric8 for numbers or texts says nothing of its type.
            default -> failure.getPath().isEmpty() ? null : IntOrString.class;
        };
    }

    private static String wanted(@Nullable Class<?> target, JsonNode found) {
        if (target == null) {
            return "that cannot be read here";
        }
        if (Number.class.isAssignableFrom(target) || target.isPrimitive()) {
            if (found.isIntegralNumber()) {
                return "it must be at most " + Integer.MAX_VALUE;
            }
            boolean quoted = found.isString() && found.asString().matches("[0-9]+");
            return "it must be a whole number" + (quoted ? ", without quotes" : "");
        }
        if (target == String.class) {
            return "it must be a text" + (found.isNumber() || found.isBoolean() ? ", in quotes" : "");
        }
        if (target == Boolean.class) {
            return "it must be true or false";
        }
        if (target == IntOrString.class) {
            return "it must be a number or a text";
        }
        if (Collection.class.isAssignableFrom(target)) {
            return "it must be a list";
        }
        return Map.class.isAssignableFrom(target)
                ? "it must be a mapping of names to values"
                : "it must be a mapping of fields";
    }
}
