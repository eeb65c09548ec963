package li.wlz.kuport.manifest;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.InstantSource;
import li.wlz.kuport.reconcile.spi.Reporter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells outcomes to the log, a line for each change, and to a folder of statuses, if there is one. */
public final class FileReporter implements Reporter {
    private static final Logger LOG = LoggerFactory.getLogger(FileReporter.class);

    private final StatusLog log = new StatusLog();
    private final @Nullable StatusFiles files;

    /**
     * A reporter that has told nothing yet.
     *
     * @param statusFolder where statuses go; null for nowhere but the log. It must not lie within the folder of manifests
     * @param version of the agent
     */
    public FileReporter(@Nullable Path statusFolder, String version, InstantSource clock) {
        this.files = statusFolder == null ? null : new StatusFiles(statusFolder, version, clock);
    }

    /** Tells an outcome. A status that can't be written is logged, and tried again with the next outcome. */
    @Override
    public void report(Outcome outcome) {
        log.lines(outcome).forEach(line -> LOG.info("{}", line));
        if (files != null) {
            try {
                files.write(outcome.decision());
            } catch (UncheckedIOException e) {
                LOG.warn("{}", e.getMessage());
            }
        }
    }
}
