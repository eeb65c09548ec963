package li.wlz.kuport.model;

import java.util.Comparator;

/**
 * The name of a Kubernetes object of a known kind.
 *
 * @param namespace empty for a cluster-scoped object
 */
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {
    private static final Comparator<ObjectKey> ORDER =
            Comparator.comparing(ObjectKey::namespace).thenComparing(ObjectKey::name);

    @Override
    public int compareTo(ObjectKey other) {
        return ORDER.compare(this, other);
    }

    /** {@code games/gameserver}, or {@code public} for a cluster-scoped object. */
    @Override
    public String toString() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }
}
