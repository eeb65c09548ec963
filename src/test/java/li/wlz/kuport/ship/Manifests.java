package li.wlz.kuport.ship;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Kubernetes objects in YAML. */
final class Manifests {
    private static final ObjectReader READER = new YAMLMapper().readerFor(JsonNode.class);

    private Manifests() {}

    /** The objects of a text by kind and name; two of the same kind and name are an error. */
    static Map<String, JsonNode> parse(String yaml) {
        Map<String, JsonNode> objects = new TreeMap<>();
        List<JsonNode> documents = READER.<JsonNode>readValues(yaml).readAll();
        for (JsonNode object : documents) {
            if (object.isNull()) {
                continue;
            }
            String key = object.at("/kind").asString() + " "
                    + object.at("/metadata/name").asString();
            if (objects.put(key, object) != null) {
                throw new AssertionError("two objects are " + key);
            }
        }
        return objects;
    }

    static List<String> texts(JsonNode array) {
        return array.valueStream().map(JsonNode::asString).toList();
    }
}
