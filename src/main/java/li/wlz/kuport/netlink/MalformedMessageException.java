package li.wlz.kuport.netlink;

/** Bytes that are no netlink messages: the only exception that decoding throws. */
public final class MalformedMessageException extends RuntimeException {
    public MalformedMessageException(String message) {
        super(message);
    }
}
