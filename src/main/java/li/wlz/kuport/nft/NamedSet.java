package li.wlz.kuport.nft;

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
    }
}
