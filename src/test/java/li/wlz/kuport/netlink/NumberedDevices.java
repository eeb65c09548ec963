package li.wlz.kuport.netlink;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Devices with the indexes 1, 2, ... in the order given. */
record NumberedDevices(List<String> names) implements Devices {
    static NumberedDevices of(String... names) {
        return new NumberedDevices(List.of(names));
    }

    @Override
    public OptionalInt index(String name) {
        int at = names.indexOf(name);
        return at < 0 ? OptionalInt.empty() : OptionalInt.of(at + 1);
    }

    @Override
    public Optional<String> name(int index) {
        return index >= 1 && index <= names.size() ? Optional.of(names.get(index - 1)) : Optional.empty();
    }
}
