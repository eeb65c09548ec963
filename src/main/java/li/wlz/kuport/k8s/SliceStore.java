package li.wlz.kuport.k8s;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapSpec;
import li.wlz.kuport.crd.PortMapSpec.ServiceRef;
import li.wlz.kuport.crd.Resources.Sourced;
import li.wlz.kuport.model.ObjectKey;
import org.jspecify.annotations.Nullable;

/**
 * The EndpointSlices of the Services that some PortMap names; of the others, which are most in a big cluster, nothing.
 *
 * <p>When a PortMap comes to name a Service, the slices that were let go before are asked for. Until they are there,
 * {@link #complete} says no: their absence means nothing yet.
 */
final class SliceStore implements ItemStore<EndpointSlice> {
    private final Object lock;
    private final KindStore<EndpointSlice> kept;
    private final Consumer<ObjectKey> missing;
    private final Map<ObjectKey, Integer> namedBy = new HashMap<>();

    /** Services whose slices were asked for, and which slices were deleted since. */
    private final Map<ObjectKey, Set<String>> awaited = new HashMap<>();

    private boolean watching;

    /**
     * Makes an empty store.
     *
     * @param lock the one that guards the PortMaps too: a PortMap is never seen without its Service being named
     * @param missing asked, with the lock held, for the slices of a Service; {@link #found} answers
     */
    SliceStore(Object lock, Runnable dirty, Consumer<ObjectKey> missing) {
        this.lock = lock;
        this.kept = new KindStore<>(lock, Slim::slice, (before, now) -> dirty.run());
        this.missing = missing;
    }

    /** From now on the informer sees all slices, so that only what is named later needs to be asked for. */
    void watching() {
        synchronized (lock) {
            watching = true;
        }
    }

    /** Takes note of a PortMap's change. */
    void portMapChanged(@Nullable PortMap before, @Nullable PortMap now) {
        ObjectKey left = service(before);
        ObjectKey named = service(now);
        synchronized (lock) {
            if (named != null && !named.equals(left) && namedBy.merge(named, 1, Integer::sum) == 1 && watching) {
                awaited.put(named, new HashSet<>());
                missing.accept(named);
            }
            if (left != null && !left.equals(named) && namedBy.merge(left, -1, Integer::sum) == 0) {
                namedBy.remove(left);
                awaited.remove(left);
                keys(left).forEach(kept::remove);
            }
        }
    }

    private static @Nullable ObjectKey service(@Nullable PortMap portMap) {
        PortMapSpec spec = portMap == null ? null : portMap.getSpec();
        ServiceRef reference = spec == null ? null : spec.serviceRef();
        return portMap == null || reference == null || reference.name() == null
                ? null
                : new ObjectKey(portMap.getMetadata().getNamespace(), reference.name());
    }

    private List<String> keys(ObjectKey service) {
        return kept.values()
                .filter(slice -> service.equals(service(slice)))
                .map(kept::getKey)
                .toList();
    }

    private static @Nullable ObjectKey service(EndpointSlice slice) {
        String name = Slim.serviceOf(slice);
        return name == null ? null : new ObjectKey(slice.getMetadata().getNamespace(), name);
    }

    /** Whether the slices of a Service are still asked for. */
    boolean awaits(ObjectKey service) {
        synchronized (lock) {
            return awaited.containsKey(service);
        }
    }

    /** Whether all slices of all named Services are here, once the informer has seen all slices. */
    boolean complete() {
        synchronized (lock) {
            return awaited.isEmpty();
        }
    }

    /** The answer to a question for slices. What the informer has seen since the question is newer, or will be. */
    void found(ObjectKey service, List<EndpointSlice> slices) {
        synchronized (lock) {
            Set<String> deleted = awaited.remove(service);
            if (deleted == null) {
                return;
            }
            for (EndpointSlice slice : slices) {
                String key = getKey(slice);
                if (!deleted.contains(key) && kept.get(key) == null) {
                    kept.put(key, slice);
                }
            }
        }
    }

    /** The kept slices, as {@link KindStore#listing}. */
    List<Sourced<EndpointSlice>> listing() {
        return kept.listing();
    }

    @Override
    public String getKey(EndpointSlice slice) {
        return Cache.metaNamespaceKeyFunc(slice);
    }

    @Override
    public @Nullable EndpointSlice put(String key, EndpointSlice slice) {
        ObjectKey service = service(slice);
        synchronized (lock) {
            return service != null && namedBy.containsKey(service) ? kept.put(key, slice) : kept.remove(key);
        }
    }

    @Override
    public @Nullable EndpointSlice remove(String key) {
        synchronized (lock) {
            awaited.values().forEach(deleted -> deleted.add(key));
            return kept.remove(key);
        }
    }

    @Override
    public @Nullable EndpointSlice get(String key) {
        return kept.get(key);
    }

    @Override
    public Stream<String> keySet() {
        return kept.keySet();
    }

    @Override
    public Stream<EndpointSlice> values() {
        return kept.values();
    }

    @Override
    public int size() {
        return kept.size();
    }
}
