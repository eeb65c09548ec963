package li.wlz.kuport.model;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A sorted map that never changes: what is put in or taken out makes another map, which shares all the rest with this one.
 *
 * <p>So a change among ten thousand entries costs about fifteen new nodes, and {@link SortedDifference} of the two maps looks at
 * no more than those, since what is shared need not be compared. It is an AVL tree: of every node the two sides differ in height
 * by one at most.
 */
@SuppressWarnings(
        "JdkObsolete") // Values are declared as sorted maps and sets; nobody needs what a navigable one has beyond
// that.
public final class PersistentMap<K extends Comparable<K>, V> extends AbstractMap<K, V> implements SortedMap<K, V> {
    private final @Nullable Node<K, V> root;

    /** An entry with those before and after it. */
    static final class Node<K extends Comparable<K>, V> extends AbstractMap.SimpleImmutableEntry<K, V> {
        private static final long serialVersionUID = 1;

        final transient @Nullable Node<K, V> left;
        final transient @Nullable Node<K, V> right;
        final transient int height;
        final transient int size;

        Node(@Nullable Node<K, V> left, K key, V value, @Nullable Node<K, V> right) {
            super(key, value);
            this.left = left;
            this.right = right;
            this.height = Math.max(height(left), height(right)) + 1;
            this.size = size(left) + size(right) + 1;
        }

        static int height(@Nullable Node<?, ?> node) {
            return node == null ? 0 : node.height;
        }

        static int size(@Nullable Node<?, ?> node) {
            return node == null ? 0 : node.size;
        }

        Node<K, V> between(@Nullable Node<K, V> newLeft, @Nullable Node<K, V> newRight) {
            return new Node<>(newLeft, getKey(), getValue(), newRight);
        }
    }

    private PersistentMap(@Nullable Node<K, V> root) {
        this.root = root;
    }

    public static <K extends Comparable<K>, V> PersistentMap<K, V> empty() {
        return new PersistentMap<>(null);
    }

    /** The same entries; the map itself if it is such a one already. */
    public static <K extends Comparable<K>, V> PersistentMap<K, V> copyOf(SortedMap<K, V> map) {
        return map instanceof PersistentMap<K, V> persistent
                ? persistent
                : new PersistentMap<>(build(new ArrayList<>(map.entrySet()), 0, map.size()));
    }

    private static <K extends Comparable<K>, V> @Nullable Node<K, V> build(
            List<Map.Entry<K, V>> sorted, int from, int to) {
        if (from == to) {
            return null;
        }
        int middle = (from + to) >>> 1;
        Map.Entry<K, V> entry = sorted.get(middle);
        return new Node<>(build(sorted, from, middle), entry.getKey(), entry.getValue(), build(sorted, middle + 1, to));
    }

    /** This map with other entries in place of some; an empty one takes the key out. */
    public PersistentMap<K, V> with(SortedMap<K, Optional<V>> changes) {
        if (root == null) {
            SortedMap<K, V> entries = new TreeMap<>();
            changes.forEach((key, value) -> value.ifPresent(present -> entries.put(key, present)));
            return copyOf(entries);
        }
        PersistentMap<K, V> map = this;
        for (Map.Entry<K, Optional<V>> change : changes.entrySet()) {
            map = change.getValue().isPresent()
                    ? map.with(change.getKey(), change.getValue().get())
                    : map.without(change.getKey());
        }
        return map;
    }

    /** This map with an entry more, or another value for the key; the map itself if it holds an equal one. */
    public PersistentMap<K, V> with(K key, V value) {
        return of(put(root, key, value));
    }

    /** This map without an entry for the key; the map itself if it has none. */
    public PersistentMap<K, V> without(K key) {
        return of(remove(root, key));
    }

    @SuppressWarnings("ReferenceEquality") // A node that is the same has the same below it.
    private PersistentMap<K, V> of(@Nullable Node<K, V> other) {
        return other == root ? this : new PersistentMap<>(other);
    }

