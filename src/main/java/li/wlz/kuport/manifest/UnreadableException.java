package li.wlz.kuport.manifest;

/** A YAML document cannot be read; the message says where and what was expected. */
final class UnreadableException extends Exception {
    UnreadableException(int line, int column, String message) {
        super("line " + line + ", column " + column + ": " + message);
    }

    UnreadableException(String message) {
        super(message);
    }
}
