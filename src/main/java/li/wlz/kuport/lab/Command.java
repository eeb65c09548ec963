package li.wlz.kuport.lab;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Runs programs to their end. */
final class Command {
    /** Far beyond what any of the lab's own commands takes; a program that hangs is reported, not waited for. */
    private static final int LIMIT_SECONDS = 30;

    private Command() {}

    /** What a program left: its exit status and both its outputs. */
    record Result(int status, String output, String errors) {}

    /**
     * Runs a program to its end, whatever its exit status.
     *
     * @param input what it reads from its standard input
     * @throws LabException if it cannot be started or does not end
     */
    static Result run(List<String> command, String input) {
        try {
            Process process = new ProcessBuilder(command).start();
            FutureTask<String> errors = reading(process.getErrorStream());
            FutureTask<String> output = reading(process.getInputStream());
            write(process.getOutputStream(), input);
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new LabException("it did not end within " + LIMIT_SECONDS + " s: " + String.join(" ", command));
            }
            return new Result(process.exitValue(), output.get(), errors.get());
        } catch (IOException e) {
            throw new LabException("cannot run " + String.join(" ", command) + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted while running " + String.join(" ", command), e);
        } catch (ExecutionException e) {
            throw new LabException("cannot read the output of " + String.join(" ", command), e);
        }
    }

    /**
     * Runs a program that has to succeed.
     *
     * @return its standard output
     * @throws LabException with its error output, if its exit status is not 0
     */
    static String output(List<String> command, String input) {
        Result result = run(command, input);
        if (result.status() != 0) {
            throw new LabException(String.join(" ", command) + " ended with status " + result.status() + ": "
                    + result.errors().strip() + (input.isEmpty() ? "" : "\nits input was:\n" + input));
        }
        return result.output();
    }

    private static FutureTask<String> reading(InputStream stream) {
        FutureTask<String> task = new FutureTask<>(() -> new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        // Not a virtual thread: the caller may have entered a namespace, and a carrier started here would stay in it.
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    private static void write(OutputStream stream, String input) {
        try (stream) {
            stream.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // A program that ends before it has read everything says why in its exit status.
            if (input.isEmpty()) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
