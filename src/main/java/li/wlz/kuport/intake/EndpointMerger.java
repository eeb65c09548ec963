package li.wlz.kuport.intake;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.intake.SliceReader.Member;
import li.wlz.kuport.intake.SliceReader.Slice;
import li.wlz.kuport.model.Endpoint;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PersistentMap;
import org.jspecify.annotations.Nullable;

/** Merges the slices of each Service by pod, anew only those of Services of which a slice changed. */
final class EndpointMerger {
    private static final Comparator<Endpoint> ORDER = Comparator.comparing(
                    (Endpoint e) -> e.pod() == null ? "" : e.pod())
            .thenComparing(e -> e.addresses().toString());

    /** The Service that each slice names, and the slices of each Service, both by the slices' keys. */
    private final Map<ObjectKey, ObjectKey> serviceOf = new HashMap<>();

    private final Map<ObjectKey, TreeMap<ObjectKey, Slice>> slicesOf = new HashMap<>();
    private PersistentMap<ObjectKey, List<Endpoint>> endpoints = PersistentMap.empty();

    /**
     * Takes in what changed.
     *
     * @param changed the keys of the slices that changed, came or went
     * @param slices all that there are, by key
     */
    void update(Set<ObjectKey> changed, SortedMap<ObjectKey, Slice> slices) {
        Set<ObjectKey> touched = new HashSet<>();
        for (ObjectKey key : changed) {
            ObjectKey before = serviceOf.remove(key);
            if (before != null) {
                slicesOf.getOrDefault(before, new TreeMap<>()).remove(key);
                touched.add(before);
            }
            Slice slice = slices.get(key);
            if (slice != null) {
                serviceOf.put(key, slice.service());
                slicesOf.computeIfAbsent(slice.service(), s -> new TreeMap<>()).put(key, slice);
                touched.add(slice.service());
            }
        }
        SortedMap<ObjectKey, Optional<List<Endpoint>>> merged = new TreeMap<>();
        touched.forEach(service -> merged.put(service, mergeSlices(service)));
        endpoints = endpoints.with(merged);
    }

    private Optional<List<Endpoint>> mergeSlices(ObjectKey service) {
        SortedMap<ObjectKey, Slice> slices = slicesOf.getOrDefault(service, new TreeMap<>());
        if (slices.isEmpty()) {
            slicesOf.remove(service);
            return Optional.empty();
        }
        return Optional.of(merge(slices.values()));
    }

    /** The endpoints of each Service that a slice names. */
    SortedMap<ObjectKey, List<Endpoint>> endpoints() {
        return endpoints;
    }

    private static List<Endpoint> merge(Iterable<Slice> slices) {
        Map<String, List<Member>> byPod = new TreeMap<>();
        List<Endpoint> endpoints = new ArrayList<>();
        for (Slice slice : slices) {
            for (Member member : slice.members()) {
                if (member.pod() == null) {
                    endpoints.add(endpoint(null, List.of(member)));
                } else {
                    byPod.computeIfAbsent(member.pod(), p -> new ArrayList<>(2)).add(member);
                }
            }
        }
        byPod.forEach((pod, members) -> endpoints.add(endpoint(pod, members)));
        endpoints.sort(ORDER);
        return List.copyOf(endpoints);
    }

    /** Slices change one after the other: a pod is ready when all of them say so, and ends as soon as one does. */
    private static Endpoint endpoint(@Nullable String pod, List<Member> members) {
        SortedMap<IpFamily, IpAddress> addresses = new TreeMap<>();
        for (Member member : members) {
            if (member.address() != null) {
                addresses.merge(member.address().family(), member.address(), EndpointMerger::smaller);
            }
        }
        return new Endpoint(
                pod,
                members.stream()
                        .map(Member::node)
                        .filter(n -> n != null)
                        .findFirst()
                        .orElse(null),
                members.stream().allMatch(Member::ready),
                members.stream().allMatch(Member::serving),
                members.stream().anyMatch(Member::terminating),
                addresses,
                members.stream().flatMap(m -> m.ports().stream()).distinct().toList());
    }

    private static IpAddress smaller(IpAddress one, IpAddress other) {
        return one.compareTo(other) <= 0 ? one : other;
    }
}
