package li.wlz.kuport.lab;

import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;

/** A machine with one network interface, eth0: a client, or a pod. */
public record Host(Namespace namespace, DualAddress addresses) {
    public String name() {
        return namespace.name();
    }

    public IpAddress address(IpFamily family) {
        return addresses.of(family);
    }

    /** Dials from here. */
    public Answer dial(Dial dial) {
        return Dialler.dial(namespace, dial);
    }
}