    @SuppressWarnings("ReferenceEquality") // As above.
    private static <K extends Comparable<K>, V> Node<K, V> put(@Nullable Node<K, V> node, K key, V value) {
        if (node == null) {
            return new Node<>(null, key, value, null);
        }
        int side = key.compareTo(node.getKey());
        if (side < 0) {
            Node<K, V> left = put(node.left, key, value);
            return left == node.left ? node : balanced(left, node, node.right);
        }
        if (side > 0) {
            Node<K, V> right = put(node.right, key, value);
            return right == node.right ? node : balanced(node.left, node, right);
        }
        return value.equals(node.getValue()) ? node : new Node<>(node.left, key, value, node.right);
    }

    @SuppressWarnings("ReferenceEquality") // As above.
    private static <K extends Comparable<K>, V> @Nullable Node<K, V> remove(@Nullable Node<K, V> node, K key) {
        if (node == null) {
            return null;
        }
        int side = key.compareTo(node.getKey());
        if (side < 0) {
            Node<K, V> left = remove(node.left, key);
            return left == node.left ? node : balanced(left, node, node.right);
        }
        if (side > 0) {
            Node<K, V> right = remove(node.right, key);
            return right == node.right ? node : balanced(node.left, node, right);
        }
        if (node.left == null || node.right == null) {
            return node.left == null ? node.right : node.left;
        }
        Node<K, V> next = first(node.right);
        return balanced(node.left, next, remove(node.right, next.getKey()));
    }

    private static <K extends Comparable<K>, V> Node<K, V> first(Node<K, V> node) {
        Node<K, V> first = node;
        while (first.left != null) {
            first = first.left;
        }
        return first;
    }

    /** The entry between two sides, one of which may be higher by two. */
    private static <K extends Comparable<K>, V> Node<K, V> balanced(
            @Nullable Node<K, V> left, Node<K, V> entry, @Nullable Node<K, V> right) {
        int lean = Node.height(left) - Node.height(right);
        if (lean > 1 && left != null) {
            Node<K, V> inner = left.right;
            return inner != null && inner.height > Node.height(left.left)
                    ? inner.between(left.between(left.left, inner.left), entry.between(inner.right, right))
                    : left.between(left.left, entry.between(inner, right));
        }
        if (lean < -1 && right != null) {
            Node<K, V> inner = right.left;
            return inner != null && inner.height > Node.height(right.right)
                    ? inner.between(entry.between(left, inner.left), right.between(inner.right, right.right))
                    : right.between(entry.between(left, inner), right.right);
        }
        return entry.between(left, right);
    }

    /** The last entry whose key is not above this one; null where there is none. */
    public Map.@Nullable Entry<K, V> floorEntry(K key) {
        Node<K, V> floor = null;
        Node<K, V> node = root;
        while (node != null) {
            if (node.getKey().compareTo(key) <= 0) {
                floor = node;
                node = node.right;
            } else {
                node = node.left;
            }
        }
        return floor;
    }

    @Override
    @SuppressWarnings("unchecked") // As in every sorted map, a key of another type is the caller's mistake.
    public @Nullable V get(@Nullable Object key) {
        Map.Entry<K, V> floor = key == null ? null : floorEntry((K) key);
        return floor != null && floor.getKey().equals(key) ? floor.getValue() : null;
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return get(key) != null;
    }

    @Override
    public int size() {
        return Node.size(root);
    }

    /** Whether a map has the same entries, without looking at what both share. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PersistentMap<?, ?> map
                ? map.size() == size() && isSame(map.root)
                : super.equals(other);
    }

    @SuppressWarnings("unchecked") // Keys of different types are never equal, which is all that is asked of them.
    private boolean isSame(@Nullable Node<?, ?> other) {
        Walk<K, V> mine = new Walk<>(root);
        Walk<K, V> theirs = new Walk<>((Node<K, V>) other);
        while (true) {
            Walk.skipShared(mine, theirs);
            if (!mine.hasNext() || !theirs.hasNext()) {
                return mine.hasNext() == theirs.hasNext();
            }
            if (!mine.next().equals(theirs.next())) {
                return false;
            }
        }
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }

    @Override
    public Set<Map.Entry<K, V>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public Iterator<Map.Entry<K, V>> iterator() {
                return walk();
            }

            @Override
            public int size() {
                return PersistentMap.this.size();
            }
        };
    }

    Walk<K, V> walk() {
        return new Walk<>(root);
    }

    /** The keys, as unchanging as the map. */
    @SuppressWarnings("unchecked") // Whoever has the keys only reads the values, as the objects that they are.
    public SortedSet<K> keys() {
        return new Keys<>((PersistentMap<K, Object>) this);
    }

