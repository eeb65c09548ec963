package li.wlz.kuport.manifest;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import li.wlz.kuport.crd.Resources.Sourced;
import li.wlz.kuport.manifest.UnknownFields.UnknownField;
import li.wlz.kuport.model.Problem;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/**
 * Makes objects of one document.
 *
 * <p>A value of the wrong type makes the object unreadable, as it would be refused by the API server. A field of ours that we do
 * not know is a mistake too: where it looks like one that the object leaves out, it is unreadable as well, since it may mean to
 * narrow something; so is a PortMapClass with any, since what we do not know may be a restriction. Else the field is named and
 * left out. Statuses, which programs write, may hold what they like.
 */
final class DocumentReader {
    /** Numbers, texts and truth values are not taken for one another: Kubernetes does not either. */
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .withCoercionConfig(
                    LogicalType.Textual,
                    config -> config.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
            .changeDefaultPropertyInclusion(i -> i.withValueInclusion(JsonInclude.Include.NON_NULL))
            .build();

    private final String origin;
    private final int line;
    private final List<ManifestObject> objects = new ArrayList<>();
    private final List<String> unreadable = new ArrayList<>();
    private final List<Problem> problems = new ArrayList<>();

    private DocumentReader(String origin, int line) {
        this.origin = origin;
        this.line = line;
    }

    /**
     * What a document holds.
     *
     * @param unreadable the keys of objects that are there and could not be made
     */
    record Content(List<ManifestObject> objects, List<String> unreadable, List<Problem> problems) {
        Content {
            objects = List.copyOf(objects);
            unreadable = List.copyOf(unreadable);
            problems = List.copyOf(problems);
        }
    }

    /**
     * Reads a document; a {@code List}, as {@code kubectl get -o yaml} prints it, holds many objects.
     *
     * @throws UnreadableException if it is no YAML
     */
    static Content read(String origin, YamlDocument document) throws UnreadableException {
        DocumentReader reader = new DocumentReader(origin, document.line());
        JsonNode tree = YamlTree.read(document);
        if (!tree.isNull()) {
            reader.take(tree, "document at line " + document.line());
        }
        return new Content(reader.objects, reader.unreadable, reader.problems);
    }

    private void take(JsonNode tree, String where) {
        if (!tree.isObject()) {
            problem(where, "", "is " + Shape.of(tree) + "; an object has apiVersion, kind and metadata");
            return;
        }
        if (tree.path("kind").asString("").equals("List")) {
            takeItems(tree.path("items"), where);
            return;
        }
        JsonNode kind = tree.path("kind");
        JsonNode name = tree.path("metadata").path("name");
        JsonNode namespace = tree.path("metadata").path("namespace");
        if (!kind.isString()) {
            problem(
                    where,
                    "kind",
                    (kind.isMissingNode() ? "is missing" : "is " + Shape.of(kind)) + "; it is one of " + Kind.ALL);
            return;
        }
        String key =
                (namespace.isString() ? namespace.asString() + "/" : "") + (name.isString() ? name.asString() : "");
        takeKind(tree, kind.asString(), key, key.isEmpty() ? where : "");
    }

    private void takeItems(JsonNode items, String where) {
        if (!items.isArray()) {
            problem(where, "items", "a List has a list of items");
            return;
        }
        for (int i = 0; i < items.size(); i++) {
            take(items.get(i), "item " + i + " of the List at line " + line);
        }
    }

    private void takeKind(JsonNode tree, String name, String key, String where) {
        String object = Shape.oneLine(where.isEmpty() ? name + " " + key : name + " (" + where + ")");
        Optional<Kind> kind = Kind.named(name);
        if (kind.isEmpty()) {
            problem(object, "kind", Shape.oneLine(name) + " is not read; a folder holds " + Kind.ALL);
            return;
        }
        String version = tree.path("apiVersion").asString("");
        if (!version.equals(kind.get().apiVersion())) {
            problem(
                    object,
                    "apiVersion",
                    (version.isEmpty() ? "is missing" : Shape.oneLine(version) + " is not read") + "; write "
                            + kind.get().apiVersion());
            unreadable.add(name + " " + key);
            return;
        }
        HasMetadata made = make(tree, kind.get(), object);
        boolean misspelt = isMisspelt(tree, kind.get(), object);
        if (made == null || misspelt) {
            unreadable.add(name + " " + key);
        } else {
            objects.add(new ManifestObject(kind.get(), key, new Sourced<>(made, origin)));
        }
    }

    private @Nullable HasMetadata make(JsonNode tree, Kind kind, String object) {
        try {
            return MAPPER.readerFor(kind.type()).readValue(MAPPER.treeAsTokens(tree));
        } catch (JacksonException e) {
            Shape.Mismatch mismatch = Shape.mismatch(e, tree);
            problem(object, mismatch.field(), mismatch.message());
            return null;
        }
    }

    /** Names the fields that the kind does not have; true where the object may mean something else than it says without them. */
    private boolean isMisspelt(JsonNode tree, Kind kind, String object) {
        if (!kind.isOurs()) {
            return false;
        }
        List<UnknownField> unknown = UnknownFields.of(kind, tree);
        unknown.forEach(field -> problem(object, field.path(), field.message()));
        return kind == Kind.PORT_MAP_CLASS
                ? !unknown.isEmpty()
                : unknown.stream().anyMatch(field -> field.meant() != null);
    }

    private void problem(String object, String field, String message) {
        problems.add(new Problem(origin, object, field, message));
    }
}
