package li.wlz.kuport.cli;

/** What the program's exit status says; 2, picocli's own, that the command line is wrong. */
final class ExitCode {
    /** All that was asked for is done. */
    static final int OK = 0;

    /** Something was refused, or is not right: the messages say what. */
    static final int FAILED = 1;

    /** A bug ended the program. EX_SOFTWARE of sysexits.h. */
    static final int CRASHED = 70;

    private ExitCode() {}
}
