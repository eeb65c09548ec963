package li.wlz.kuport.intake;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.intake.SliceReader.Member;
import li.wlz.kuport.intake.SliceReader.Slice;
import li.wlz.kuport.model.Endpoint;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.ObjectKey;
import org.jspecify.annotations.Nullable;

/** Merges the slices of each Service by pod; remembers what was merged of slices that have not changed. */
final class EndpointMerger {
    private record Merged(List<Slice> slices, List<Endpoint> endpoints) {}

    private static final Comparator<Endpoint> ORDER = Comparator.comparing(
                    (Endpoint e) -> e.pod() == null ? "" : e.pod())
            .thenComparing(e -> e.addresses().toString());

    private Map<ObjectKey, Merged> remembered = new HashMap<>();

    /**
     * The endpoints of each Service that a slice names.
     *
     * @param slices in the order of their keys
     */
    SortedMap<ObjectKey, List<Endpoint>> merge(List<Slice> slices) {
        SortedMap<ObjectKey, List<Slice>> byService = new TreeMap<>();
        for (Slice slice : slices) {
            byService.computeIfAbsent(slice.service(), s -> new ArrayList<>(2)).add(slice);
        }
        Map<ObjectKey, Merged> next = new HashMap<>(byService.size() * 2);
        SortedMap<ObjectKey, List<Endpoint>> endpoints = new TreeMap<>();
        byService.forEach((service, own) -> {
            Merged known = remembered.get(service);
            Merged merged = known != null && sameSlices(known.slices(), own) ? known : new Merged(own, mergeOne(own));
            next.put(service, merged);
            endpoints.put(service, merged.endpoints());
        });
        remembered = next;
        return endpoints;
    }

    @SuppressWarnings(
            "ReferenceEquality") // Slices that are the same instance are equal, and comparing them costs nothing.
    private static boolean sameSlices(List<Slice> some, List<Slice> others) {
        for (int i = 0; i < some.size() && i < others.size(); i++) {
            if (some.get(i) != others.get(i)) {
                return false;
            }
        }
        return some.size() == others.size();
    }

    private static List<Endpoint> mergeOne(List<Slice> slices) {
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
