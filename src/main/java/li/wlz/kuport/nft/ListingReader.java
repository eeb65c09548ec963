package li.wlz.kuport.nft;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.nft.Listing.ListedChain;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Gathers a {@link Listing} from the objects of nft's JSON (libnftables-json(5)), one at a time. */
final class ListingReader {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    /** What separates the parts of a concatenation. */
    private static final String DOT = " . ";

    private boolean present;
    private final Map<String, Hook> hooks = new TreeMap<>();
    private final Map<String, List<String>> comments = new TreeMap<>();
    private final Map<String, NamedSet> sets = new TreeMap<>();
    private final List<String> strangers = new ArrayList<>();

    Listing read(String json) {
        try (JsonParser parser = MAPPER.createParser(json)) {
            expect(parser, JsonToken.START_OBJECT);
            expect(parser, JsonToken.PROPERTY_NAME);
            if (!"nftables".equals(parser.currentName())) {
                throw new ListingException(
                        "an nft listing is an object \"nftables\", not \"" + parser.currentName() + "\"");
            }
            expect(parser, JsonToken.START_ARRAY);
            for (JsonToken t = parser.nextToken(); t == JsonToken.START_OBJECT; t = parser.nextToken()) {
                JsonNode item = parser.readValueAsTree();
                item.properties().forEach(p -> take(p.getKey(), p.getValue()));
            }
            if (parser.currentToken() != JsonToken.END_ARRAY) {
                throw new ListingException("an nft listing holds objects only, not " + parser.currentToken());
            }
            expect(parser, JsonToken.END_OBJECT);
        } catch (JacksonException e) {
            throw new ListingException("the nft listing cannot be read: " + e.getOriginalMessage(), e);
        }
        return present ? listing() : Listing.NOTHING;
    }

    private static void expect(JsonParser parser, JsonToken expected) {
        JsonToken token = parser.nextToken();
        if (token != expected) {
            throw new ListingException("an nft listing has " + expected + " here, not " + token);
        }
    }

    private Listing listing() {
        if (!hooks.keySet().containsAll(comments.keySet())) {
            throw new ListingException(
                    "the nft listing has rules of chains that it does not list: " + comments.keySet());
        }
        Map<String, ListedChain> chains = new TreeMap<>();
        hooks.forEach((name, hook) -> chains.put(name, new ListedChain(hook, comments.getOrDefault(name, List.of()))));
        return new Listing(true, Sorted.copyOf(chains), Sorted.copyOf(sets), strangers);
    }

    private void take(String kind, JsonNode object) {
        if (kind.equals("metainfo") || !isOurs(kind, object)) {
            return;
        }
        String name = object.path("name").asString("");
        switch (kind) {
            case "table" -> takeTable(object);
            case "chain" -> hooks.put(name, hook(object));
            case "rule" ->
                comments.computeIfAbsent(object.path("chain").asString(""), chain -> new ArrayList<>())
                        .add(object.path("comment").asString(""));
            case "set", "map" -> sets.put(name, namedSet(object));
            default -> strangers.add(kind + " " + name);
        }
    }

    private static boolean isOurs(String kind, JsonNode object) {
        return object.path("family").asString("").equals("inet")
                && object.path(kind.equals("table") ? "name" : "table")
                        .asString("")
                        .equals(Ours.TABLE);
    }

    private void takeTable(JsonNode object) {
        present = true;
        // nft 1.0.6 prints the family where a flag's name should be, so that what it says is of no use.
        if (object.has("flags")) {
            strangers.add("flags of the table");
        }
    }

    static Hook hook(JsonNode object) {
        if (!object.has("hook")) {
            return Hook.NONE;
        }
        return new Hook(
                object.path("type").asString(""),
                object.path("hook").asString(""),
                object.path("prio").asInt(0),
                object.path("policy").asString(""));
    }

