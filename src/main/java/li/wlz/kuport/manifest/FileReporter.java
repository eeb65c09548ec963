package li.wlz.kuport.manifest;

import java.nio.file.Path;
import li.wlz.kuport.reconcile.spi.Reporter;
import org.jspecify.annotations.Nullable;

/** Stub. */
public final class FileReporter implements Reporter {
    public FileReporter(@Nullable Path dir) {}

    @Override
    public void report(Outcome outcome) {}
}
