package li.wlz.kuport.k8s;

/** A cluster that does not answer, or not with what was asked for; the message says whose answer and what to do. */
public final class ClusterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
