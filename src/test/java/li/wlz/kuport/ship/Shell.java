package li.wlz.kuport.ship;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs programs from the top of the work tree. */
final class Shell {
    static final Path ROOT = Path.of("").toAbsolutePath();
    static final String VERSION = run("scripts/version").strip();

    /** What a program did: its exit status and all it printed. */
    record Result(int status, String out, String err) {}

    private Shell() {}

    /** The standard output of a program that must succeed. */
    static String run(String... command) {
        Result result = attempt(command);
        if (result.status() != 0) {
            throw new AssertionError(
                    String.join(" ", command) + " ended with " + result.status() + ":\n" + result.err() + result.out());
        }
        return result.out();
    }

    static Result attempt(String... command) {
        try {
            Path out = Files.createTempFile("kuport", ".out");
            Path err = Files.createTempFile("kuport", ".err");
            try {
                Process process = new ProcessBuilder(List.of(command))
                        .directory(ROOT.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
                process.getOutputStream().close();
                int status = process.waitFor();
                return new Result(
                        status,
                        Files.readString(out, StandardCharsets.UTF_8),
                        Files.readString(err, StandardCharsets.UTF_8));
            } finally {
                Files.delete(out);
                Files.delete(err);
            }
        } catch (IOException e) {
            throw new AssertionError("cannot run " + String.join(" ", command), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while running " + String.join(" ", command), e);
        }
    }
}
