package li.wlz.kuport.crd;

/** What the API server is told of fields whose Java type is wider: a value that it would refuse can be read and named. */
final class Schemas {
    /** The names that the kernel gives interfaces, without those that nft would take for something else. */
    static final String INTERFACE = "^[A-Za-z0-9_.@+-]+$";

    /** One port, or a range such as 9000-9100. */
    static final String PORTS = "^[0-9]{1,5}(-[0-9]{1,5})?$";

    /** The letters that addresses are made of; whether they make one is checked when the object is read. */
    static final String ADDRESS = "^[0-9a-fA-F:.]+$";

    private Schemas() {}

    enum Protocol {
        TCP,
        UDP
    }

    enum ServingMode {
        Single,
        Multi
    }

    enum ReturnPathMode {
        Vxlan,
        None
    }

    enum Role {
        Accepting,
        Endpoint
    }
}
