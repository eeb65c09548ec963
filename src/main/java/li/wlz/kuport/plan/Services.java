package li.wlz.kuport.plan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import li.wlz.kuport.model.Endpoint;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.World;
import li.wlz.kuport.model.World.ServicePort;
import org.jspecify.annotations.Nullable;

/** The Services and what is behind them, laid out for being looked up once per mapping. */
final class Services {
    private final Map<ObjectKey, List<ServicePort>> ports;
    private final Map<ObjectKey, List<Endpoint>> endpoints;

    Services(World world) {
        this.ports = new HashMap<>(world.services());
        this.endpoints = new HashMap<>(world.endpoints());
    }

    /** The ports of a Service; null where there is no such Service. */
    @Nullable
    List<ServicePort> ports(ObjectKey service) {
        return ports.get(service);
    }

    List<Endpoint> endpoints(ObjectKey service) {
        return endpoints.getOrDefault(service, List.of());
    }
}
