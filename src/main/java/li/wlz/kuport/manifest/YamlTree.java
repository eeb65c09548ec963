package li.wlz.kuport.manifest;

import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.resolver.ScalarResolver;
import org.snakeyaml.engine.v2.schema.CoreSchema;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads a YAML document into a tree, whatever the document: its depth and its size are bounded, aliases counted as if written
 * out, since a short text of aliases can stand for more than any memory holds.
 */
final class YamlTree {
    static final int DEEPEST = 64;
    static final int MOST_VALUES = 1_000_000;

    private static final int LONGEST_NUMBER = 40;
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final ScalarResolver SCALARS = new CoreSchema().getScalarResolver();
    private static final LoadSettings SETTINGS =
            LoadSettings.builder().setCodePointLimit(Integer.MAX_VALUE).build();

    private static final Pattern WHOLE = Pattern.compile("[-+]?[0-9]+");

    /** A tree and what it would be with its aliases written out. */
    private record Sized(JsonNode node, int values, int height) {}

    /** A list or mapping that is being read. */
    private static final class Open {
        final JsonNode node;
        final Optional<Anchor> anchor;

        @Nullable
        String key;

        int values = 1;
        int height;

        Open(JsonNode node, Optional<Anchor> anchor) {
            this.node = node;
            this.anchor = anchor;
        }
    }

    private final int firstLine;
    private final Deque<Open> open = new ArrayDeque<>();
    private final Map<Anchor, Sized> anchors = new HashMap<>();
    private JsonNode root = NODES.nullNode();
    private int values;

    private YamlTree(int firstLine) {
        this.firstLine = firstLine;
    }

    /**
     * The document's content; null where it has none.
     *
     * @throws UnreadableException if it is not YAML, or more than the limits allow, or means two things at once
     */
    static JsonNode read(YamlDocument document) throws UnreadableException {
        YamlTree tree = new YamlTree(document.line());
        try {
            for (Event event : new Parse(SETTINGS).parseString(document.text())) {
                tree.take(event);
            }
            return tree.root;
        } catch (MarkedYamlEngineException e) {
            throw tree.unreadable(e.getProblemMark().or(e::getContextMark), words(e));
        } catch (YamlEngineException e) {
            throw new UnreadableException("document of line " + document.line() + ": " + e.getMessage());
        }
    }

    /** What the parser was at, and what it expected. */
    private static String words(MarkedYamlEngineException e) {
        String context = e.getContext() == null ? "" : e.getContext() + ": ";
        return context + e.getProblem();
    }

    private UnreadableException unreadable(Optional<Mark> mark, String message) {
        return mark.map(m -> new UnreadableException(firstLine + m.getLine(), m.getColumn() + 1, message))
                .orElseGet(() -> new UnreadableException(message));
    }

    private void take(Event event) throws UnreadableException {
        switch (event.getEventId()) {
            case MappingStart -> begin(NODES.objectNode(), (NodeEvent) event);
            case SequenceStart -> begin(NODES.arrayNode(), (NodeEvent) event);
            case MappingEnd, SequenceEnd -> end(event);
            case Scalar -> takeScalar((ScalarEvent) event);
            case Alias -> takeAlias((AliasEvent) event);
            case StreamStart, StreamEnd, DocumentStart, DocumentEnd, Comment -> {}
        }
    }

    private void begin(JsonNode node, NodeEvent event) throws UnreadableException {
        Open parent = open.peek();
        if (parent != null && parent.node instanceof ObjectNode && parent.key == null) {
            throw unreadable(event.getStartMark(), "the name of a field must be a plain text");
        }
        if (open.size() == DEEPEST) {
            throw unreadable(event.getStartMark(), "nested deeper than " + DEEPEST + " levels");
        }
        open.push(new Open(node, event.getAnchor()));
        count(1, event);
    }

    private void end(Event event) throws UnreadableException {
        Open done = open.pop();
        Sized sized = new Sized(done.node, done.values, done.height + 1);
        done.anchor.ifPresent(anchor -> anchors.put(anchor, sized));
        put(sized, event);
    }

