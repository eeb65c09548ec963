package li.wlz.kuport.cli;

/** Ends a command with a message for the person who typed it, without a stack trace. */
final class CommandException extends RuntimeException {
    CommandException(String message) {
        super(message);
    }

    CommandException(String message, Throwable cause) {
        super(message, cause);
    }
}
