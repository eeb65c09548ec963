package li.wlz.kuport.intake;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.stream.Collectors;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.PodEntry;
import li.wlz.kuport.model.Protocol;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads the annotation by which a pod asks for ports of its node; docs/annotations.md has the rules.
 *
 * <p>Whoever can make a pod can write anything here, so the text is streamed and bounded in length and depth. One mistake refuses
 * the whole annotation.
 */
final class AnnotationReader {
    /** As many characters as all annotations of an object may have in Kubernetes, in bytes. */
    static final int LONGEST = 256 * 1024;

    static final int DEEPEST = 32;

    private static final int LONGEST_NUMBER = 32;
    private static final String ENTRIES = "entries";

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEEPEST)
                    .maxNumberLength(LONGEST_NUMBER)
                    .build())
            .build();

    /** The keys of an entry. */
    private enum Key {
        IFACE_AUTO("ifaceAuto"),
        SRC_IP("srcIP"),
        SRC_PORT("srcPort"),
        DST_PORT("dstPort"),
        PROTO("proto");

        final String written;

        Key(String written) {
            this.written = written;
        }
    }

    /** A value as it was written: of a list or an object the beginning alone. */
    private record Value(JsonToken token, String text) {}

    /** A list of entries; the last one of that name counts. */
    private record Raw(
            List<Map<Key, Value>> entries, @Nullable String mistake) {}

    private static final class Refused extends Exception {
        Refused(String message) {
            super(message);
        }
    }

    /**
     * What an annotation says.
     *
     * @param entries empty where there is a mistake
     * @param mistake the entry, the key and what is right; null where there is none
     */
    record Annotation(List<PodEntry> entries, @Nullable String mistake) {}

    private final SortedSet<Integer> restricted;

    private AnnotationReader(SortedSet<Integer> restricted) {
        this.restricted = restricted;
    }

    /** @param restricted ports that may be neither asked for nor delivered to */
    static Annotation read(String text, SortedSet<Integer> restricted) {
        try {
            if (text.length() > LONGEST) {
                throw new Refused("has " + text.length() + " characters; at most " + LONGEST + " are read");
            }
            return new Annotation(new AnnotationReader(restricted).entries(parse(text)), null);
        } catch (Refused e) {
            return new Annotation(List.of(), String.valueOf(e.getMessage()));
        } catch (JacksonException e) {
            return new Annotation(List.of(), "is not JSON: " + Text.shown(e.getOriginalMessage()) + place(e));
        }
    }

    private static String place(JacksonException e) {
        return e.getLocation() == null
                ? ""
                : " (line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr() + ")";
    }

    // What is written.

    private static Raw parse(String text) throws Refused {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
            JsonToken first = parser.nextToken();
            if (first == null) {
                throw new Refused("is empty; write {\"entries\":[...]}");
            }
            Raw raw = first == JsonToken.VALUE_NULL ? new Raw(List.of(), null) : object(parser, first);
            if (parser.nextToken() != null) {
                throw new Refused("has more text after its end; write one object {\"entries\":[...]}");
            }
            return raw;
        }
    }

    private static Raw object(JsonParser parser, JsonToken first) throws Refused {
        if (first != JsonToken.START_OBJECT) {
            parser.skipChildren();
            throw new Refused("is " + kind(first) + "; write {\"entries\":[...]}");
        }
        Raw raw = new Raw(List.of(), null);
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            boolean entries = ENTRIES.equalsIgnoreCase(parser.currentName());
            JsonToken value = parser.nextToken();
            if (entries) {
                raw = list(parser, value);
            } else {
                parser.skipChildren();
            }
        }
        return raw;
    }

    private static Raw list(JsonParser parser, JsonToken token) {
        if (token == JsonToken.VALUE_NULL) {
            return new Raw(List.of(), null);
        }
        if (token != JsonToken.START_ARRAY) {
            parser.skipChildren();
            return new Raw(List.of(), ENTRIES + ": is " + kind(token) + "; write a list of objects");
        }
        List<Map<Key, Value>> entries = new ArrayList<>();
        String mistake = null;
        for (JsonToken item = parser.nextToken(); item != JsonToken.END_ARRAY; item = parser.nextToken()) {
            if (item == JsonToken.START_OBJECT) {
                entries.add(entry(parser));
            } else {
                parser.skipChildren();
                entries.add(Map.of());
                if (mistake == null) {
                    mistake = ENTRIES + "[" + (entries.size() - 1) + "]: is " + kind(item)
                            + "; write an object such as {\"srcPort\":25,\"dstPort\":25}";
                }
            }
        }
        return new Raw(entries, mistake);
    }

    private static Map<Key, Value> entry(JsonParser parser) {
        Map<Key, Value> values = new EnumMap<>(Key.class);
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            JsonToken token = parser.nextToken();
            Value value = new Value(token, token.isScalarValue() ? parser.getString() : "");
            parser.skipChildren();
            for (Key key : Key.values()) {
                if (key.written.equalsIgnoreCase(name)) {
                    values.put(key, value);
                }
            }
        }
        values.values().removeIf(value -> value.token() == JsonToken.VALUE_NULL);
        return values;
    }

    private static String kind(JsonToken token) {
        return switch (token) {
            case START_OBJECT, END_OBJECT -> "an object";
            case START_ARRAY, END_ARRAY -> "a list";
            case VALUE_STRING -> "a text";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
            case VALUE_TRUE, VALUE_FALSE -> "true or false";
            case VALUE_NULL -> "null";
            case PROPERTY_NAME, VALUE_EMBEDDED_OBJECT, NOT_AVAILABLE -> "no value";
        };
    }

    // What it means.

    private List<PodEntry> entries(Raw raw) throws Refused {
        if (raw.mistake() != null) {
            throw new Refused(raw.mistake());
        }
        List<PodEntry> entries = new ArrayList<>(raw.entries().size());
        for (int i = 0; i < raw.entries().size(); i++) {
            entries.add(entry(ENTRIES + "[" + i + "].", raw.entries().get(i)));
        }
        return entries;
    }

    private PodEntry entry(String path, Map<Key, Value> values) throws Refused {
        boolean auto = auto(path, values.get(Key.IFACE_AUTO));
        IpAddress address = address(path, values.get(Key.SRC_IP));
        if (address == null && !auto) {
            throw new Refused(
                    path + "srcIP: is missing; with ifaceAuto false it names the node's address to answer on");
        }
        if (address != null && auto) {
            throw new Refused(path + "ifaceAuto: must be false where srcIP is given; left out it means true");
        }
        return new PodEntry(
                address,
                port(path + Key.SRC_PORT.written, values.get(Key.SRC_PORT)),
                port(path + Key.DST_PORT.written, values.get(Key.DST_PORT)),
                protocol(path, values.get(Key.PROTO)));
    }

    private static boolean auto(String path, @Nullable Value value) throws Refused {
        if (value == null || value.token() == JsonToken.VALUE_TRUE) {
            return true;
        }
        if (value.token() == JsonToken.VALUE_FALSE) {
            return false;
        }
        throw new Refused(path + "ifaceAuto: is " + kind(value.token()) + "; write true or false, without quotes");
    }

    private static @Nullable IpAddress address(String path, @Nullable Value value) throws Refused {
        if (value == null) {
            return null;
        }
        String wrong = value.token() == JsonToken.VALUE_STRING
                ? Text.quoted(value.text()) + " is no address"
                : "is " + kind(value.token());
        return (value.token() == JsonToken.VALUE_STRING
                        ? IpAddress.tryParse(value.text())
                        : java.util.Optional.<IpAddress>empty())
                .orElseThrow(() -> new Refused(
                        path + "srcIP: " + wrong + "; write an IPv4 or IPv6 address of the node, never a name"));
    }

    private int port(String path, @Nullable Value value) throws Refused {
        if (value == null) {
            throw new Refused(path + ": is missing; " + Ports.RULE);
        }
        if (value.token() != JsonToken.VALUE_NUMBER_INT) {
            String what = value.token() == JsonToken.VALUE_NUMBER_FLOAT
                    ? Text.shown(value.text()) + " is no whole number"
                    : "is " + kind(value.token());
            throw new Refused(path + ": " + what + "; write a number without quotes, " + Ports.RULE);
        }
        String digits = value.text();
        if (!digits.matches("[0-9]{1,5}") || !Ports.isPort(Integer.parseInt(digits))) {
            throw new Refused(path + ": " + Text.shown(digits) + " is not a port; " + Ports.RULE);
        }
        int port = Integer.parseInt(digits);
        if (restricted.contains(port)) {
            throw new Refused(path + ": " + port + " is restricted (as are "
                    + restricted.stream().map(String::valueOf).collect(Collectors.joining(", "))
                    + "); choose another, or have an admin lift it by --restricted-ports");
        }
        return port;
    }

    private static Protocol protocol(String path, @Nullable Value value) throws Refused {
        if (value == null) {
            return Protocol.TCP;
        }
        if (value.token() == JsonToken.VALUE_STRING) {
            for (Protocol protocol : Protocol.values()) {
                if (protocol.lowerCase().equals(value.text())) {
                    return protocol;
                }
            }
        }
        String wrong =
                value.token() == JsonToken.VALUE_STRING ? Text.quoted(value.text()) : "is " + kind(value.token());
        throw new Refused(path + "proto: " + wrong + (value.token() == JsonToken.VALUE_STRING ? " is not known" : "")
                + "; write \"tcp\" or \"udp\", in small letters");
    }
}