    private void takeScalar(ScalarEvent event) throws UnreadableException {
        count(1, event);
        Open parent = open.peek();
        if (parent != null && parent.node instanceof ObjectNode mapping && parent.key == null) {
            takeKey(parent, mapping, event);
            return;
        }
        Sized sized = new Sized(value(event), 1, 0);
        event.getAnchor().ifPresent(anchor -> anchors.put(anchor, sized));
        put(sized, event);
    }

    private void takeKey(Open parent, ObjectNode mapping, ScalarEvent event) throws UnreadableException {
        String key = event.getValue();
        if (mapping.has(key)) {
            throw unreadable(event.getStartMark(), "\"" + key + "\" is there twice; only one of the two can be meant");
        }
        if (key.equals("<<") && event.isPlain()) {
            throw unreadable(event.getStartMark(), "merge keys (<<) are not read; write the fields out");
        }
        parent.key = key;
    }

    private void takeAlias(AliasEvent event) throws UnreadableException {
        Sized target = anchors.get(event.getAlias());
        if (target == null) {
            throw unreadable(
                    event.getStartMark(), "*" + event.getAlias() + " has no &" + event.getAlias() + " before it");
        }
        if (open.size() + target.height() > DEEPEST) {
            throw unreadable(event.getStartMark(), "nested deeper than " + DEEPEST + " levels, by aliases");
        }
        Open parent = open.peek();
        if (parent != null && parent.node instanceof ObjectNode && parent.key == null) {
            throw unreadable(event.getStartMark(), "the name of a field must be a plain text, not an alias");
        }
        count(target.values(), event);
        put(target, event);
    }

    private void count(int more, Event event) throws UnreadableException {
        values += more;
        if (values > MOST_VALUES) {
            throw unreadable(
                    event.getStartMark(), "more than " + MOST_VALUES + " values in one document, aliases written out");
        }
    }

    private void put(Sized sized, Event event) throws UnreadableException {
        Open parent = open.peek();
        if (parent == null) {
            root = sized.node();
            return;
        }
        parent.values += sized.values();
        parent.height = Math.max(parent.height, sized.height());
        if (parent.node instanceof ObjectNode mapping && parent.key != null) {
            mapping.set(parent.key, sized.node());
            parent.key = null;
        } else if (parent.node instanceof ArrayNode list) {
            list.add(sized.node());
        } else {
            throw unreadable(event.getStartMark(), "the name of a field must be a plain text");
        }
    }

    private JsonNode value(ScalarEvent event) throws UnreadableException {
        String text = event.getValue();
        String tag = event.getTag().orElse("");
        Tag type;
        if (tag.isEmpty() || tag.equals("!")) {
            type = event.isPlain() && tag.isEmpty() ? SCALARS.resolve(text, true) : Tag.STR;
        } else {
            type = new Tag(tag);
        }
        if (type.equals(Tag.STR)) {
            return NODES.stringNode(text);
        }
        if (type.equals(Tag.NULL)) {
            return NODES.nullNode();
        }
        if (type.equals(Tag.BOOL)) {
            return NODES.booleanNode(Boolean.parseBoolean(text));
        }
        if (type.equals(Tag.INT) || type.equals(Tag.FLOAT)) {
            return number(text, event);
        }
        throw unreadable(event.getStartMark(), "the tag " + tag + " is not read");
    }

    private JsonNode number(String text, ScalarEvent event) throws UnreadableException {
        try {
            if (text.length() > LONGEST_NUMBER) {
                throw new NumberFormatException();
            }
            if (WHOLE.matcher(text).matches()) {
                return whole(new BigInteger(text));
            }
            if (text.startsWith("0x") || text.startsWith("0o")) {
                return whole(new BigInteger(text.substring(2), text.charAt(1) == 'x' ? 16 : 8));
            }
            return NODES.numberNode(Double.parseDouble(text));
        } catch (NumberFormatException e) {
            throw unreadable(
                    event.getStartMark(),
                    "\"" + text.substring(0, Math.min(text.length(), LONGEST_NUMBER))
                            + "\" is not a number that can be read");
        }
    }

    private static JsonNode whole(BigInteger number) {
        return number.bitLength() < 32 ? NODES.numberNode(number.intValue()) : NODES.numberNode(number);
    }
}
