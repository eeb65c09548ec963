package li.wlz.kuport.plan;

import java.util.Comparator;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.World.ServicePort;

/**
 * A mapping that is accepted.
 *
 * @param servicePort the port of its Service that it means
 */
record Accepted(PortRequest request, Scope scope, ServicePort servicePort) {
    /** The older first; of one second, by namespace and name. */
    static final Comparator<PortRequest> OLDEST_FIRST =
            Comparator.comparingLong(PortRequest::created).thenComparing(PortRequest::key);
}
