package li.wlz.kuport.plan;

import java.util.Comparator;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.PodRequest;
import li.wlz.kuport.model.Target;

/**
 * One address, protocol and port that an entry of a pod's annotation asks for.
 *
 * @param entry its index in the annotation
 */
record PodClaim(PodRequest pod, int entry, Dialled dialled, Target target) {
    /** The older first; of one second, by namespace and name. */
    static final Comparator<PodRequest> OLDEST_FIRST =
            Comparator.comparingLong(PodRequest::created).thenComparing(PodRequest::key);

    /** Whether it gets the same packets to the same place as another: an entry that was written twice. */
    boolean repeats(PodClaim other) {
        return pod.key().equals(other.pod.key()) && target.equals(other.target);
    }
}
