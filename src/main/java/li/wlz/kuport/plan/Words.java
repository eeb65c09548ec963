package li.wlz.kuport.plan;

import java.util.Collection;
import java.util.stream.Collectors;
import li.wlz.kuport.model.Endpoint;
import li.wlz.kuport.model.IpFamily;

/** Phrases that messages share. */
final class Words {
    private Words() {}

    /** The items with commas between; the substitute where there are none. */
    static String list(Collection<?> items, String none) {
        return items.isEmpty() ? none : items.stream().map(Object::toString).collect(Collectors.joining(", "));
    }

    /** {@code IPv4} or {@code IPv6}. */
    static String family(IpFamily family) {
        return family == IpFamily.IPV4 ? "IPv4" : "IPv6";
    }

    /** {@code pod game-0}, or {@code endpoint 192.0.2.7} where it is no pod. */
    static String endpoint(Endpoint endpoint) {
        return endpoint.pod() != null
                ? "pod " + endpoint.pod()
                : "endpoint " + list(endpoint.addresses().values(), "without an address");
    }
}
