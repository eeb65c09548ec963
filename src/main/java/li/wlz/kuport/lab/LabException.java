package li.wlz.kuport.lab;

/** The lab could not do what it was asked: the message names the command or call, what was tried, and the answer. */
public final class LabException extends RuntimeException {
    public LabException(String message) {
        super(message);
    }

    public LabException(String message, Throwable cause) {
        super(message, cause);
    }
}
