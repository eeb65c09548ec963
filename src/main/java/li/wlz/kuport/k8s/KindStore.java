package li.wlz.kuport.k8s;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import li.wlz.kuport.crd.Resources.Sourced;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one kind that an informer has seen, each as little as decisions need.
 *
 * <p>An object that comes again without a difference that matters stays the same instance, and is no change.
 */
final class KindStore<T extends HasMetadata> implements ItemStore<T> {
    /** Told of each change, with the lock held. */
    interface Change<T> {
        /**
         * Takes note of a change.
         *
         * @param before null where the object is new
         * @param now null where it is gone
         */
        void changed(@Nullable T before, @Nullable T now);
    }

    private final Object lock;
    private final UnaryOperator<T> slim;
    private final Change<T> change;
    private final SortedMap<String, Sourced<T>> objects = new TreeMap<>();
    private @Nullable List<Sourced<T>> listing;

    /** @param lock guards this store; the same one may guard others, to see them change together */
    KindStore(Object lock, UnaryOperator<T> slim, Change<T> change) {
        this.lock = lock;
        this.slim = slim;
        this.change = change;
    }

    /** All objects in the order of their keys: the same list for as long as nothing changes. */
    List<Sourced<T>> listing() {
        synchronized (lock) {
            if (listing == null) {
                listing = List.copyOf(objects.values());
            }
            return listing;
        }
    }

    @Override
    public String getKey(T object) {
        return Cache.metaNamespaceKeyFunc(object);
    }

    @Override
    public @Nullable T put(String key, T object) {
        T now = slim.apply(object);
        synchronized (lock) {
            T before = get(key);
            if (!now.equals(before)) {
                objects.put(key, new Sourced<>(now, ""));
                listing = null;
                change.changed(before, now);
            }
            return before;
        }
    }

    @Override
    public @Nullable T remove(String key) {
        synchronized (lock) {
            T before = get(key);
            objects.remove(key);
            if (before != null) {
                listing = null;
                change.changed(before, null);
            }
            return before;
        }
    }

    @Override
    public @Nullable T get(String key) {
        synchronized (lock) {
            Sourced<T> found = objects.get(key);
            return found == null ? null : found.object();
        }
    }

    @Override
    public Stream<String> keySet() {
        synchronized (lock) {
            return new ArrayList<>(objects.keySet()).stream();
        }
    }

    @Override
    public Stream<T> values() {
        return listing().stream().map(Sourced::object);
    }

    @Override
    public int size() {
        synchronized (lock) {
            return objects.size();
        }
    }
}
