package li.wlz.kuport.reconcile.spi;

/** The kernel refused something: the message names the call, what was tried, and the kernel's own words. */
public final class NodeException extends RuntimeException {
    public NodeException(String message) {
        super(message);
    }

    public NodeException(String message, Throwable cause) {
        super(message, cause);
    }
}
