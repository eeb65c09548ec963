package li.wlz.kuport.manifest;

import java.nio.file.Path;
import java.util.Optional;
import li.wlz.kuport.reconcile.spi.Source;

/** A folder as it is at the moment of the pass, for tests that say when passes run. */
public record PolledFolder(Path path) implements Source {
    @Override
    public void start(Runnable dirty) {
        throw new UnsupportedOperationException("passes run when the test says so");
    }

    @Override
    public Optional<Snapshot> latest() {
        return Optional.of(ManifestSource.read(path));
    }

    @Override
    public void close() {
        // Nothing is held between reads.
    }
}
