package li.wlz.kuport.model;

/**
 * The name of a Kubernetes object of a known kind.
 *
 * @param namespace empty for a cluster-scoped object
 */
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {
    @Override
    public int compareTo(ObjectKey other) {
        int byNamespace = namespace.compareTo(other.namespace);
        return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
    }

    /** {@code games/gameserver}, or {@code public} for a cluster-scoped object. */
    @Override
    public String toString() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }
}
