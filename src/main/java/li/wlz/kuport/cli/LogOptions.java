package li.wlz.kuport.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/** How much is logged. */
final class LogOptions {
    /** The levels that a person may ask for. */
    enum LogLevel {
        error,
        warn,
        info,
        debug,
        trace
    }

    @Option(
            names = "--log-level",
            paramLabel = "LEVEL",
            defaultValue = "${env:LOG_LEVEL:-info}",
            description = "error, warn, info, debug or trace. Default: $LOG_LEVEL, else info.")
    LogLevel level = LogLevel.info;

    /** Passes that are only printed must not be said to have been applied. */
    static void quietPasses() {
        if (LoggerFactory.getLogger("li.wlz.kuport.reconcile") instanceof Logger logger) {
            logger.setLevel(Level.WARN);
        }
    }

    void apply() {
        if (LoggerFactory.getLogger("li.wlz.kuport") instanceof Logger logger) {
            logger.setLevel(Level.valueOf(level.name()));
        }
    }
}
