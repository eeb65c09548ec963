package li.wlz.kuport.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.reconcile.spi.NodeException;

/**
 * Whether the connection tracking table is full, or was since it was last looked at: then the kernel drops what begins anew.
 *
 * <p>The number of entries is the network namespace's, the limit the whole machine's.
 */
final class ConnectionLimit {
    /** From this part of the limit on, people should know. */
    private static final double NEARLY_FULL = 0.9;

    private static final String LIMIT = "netfilter/nf_conntrack_max";
    private static final int HEXADECIMAL = 16;

    private final SysctlFiles sysctls;
    private final Path statistics;
    private long evictedBefore = -1;

    /** @param statistics {@code /proc/thread-self/net/stat/nf_conntrack}; the kernel may lack it */
    ConnectionLimit(SysctlFiles sysctls, Path statistics) {
        this.sysctls = sysctls;
        this.statistics = statistics;
    }

    /**
     * Looks. A problem's words change with the limit alone, since statuses hold them.
     *
     * @throws NodeException if what is there cannot be read
     */
    Optional<NodeProblem> problem() {
        long limit = sysctls.number(LIMIT);
        if (limit == 0) {
            // No connection tracking, or no limit.
            return Optional.empty();
        }
        long evicted = evicted();
        boolean wasFull = evictedBefore >= 0 && evicted > evictedBefore;
        evictedBefore = evicted;
        boolean nearlyFull = sysctls.number("netfilter/nf_conntrack_count") >= limit * NEARLY_FULL;
        return nearlyFull || wasFull ? Optional.of(problem(limit)) : Optional.empty();
    }

    private static NodeProblem problem(long limit) {
        return new NodeProblem(
                NodeReason.ConntrackFull,
                "the kernel tracks, or did in the last minute, nearly as many connections as it can (" + limit
                        + "), and drops new ones when there are as many; raise the limit: sysctl -w net."
                        + LIMIT.replace('/', '.') + "=" + 2 * limit);
    }

    /** How many entries had to make room for others since the namespace began: a column of hexadecimal numbers, a line for each CPU. */
    private long evicted() {
        try {
            List<String> lines = Files.readAllLines(statistics);
            int column = List.of(lines.getFirst().strip().split("\\s+", -1)).indexOf("early_drop");
            return lines.stream()
                    .skip(1)
                    .map(line -> line.strip().split("\\s+", -1))
                    .filter(numbers -> column >= 0 && column < numbers.length)
                    .mapToLong(numbers -> Long.parseLong(numbers[column], HEXADECIMAL))
                    .sum();
        } catch (NoSuchFileException e) {
            return 0;
        } catch (IOException e) {
            throw new NodeException("reading " + statistics + ": " + e.getMessage(), e);
        }
    }
}
