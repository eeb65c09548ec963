package li.wlz.kuport.model;

import java.util.Comparator;

/** A stretch of this node's way between clients and pods on which nothing passes, since somebody else's rules drop it. */
public record Blockade(Stretch stretch, IpFamily family) implements Comparable<Blockade> {
    private static final Comparator<Blockade> ORDER =
            Comparator.comparing(Blockade::stretch).thenComparing(Blockade::family);

    /** Where packets come in and go out. */
    public enum Stretch {
        UPLINK_TO_LINK,
        UPLINK_TO_POD,
        LINK_TO_POD
    }

    @Override
    public int compareTo(Blockade other) {
        return ORDER.compare(this, other);
    }
}
