package li.wlz.kuport.ffm;

/** Libnftables is missing, or refused a script; the message holds its own words. */
public final class NftablesException extends RuntimeException {
    public NftablesException(String message) {
        super(message);
    }

    public NftablesException(String message, Throwable cause) {
        super(message, cause);
    }
}
