package li.wlz.kuport.nft;

import java.util.ArrayList;
import java.util.List;

/** A set or map: what it may hold, and what it holds. */
public record NamedSet(Shape shape, Elements elements) {

    /**
     * What cannot be changed once a set is there.
     *
     * @param key the type of its keys, {@code ipv4_addr . inet_proto . inet_service}
     * @param data the type of a map's data, {@code verdict}; empty for a set
     * @param interval whether keys may be ranges
     * @param size how many elements it may have; 0 for as many as there is memory
     */
    public record Shape(String key, String data, boolean interval, int size) {
        /** {@code map} or {@code set}. */
        String kind() {
            return data.isEmpty() ? "set" : "map";
        }

        /** What stands between the braces of a declaration, a line each. */
        List<String> properties() {
            List<String> properties = new ArrayList<>();
            properties.add("type " + key + (data.isEmpty() ? "" : " : " + data));
            if (interval) {
                properties.add("flags interval");
            }
            if (size > 0) {
                properties.add("size " + size);
            }
            return properties;
        }
    }
}
