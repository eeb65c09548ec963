package li.wlz.kuport.story;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Compares what came out with a file; {@code -Dgolden=write} rewrites the file, for a person to read the difference in git. */
final class Golden {
    private static final boolean WRITE = "write".equals(System.getProperty("golden"));

    private Golden() {}

    static void check(Path file, String actual) {
        try {
            if (WRITE) {
                Files.createDirectories(file.getParent());
                Files.writeString(file, actual);
            }
            assertThat(file).as("expected output; made by -Dgolden=write").exists();
            assertThat(actual).as(file.toString()).isEqualTo(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
