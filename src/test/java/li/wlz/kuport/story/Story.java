package li.wlz.kuport.story;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.inspect.Notation;
import li.wlz.kuport.inspect.PlanView;
import li.wlz.kuport.manifest.ManifestSource;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.reconcile.spi.Source;
import org.jspecify.annotations.Nullable;

/**
 * One folder of {@code src/test/resources/stories}: {@code manifests/}, and {@code NODE.plan.txt} for each node whose plan is
 * expected, beside {@code NODE.facts.yaml} where its facts are not just what the objects say.
 */
record Story(Path folder) {
    private static final Path STORIES = Path.of("src/test/resources/stories");

    static List<Story> all() {
        return folders(STORIES).map(Story::new).toList();
    }

    private static Stream<Path> folders(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isDirectory).sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String name() {
        return folder.getFileName().toString();
    }

    Path manifests() {
        return folder.resolve("manifests");
    }

    Path plan(String node) {
        return folder.resolve(node + ".plan.txt");
    }

    /** The nodes whose plans are expected. */
    List<String> nodes() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".plan.txt"))
                    .map(name -> name.substring(0, name.length() - ".plan.txt".length()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Source.Snapshot snapshot() {
        return ManifestSource.read(manifests());
    }

    /** What the node plans. */
    PlanView view(String node) {
        Source.Snapshot snapshot = snapshot();
        return PlanView.of(Settings.defaults(node), snapshot.resources(), snapshot.problems(), facts(node));
    }

    private @Nullable NodeFacts facts(String node) {
        Path file = folder.resolve(node + ".facts.yaml");
        try {
            return Files.exists(file) ? new Notation().read(Files.readString(file), NodeFacts.class) : null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