    private static NamedSet namedSet(JsonNode object) {
        List<String> keyTypes = types(object.path("type"));
        List<String> dataTypes = types(object.path("map"));
        NamedSet.Shape shape = new NamedSet.Shape(
                String.join(DOT, keyTypes),
                String.join(DOT, dataTypes),
                holds(object.path("flags"), "interval"),
                object.path("size").asInt(0));
        Map<String, String> elements = new TreeMap<>();
        for (JsonNode element : object.path("elem")) {
            boolean map = !dataTypes.isEmpty();
            if (map && element.size() != 2) {
                throw new ListingException("an element of a map is a key and its data, not " + element);
            }
            elements.put(text(map ? element.path(0) : element, keyTypes), map ? text(element.path(1), dataTypes) : "");
        }
        return new NamedSet(shape, new Elements(Sorted.copyOf(elements)));
    }

    /** A type alone, a list of them, or (1.0.6, for a map's data) a list in one string. */
    private static List<String> types(JsonNode node) {
        if (node.isMissingNode()) {
            return List.of();
        }
        return node.isArray()
                ? StreamSupport.stream(node.spliterator(), false)
                        .map(type -> type.asString(""))
                        .toList()
                : List.of(node.asString("").split(" \\. "));
    }

    private static boolean holds(JsonNode flags, String flag) {
        return StreamSupport.stream(flags.spliterator(), false)
                .anyMatch(f -> f.asString("").equals(flag));
    }

    private static String text(JsonNode node, List<String> types) {
        // A key with a counter, a comment or a timeout of its own is wrapped.
        JsonNode value = node.has("elem") ? node.path("elem").path("val") : node;
        List<JsonNode> parts = parts(value, types.size());
        if (parts.size() != types.size()) {
            throw new ListingException(value + " has " + parts.size() + " parts, but is of type " + types);
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < parts.size(); i++) {
            text.append(i == 0 ? "" : DOT).append(part(parts.get(i), types.get(i)));
        }
        return text.toString();
    }

    private static List<JsonNode> parts(JsonNode value, int expected) {
        if (value.has("concat")) {
            return StreamSupport.stream(value.path("concat").spliterator(), false)
                    .toList();
        }
        return expected > 1 && value.isString()
                ? List.of(value.asString().split(" \\. ")).stream()
                        .<JsonNode>map(MAPPER.getNodeFactory()::stringNode)
                        .toList()
                : List.of(value);
    }

    private static String part(JsonNode node, String type) {
        if (type.equals("verdict")) {
            return verdict(node);
        }
        if (node.has("range")) {
            return part(node.path("range").path(0), type) + "-"
                    + part(node.path("range").path(1), type);
        }
        if (node.has("prefix")) {
            return prefix(
                    part(node.path("prefix").path("addr"), type),
                    node.path("prefix").path("len").asInt(0),
                    type);
        }
        if (!node.isValueNode()) {
            throw new ListingException(node + " is no value of type " + type);
        }
        return scalar(node, type);
    }

    private static String prefix(String address, int length, String type) {
        if (!type.equals("inet_service")) {
            return address + "/" + length;
        }
        try {
            int first = Integer.parseInt(address);
            return first + "-" + (first | 0xffff >>> length);
        } catch (NumberFormatException e) {
            throw new ListingException(address + "/" + length + " is no range of ports", e);
        }
    }

    private static String verdict(JsonNode node) {
        for (String jump : Set.of("goto", "jump")) {
            if (node.has(jump)) {
                return jump + " " + node.path(jump).path("target").asString("");
            }
        }
        return node.properties().stream().map(Map.Entry::getKey).collect(Collectors.joining(" "));
    }

    private static String scalar(JsonNode node, String type) {
        String text = node.asString("");
        return switch (type) {
            case "ipv4_addr", "ipv6_addr" ->
                IpAddress.tryParse(text).map(IpAddress::toString).orElse(text);
            case "inet_proto" -> protocol(text);
            case "mark" -> node.isNumber() ? MarkSpace.Hex.of((int) node.asLong(0)) : text;
            case "ifname" -> '"' + text + '"';
            default -> text;
        };
    }

    private static String protocol(String text) {
        for (Protocol protocol : Protocol.values()) {
            if (text.equals(Integer.toString(protocol.number()))) {
                return protocol.lowerCase();
            }
        }
        return text;
    }
}
