package li.wlz.kuport.plan;

import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.World.ServicePort;
import org.jspecify.annotations.Nullable;

/**
 * A PortMap with the verdict on it.
 *
 * @param scope null where its class is unknown
 * @param servicePort the port of its Service that it means; null where it was refused before that was found
 */
record Judged(
        PortRequest request,
        @Nullable Scope scope,
        @Nullable ServicePort servicePort,
        Verdict verdict) {
    /** The same with another verdict. */
    Judged but(Verdict other) {
        return new Judged(request, scope, servicePort, other);
    }
}
