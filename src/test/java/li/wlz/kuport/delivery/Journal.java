package li.wlz.kuport.delivery;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.model.Ours;

/** The changes to what is kuport's in a namespace, as the kernel reports them to {@code nft monitor} and {@code ip monitor}. */
final class Journal implements AutoCloseable {
    private static final String NFT_MARKER = "lab-marker-";
    private static final String IP_MARKER = "198.18.76.1 metric ";

    private final Namespace namespace;
    private final Path nftLog;
    private final Path ipLog;
    private final Process nft;
    private final Process ip;
    private int marker;

    private Journal(Namespace namespace) throws IOException {
        this.namespace = namespace;
        nftLog = Files.createTempFile("kuport-nft-monitor", ".log");
        ipLog = Files.createTempFile("kuport-ip-monitor", ".log");
        nft = namespace.start(nftLog, "stdbuf", "-oL", "nft", "monitor");
        ip = namespace.start(ipLog, "stdbuf", "-oL", "ip", "monitor", "link", "address", "route", "rule", "neigh");
    }

    /** Begins to write down. */
    static Journal start(Namespace namespace) {
        try {
            Journal journal = new Journal(namespace);
            journal.catchUp();
            return journal;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All nft changes of our table so far, in nft's words. */
    List<String> table() {
        catchUp();
        return lines(nftLog).stream()
                .filter(line -> line.contains(" inet " + Ours.TABLE))
                .toList();
    }

    /** All changes so far of our device, and of what bears our protocol number, in ip's words. */
    List<String> routing() {
        catchUp();
        return lines(ipLog).stream()
                .filter(line -> line.contains(Ours.LINK_DEVICE) || line.contains("proto " + Ours.ROUTE_PROTOCOL))
                .toList();
    }

    /** Makes changes of no meaning until both monitors have told of one: then they have told of all before. */
    private void catchUp() {
        int first = marker + 1;
        await().atMost(Visits.PATIENCE).until(() -> {
            marker++;
            namespace.nft("add table inet " + NFT_MARKER + marker + "\n");
            namespace.nft("delete table inet " + NFT_MARKER + marker + "\n");
            String route = "blackhole " + IP_MARKER + marker + "\n";
            namespace.ip("route add " + route + "route delete " + route);
            return tellsOf(NFT_MARKER, first, nftLog) && tellsOf(IP_MARKER, first, ipLog);
        });
    }

    private static boolean tellsOf(String marker, int first, Path log) {
        Pattern pattern = Pattern.compile(marker + "(\\d+)");
        return lines(log).stream()
                .map(pattern::matcher)
                .anyMatch(found -> found.find() && Integer.parseInt(found.group(1)) >= first);
    }

    private static List<String> lines(Path log) {
        try {
            return Files.readAllLines(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        nft.destroy();
        ip.destroy();
        try {
            Files.delete(nftLog);
            Files.delete(ipLog);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
