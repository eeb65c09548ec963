package li.wlz.kuport.model;

/** One port or an inclusive range of ports, 1 to 65535. */
public record PortRange(int first, int last) implements Comparable<PortRange> {
    public PortRange {
        if (first < 1 || last > 65535 || last < first) {
            throw new IllegalArgumentException(
                    "ports are 1 to 65535, the last not below the first: " + first + "-" + last);
        }
    }

    public static PortRange of(int port) {
        return new PortRange(port, port);
    }

    /**
     * Reads {@code 8080} or {@code 9000-9100}.
     *
     * @throws IllegalArgumentException if it is neither, or out of range
     */
    public static PortRange parse(String text) {
        if (!text.matches("[0-9]{1,5}(-[0-9]{1,5})?")) {
            throw new IllegalArgumentException("\"" + text + "\" is neither a port nor a range such as 9000-9100");
        }
        int dash = text.indexOf('-');
        return dash < 0
                ? of(Integer.parseInt(text))
                : new PortRange(Integer.parseInt(text.substring(0, dash)), Integer.parseInt(text.substring(dash + 1)));
    }

    public boolean isSingle() {
        return first == last;
    }

    public boolean contains(int port) {
        return first <= port && port <= last;
    }

    public boolean contains(PortRange other) {
        return first <= other.first && other.last <= last;
    }

    public boolean overlaps(PortRange other) {
        return first <= other.last && other.first <= last;
    }

    @Override
    public int compareTo(PortRange other) {
        return first != other.first ? Integer.compare(first, other.first) : Integer.compare(last, other.last);
    }

    @Override
    public String toString() {
        return isSingle() ? Integer.toString(first) : first + "-" + last;
    }
}
