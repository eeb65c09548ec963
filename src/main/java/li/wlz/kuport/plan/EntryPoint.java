package li.wlz.kuport.plan;

import li.wlz.kuport.model.IpAddress;

/** What clients dial on an accepting node, as its class names it. */
sealed interface EntryPoint {
    /** An interface: whatever addresses it holds at the time. */
    record Interface(String name) implements EntryPoint {
        @Override
        public String text() {
            return name;
        }
    }

    /** An address that the class lists. */
    record Listed(IpAddress address) implements EntryPoint {
        @Override
        public String text() {
            return address.toString();
        }
    }

    /** As it enters a link address: the interface's name, or the address. */
    String text();
}
