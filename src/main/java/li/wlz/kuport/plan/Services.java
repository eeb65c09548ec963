package li.wlz.kuport.plan;

import java.util.List;
import java.util.Map;
import li.wlz.kuport.model.Endpoint;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.World;
import li.wlz.kuport.model.World.ServicePort;
import org.jspecify.annotations.Nullable;

/** The Services and what is behind them, as of the world at hand. */
final class Services {
    private Map<ObjectKey, List<ServicePort>> ports = Map.of();
    private Map<ObjectKey, List<Endpoint>> endpoints = Map.of();

    /** From now on, those of this world. */
    void take(World world) {
        ports = world.services();
        endpoints = world.endpoints();
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
