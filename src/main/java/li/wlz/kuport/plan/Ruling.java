package li.wlz.kuport.plan;

import java.util.Objects;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortRequest;
import org.jspecify.annotations.Nullable;

/** What is decided about one PortMap: first by itself, then beside those that ask for its ports, then with those of its Service. */
final class Ruling {
    private final Judged alone;
    private @Nullable Judged settled;
    private @Nullable Mapping mapping;
    private @Nullable Overlap overlap;

    Ruling(Judged alone) {
        this.alone = alone;
    }

    ObjectKey key() {
        return alone.request().key();
    }

    PortRequest request() {
        return alone.request();
    }

    /** The verdict by itself. */
    Judged alone() {
        return alone;
    }

    /** The verdict once conflicts are settled. */
    Judged settled() {
        return Objects.requireNonNull(settled);
    }

    /**
     * Settles the verdict.
     *
     * @return whether it is another than before
     */
    boolean settle(Judged verdict) {
        boolean changes = !verdict.equals(settled);
        settled = verdict;
        return changes;
    }

    /** The accepted mapping; null where the PortMap is not accepted. */
    @Nullable
    Mapping mapping() {
        return mapping;
    }

    /**
     * Gives it its pod and serving nodes; null where it is not accepted.
     *
     * @return whether they are others than before
     */
    boolean choose(@Nullable Mapping chosen) {
        boolean changes = !Objects.equals(chosen, mapping);
        mapping = chosen;
        return changes;
    }

    Overlap overlap() {
        return Objects.requireNonNull(overlap);
    }

    void belongTo(Overlap other) {
        overlap = other;
    }
}
