package li.wlz.kuport.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs programs to their end. */
final class Program {
    private static final Duration LIMIT = Duration.ofMinutes(20);

    private Program() {}

    /** What a program left: its exit status and both its outputs. */
    record Result(int status, String output, String errors) {}

    /**
     * Runs a program that has to succeed.
     *
     * @return its standard output
     */
    static String run(String... command) {
        Result result = attempt(List.of(command));
        if (result.status() != 0) {
            throw new IllegalStateException("%s ended with status %d: %s%s"
                    .formatted(String.join(" ", command), result.status(), result.errors(), result.output()));
        }
        return result.output();
    }

    /** Runs a program, whatever its exit status. */
    static Result attempt(List<String> command) {
        try {
            Path output = Files.createTempFile("kuport", ".out");
            Path errors = Files.createTempFile("kuport", ".err");
            try {
                Process process = new ProcessBuilder(command)
                        .redirectInput(Path.of("/dev/null").toFile())
                        .redirectOutput(output.toFile())
                        .redirectError(errors.toFile())
                        .start();
                if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new IllegalStateException(String.join(" ", command) + " does not end");
                }
                return new Result(
                        process.exitValue(),
                        Files.readString(output, StandardCharsets.UTF_8),
                        Files.readString(errors, StandardCharsets.UTF_8));
            } finally {
                Files.delete(output);
                Files.delete(errors);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + String.join(" ", command), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + String.join(" ", command), e);
        }
    }
}
