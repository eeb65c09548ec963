package li.wlz.kuport.netlink;

/** A request names a device that the kernel does not have. */
public final class NoSuchDeviceException extends RuntimeException {
    public NoSuchDeviceException(String name) {
        super("there is no device " + name);
    }
}
