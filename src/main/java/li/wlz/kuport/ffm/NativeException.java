package li.wlz.kuport.ffm;

/** A C function refused: {@code opening a netlink socket: socket: EPERM (Operation not permitted)}. */
public final class NativeException extends RuntimeException {
    private final int errno;

    /**
     * @param call the function's name
     * @param tried what it was to do, in words that follow "while"
     */
    public NativeException(String call, int errno, String tried) {
        super(tried + ": " + call + ": " + Errno.describe(errno));
        this.errno = errno;
    }

    public int errno() {
        return errno;
    }
}
