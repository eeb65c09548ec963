package li.wlz.kuport.inspect;

import java.util.function.Function;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.MacAddress;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Target;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;
import tools.jackson.databind.ser.std.ToStringSerializer;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/** Values as JSON and YAML: what {@code -o json} and {@code -o yaml} print, and what {@code --facts} reads. */
public final class Notation {
    /** The notations that a person may ask for. */
    public enum Format {
        json,
        yaml
    }

    private final ObjectMapper json = JsonMapper.builder()
            .addModule(texts())
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(
                    DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                    DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                    DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .disable(JsonWriteFeature.ESCAPE_FORWARD_SLASHES)
            .build();
    private final ObjectMapper yaml = YAMLMapper.builder()
            .addModule(texts())
            .enable(YAMLWriteFeature.MINIMIZE_QUOTES)
            .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER, YAMLWriteFeature.SPLIT_LINES)
            .enable(
                    DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                    DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                    DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    /** The value in that notation, ending in a newline. */
    public String write(Format format, Object value) {
        return switch (format) {
            case json -> json.writeValueAsString(value) + "\n";
            case yaml -> yaml.writeValueAsString(value);
        };
    }

    /**
     * Reads a value from YAML, of which JSON is a part.
     *
     * @throws IllegalArgumentException that names the place and what is wrong with it
     */
    public <T> T read(String text, Class<T> type) {
        try {
            return yaml.readValue(text, type);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(e.getOriginalMessage() + place(e), e);
        }
    }

    private static String place(JacksonException e) {
        return e.getLocation() == null
                ? ""
                : " (line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr() + ")";
    }

    /** Values that have a text form of their own are written in it. */
    private static SimpleModule texts() {
        SimpleModule module = new SimpleModule("kuport");
        text(module, IpAddress.class, IpAddress::parse);
        text(module, Cidr.class, Cidr::parse);
        text(module, MacAddress.class, MacAddress::parse);
        text(module, PortRange.class, PortRange::parse);
        text(module, Dialled.class, Dialled::parse);
        module.addSerializer(Target.class, ToStringSerializer.instance);
        module.addKeySerializer(ObjectKey.class, new KeyText<>(ObjectKey.class));
        module.addSerializer(ObjectKey.class, ToStringSerializer.instance);
        return module;
    }

    private static <T> void text(SimpleModule module, Class<T> type, Function<String, T> parse) {
        module.addSerializer(type, ToStringSerializer.instance);
        module.addKeySerializer(type, new KeyText<>(type));
        module.addDeserializer(type, new FromText<>(type, parse));
        module.addKeyDeserializer(type, new KeyDeserializer() {
            @Override
            public Object deserializeKey(String key, DeserializationContext context) {
                return parse.apply(key);
            }
        });
    }

    private static final class KeyText<T> extends StdSerializer<T> {
        KeyText(Class<T> type) {
            super(type);
        }

        @Override
        public void serialize(T value, JsonGenerator generator, SerializationContext context) {
            generator.writeName(value.toString());
        }
    }

    private static final class FromText<T> extends StdDeserializer<T> {
        private final Function<String, T> parse;

        FromText(Class<T> type, Function<String, T> parse) {
            super(type);
            this.parse = parse;
        }

        @Override
        public T deserialize(JsonParser parser, DeserializationContext context) {
            String text = parser.getValueAsString();
            try {
                return parse.apply(text);
            } catch (IllegalArgumentException e) {
                throw context.weirdStringException(text, handledType(), e.getMessage());
            }
        }
    }
}