    /** A map's keys. */
    static final class Keys<K extends Comparable<K>> extends AbstractSet<K> implements SortedSet<K> {
        private final PersistentMap<K, Object> map;

        Keys(PersistentMap<K, Object> map) {
            this.map = map;
        }

        PersistentMap<K, Object> map() {
            return map;
        }

        @Override
        public Iterator<K> iterator() {
            Walk<K, Object> walk = map.walk();
            return new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return walk.hasNext();
                }

                @Override
                public K next() {
                    return walk.next().getKey();
                }
            };
        }

        @Override
        public int size() {
            return map.size();
        }

        @Override
        public boolean contains(@Nullable Object key) {
            return map.containsKey(key);
        }

        @Override
        public @Nullable Comparator<? super K> comparator() {
            return null;
        }

        @Override
        public K first() {
            return map.firstKey();
        }

        @Override
        public K last() {
            return map.lastKey();
        }

        @Override
        public SortedSet<K> subSet(K from, K to) {
            return Sorted.copyOf(new TreeSet<>(this).subSet(from, to));
        }

        @Override
        public SortedSet<K> headSet(K to) {
            return Sorted.copyOf(new TreeSet<>(this).headSet(to));
        }

        @Override
        public SortedSet<K> tailSet(K from) {
            return Sorted.copyOf(new TreeSet<>(this).tailSet(from));
        }
    }

    /** Goes along the entries in order, whole parts of the tree at a time where asked to. */
    static final class Walk<K extends Comparable<K>, V> implements Iterator<Map.Entry<K, V>> {
        /** What is still to come, the next on top: a node with all below it, or, where it was opened, the node alone. */
        private final Deque<Part<K, V>> parts = new ArrayDeque<>();

        private record Part<K extends Comparable<K>, V>(Node<K, V> node, boolean whole) {}

        Walk(@Nullable Node<K, V> root) {
            push(root);
        }

        private void push(@Nullable Node<K, V> node) {
            if (node != null) {
                parts.push(new Part<>(node, true));
            }
        }

        private void open() {
            Node<K, V> node = parts.pop().node;
            push(node.right);
            parts.push(new Part<>(node, false));
            push(node.left);
        }

        @Override
        public boolean hasNext() {
            return !parts.isEmpty();
        }

        @Override
        public Map.Entry<K, V> next() {
            Part<K, V> part = parts.peek();
            if (part == null) {
                throw new NoSuchElementException();
            }
            while (part.whole) {
                open();
                part = parts.element();
            }
            parts.pop();
            return part.node;
        }

        /** Passes over what both walks have before them next and share. */
        @SuppressWarnings("ReferenceEquality") // The same node has the same below it.
        static <K extends Comparable<K>, V> void skipShared(Walk<K, V> one, Walk<K, V> other) {
            while (true) {
                Part<K, V> mine = one.parts.peek();
                Part<K, V> theirs = other.parts.peek();
                if (mine == null || theirs == null || (!mine.whole && !theirs.whole)) {
                    return;
                }
                if (mine.whole && theirs.whole && mine.node == theirs.node) {
                    one.parts.pop();
                    other.parts.pop();
                } else if (mine.whole && (!theirs.whole || mine.node.height >= theirs.node.height)) {
                    one.open();
                } else {
                    other.open();
                }
            }
        }
    }

    @Override
    public @Nullable Comparator<? super K> comparator() {
        return null;
    }

    @Override
    public K firstKey() {
        return walk().next().getKey();
    }

    @Override
    public K lastKey() {
        Node<K, V> last = root;
        if (last == null) {
            throw new NoSuchElementException();
        }
        while (last.right != null) {
            last = last.right;
        }
        return last.getKey();
    }

    @Override
    public SortedMap<K, V> subMap(K from, K to) {
        return Sorted.copyOf(new TreeMap<>(this).subMap(from, to));
    }

    @Override
    public SortedMap<K, V> headMap(K to) {
        return Sorted.copyOf(new TreeMap<>(this).headMap(to));
    }

    @Override
    public SortedMap<K, V> tailMap(K from) {
        return Sorted.copyOf(new TreeMap<>(this).tailMap(from));
    }
}
