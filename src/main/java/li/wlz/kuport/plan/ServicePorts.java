package li.wlz.kuport.plan;

import java.util.List;
import java.util.stream.Collectors;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.World.ServicePort;
import org.jspecify.annotations.Nullable;

/** Finds the port of a Service that a mapping means. */
final class ServicePorts {
    private ServicePorts() {}

    /**
     * The Service's port of that protocol, by name, else by number.
     *
     * @return null where there is none
     */
    static @Nullable ServicePort find(List<ServicePort> ports, Protocol protocol, String wanted) {
        for (ServicePort port : ports) {
            if (port.protocol() == protocol && port.name().equals(wanted)) {
                return port;
            }
        }
        for (ServicePort port : ports) {
            if (port.protocol() == protocol && Integer.toString(port.port()).equals(wanted)) {
                return port;
            }
        }
        return null;
    }

    /** The ports as a person reads them: {@code game 3000/udp, 80/tcp}. */
    static String describe(List<ServicePort> ports) {
        return ports.stream()
                .map(p -> (p.name().isEmpty() ? "" : p.name() + " ") + p.port() + "/"
                        + p.protocol().lowerCase())
                .collect(Collectors.joining(", "));
    }
}
