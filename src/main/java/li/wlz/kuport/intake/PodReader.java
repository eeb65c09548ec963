package li.wlz.kuport.intake;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodIP;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.PodAnnotations;
import li.wlz.kuport.model.PodRequest;
import org.jspecify.annotations.Nullable;

/** Makes a {@link PodRequest} of a Pod that bears the annotation, runs somewhere and has not finished. */
final class PodReader {
    static final String KIND = "Pod";

    private final PodAnnotations rules;

    PodReader(PodAnnotations rules) {
        this.rules = rules;
    }

    Reading<PodRequest> read(Pod pod, String origin) {
        Metadata meta = Metadata.namespaced(KIND, pod, origin);
        String annotation = meta.annotations().get(rules.key());
        String node = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
        if (meta.key() == null || annotation == null || node == null || isFinished(pod.getStatus())) {
            // What others do with their pods is none of our business.
            return new Reading<>(origin, meta.key(), null, null, List.of());
        }
        AnnotationReader.Annotation read = AnnotationReader.read(annotation, rules.restrictedPorts());
        if (read.mistake() != null) {
            meta.mistakes().add("metadata.annotations[" + rules.key() + "]", read.mistake());
        }
        SortedMap<IpFamily, IpAddress> addresses = addresses(pod.getStatus(), meta.mistakes());
        String uid = pod.getMetadata().getUid();
        return Reading.of(
                origin,
                meta.key(),
                new PodRequest(
                        meta.key(),
                        uid == null ? "" : uid,
                        meta.created(),
                        node,
                        addresses,
                        ready(pod.getStatus()),
                        meta.deleted(),
                        Boolean.TRUE.equals(pod.getSpec().getHostNetwork()),
                        read.entries(),
                        read.mistake()),
                meta.mistakes());
    }

    private static boolean isFinished(@Nullable PodStatus status) {
        return status != null && ("Succeeded".equals(status.getPhase()) || "Failed".equals(status.getPhase()));
    }

    /** The first of each family; {@code podIP} is the first of {@code podIPs}, where an old kubelet writes both. */
    private static SortedMap<IpFamily, IpAddress> addresses(@Nullable PodStatus status, Mistakes mistakes) {
        SortedMap<IpFamily, IpAddress> addresses = new TreeMap<>();
        if (status == null) {
            return addresses;
        }
        List<String> written = new ArrayList<>();
        for (PodIP podIp : Written.list(status.getPodIPs())) {
            if (podIp != null && podIp.getIp() != null) {
                written.add(podIp.getIp());
            }
        }
        if (written.isEmpty() && status.getPodIP() != null) {
            written.add(status.getPodIP());
        }
        for (String text : written) {
            Optional<IpAddress> address = IpAddress.tryParse(text);
            address.ifPresent(a -> addresses.putIfAbsent(a.family(), a));
            if (address.isEmpty() && !text.isEmpty()) {
                mistakes.add("status.podIPs", Text.quoted(text) + " is not an address");
            }
        }
        return addresses;
    }

    private static boolean ready(@Nullable PodStatus status) {
        List<? extends @Nullable PodCondition> conditions =
                status == null ? List.of() : Written.list(status.getConditions());
        for (PodCondition condition : conditions) {
            if (condition != null && "Ready".equals(condition.getType())) {
                return "True".equals(condition.getStatus());
            }
        }
        return true;
    }
}
