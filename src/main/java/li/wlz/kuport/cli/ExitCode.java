package li.wlz.kuport.cli;

/** What the program's exit status says. */
final class ExitCode {
    /** All that was asked for is done. */
    static final int OK = 0;

    /** Something was refused, or is not right: the messages say what. */
    static final int FAILED = 1;

    /** The command line is wrong. Picocli's own number for it. */
    static final int USAGE = 2;

    private ExitCode() {}
}
