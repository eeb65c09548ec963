package li.wlz.kuport.netlink;

import java.util.Optional;
import java.util.OptionalInt;

/** Names and indexes of devices: values bear names, messages indexes. */
public interface Devices {
    /** The index of a device; empty if there is none of that name. */
    OptionalInt index(String name);

    /** The name of a device; empty if there is none of that index. */
    Optional<String> name(int index);

    /**
     * As {@link #index(String)}.
     *
     * @throws NoSuchDeviceException if there is none of that name
     */
    default int indexOf(String name) {
        return index(name).orElseThrow(() -> new NoSuchDeviceException(name));
    }
}
