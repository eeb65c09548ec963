package li.wlz.kuport.reconcile.spi;

import java.util.List;
import java.util.stream.Collectors;
import li.wlz.kuport.netlink.Request;
import org.jspecify.annotations.Nullable;

/** The kernel refused something: the message names the call, what was tried, and the kernel's own words. */
public final class NodeException extends RuntimeException {
    private final boolean forbidden;
    private final transient List<Refusal> refusals;

    public NodeException(String message) {
        this(message, false, List.of(), null);
    }

    public NodeException(String message, Throwable cause) {
        this(message, false, List.of(), cause);
    }

    /** @param forbidden whether it was refused for want of a privilege */
    public NodeException(String message, boolean forbidden, @Nullable Throwable cause) {
        this(message, forbidden, List.of(), cause);
    }

    /** Of several changes, these were refused. */
    public NodeException(List<Refusal> refusals) {
        this(message(refusals), false, List.copyOf(refusals), null);
    }

    private NodeException(String message, boolean forbidden, List<Refusal> refusals, @Nullable Throwable cause) {
        super(message, cause);
        this.forbidden = forbidden;
        this.refusals = refusals;
    }

    /** What is said of refusals together. */
    public static String message(List<Refusal> refusals) {
        return "the kernel refused: " + refusals.stream().map(Refusal::message).collect(Collectors.joining("; "));
    }

    /** Whether it was refused for want of a privilege (EPERM). */
    public boolean forbidden() {
        return forbidden;
    }

    /** Which changes were refused; empty where it was something else. */
    public List<Refusal> refusals() {
        return refusals;
    }

    /**
     * A change that was refused.
     *
     * @param forbidden whether for want of a privilege (EPERM)
     * @param message the change, the error and the kernel's words
     */
    public record Refusal(Request request, boolean forbidden, String message) {}
}
