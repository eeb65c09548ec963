package li.wlz.kuport.nft;

/** What should have been a listing of nft's is none: the message says where it went wrong. */
public final class ListingException extends RuntimeException {
    public ListingException(String message) {
        super(message);
    }

    public ListingException(String message, Throwable cause) {
        super(message, cause);
    }
}
