package li.wlz.kuport.kernel;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import li.wlz.kuport.ffm.LegacyTable;
import li.wlz.kuport.ffm.NativeException;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.nft.ForeignChain;
import li.wlz.kuport.nft.ForeignRuleset;
import li.wlz.kuport.reconcile.spi.NodeException;
import li.wlz.kuport.xtables.Backend;
import li.wlz.kuport.xtables.Place;
import li.wlz.kuport.xtables.Restore;
import li.wlz.kuport.xtables.SaveListing;
import li.wlz.kuport.xtables.State;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tables of iptables, read by {@code iptables-save} and changed by {@code iptables-restore}: no library does it. */
final class Xtables {
    private static final Logger LOG = LoggerFactory.getLogger(Xtables.class);

    /** How long to wait for others' hold of the lock of the older backend, in seconds. */
    private static final String WAIT = "10";

    private Xtables() {}

    /**
     * Reads all places.
     *
     * @param needed whether it must be readable; else a place that is not counts as empty, as one without the program or the right
     *     to read it, or as closed if there are chains of ours
     * @throws NodeException if a program fails
     */
    static State read(boolean needed) {
        SortedMap<Place, SaveListing> listings = new TreeMap<>();
        SortedSet<Place> closed = new TreeSet<>();
        for (Backend backend : Backend.values()) {
            for (IpFamily family : IpFamily.values()) {
                Place place = new Place(backend, family);
                if (place.backend() == Backend.nft || !legacyTables(family).isEmpty()) {
                    try {
                        listings.put(place, SaveListing.parse(place, run(List.of(place.program("save")), "")));
                    } catch (NodeException e) {
                        if (needed) {
                            throw e;
                        }
                        LOG.debug("not looking into {}: {}", place, e.getMessage());
                        if (place.backend() == Backend.legacy && legacyHoldsOurs(family)) {
                            closed.add(place);
                        }
                    }
                }
            }
        }
        return new State(listings, closed);
    }

    /** The rules of iptables-legacy, which nftables does not show, as far as this process may read them (NET_RAW). */
    static ForeignRuleset legacy() {
        ForeignRuleset all = ForeignRuleset.NONE;
        for (IpFamily family : IpFamily.values()) {
            if (!legacyTables(family).isEmpty()) {
                all = all.with(legacy(new Place(Backend.legacy, family)));
            }
        }
        return all;
    }

    private static ForeignRuleset legacy(Place place) {
        String translate =
                place.family() == IpFamily.IPV4 ? "iptables-restore-translate" : "ip6tables-restore-translate";
        try {
            String listing = run(List.of(place.program("save")), "");
            return new ForeignRuleset(ForeignChain.translated(run(List.of(translate, "-f", "/dev/stdin"), listing)));
        } catch (NodeException e) {
            return new ForeignRuleset(List.of(), List.of(String.valueOf(e.getMessage())));
        }
    }

    /** Whether the older backend has chains of ours: it says so without the right that its programs need. */
    static boolean legacyHoldsOurs() {
        return Stream.of(IpFamily.values()).anyMatch(Xtables::legacyHoldsOurs);
    }

    private static boolean legacyHoldsOurs(IpFamily family) {
        try {
            return legacyTables(family).stream()
                    .map(family == IpFamily.IPV4 ? LegacyTable::ipv4 : LegacyTable::ipv6)
                    .anyMatch(table -> table.mentions(SaveListing.OURS));
        } catch (NativeException e) {
            LOG.warn("cannot tell whether iptables-legacy has chains of ours: {}", e.getMessage());
            return true;
        }
    }

    /** To ask the older backend for a table could make it: the kernel lists those that are there. */
    private static List<String> legacyTables(IpFamily family) {
        Path names = Path.of("/proc/thread-self/net", family == IpFamily.IPV4 ? "ip_tables_names" : "ip6_tables_names");
        try {
            return Files.exists(names) ? Files.readAllLines(names) : List.of();
        } catch (IOException e) {
            throw new NodeException("cannot read " + names + ": " + e.getMessage(), e);
        }
    }

    /** Equivalent to {@code iptables-restore --noflush --wait 10}. */
    static void restore(Restore restore) {
        run(List.of(restore.place().program("restore"), "--noflush", "--wait", WAIT), restore.script());
    }

    /** What the older pod NAT controller left, or still does; empty where there is nothing of it. */
    static List<NodeProblem> foreign(State state, boolean listening) {
        List<String> commands = new ArrayList<>();
        state.listings().values().forEach(listing -> commands.addAll(listing.foreign()));
        if (commands.isEmpty()) {
            return List.of();
        }
        return List.of(new NodeProblem(
                NodeReason.ForeignController,
                "rules of the older pod NAT controller are here and still translate"
                        + (listening ? "; it seems to run, since a process listens on all addresses at port 8484" : "")
                        + ". Stop it, then remove them: " + String.join("; ", commands)));
    }

    /** What we may not take away, and what it would take. */
    static List<NodeProblem> left(State state) {
        return state.closed().stream()
                .map(place -> new NodeProblem(NodeReason.RulesLeft, State.told(place)))
                .toList();
    }

    private static String run(List<String> command, String input) {
        try {
            // A pipe that nobody reads would hold the program up.
            Process process = new ProcessBuilder(command).start();
            StringBuilder said = new StringBuilder();
            Thread reader = Thread.ofPlatform().daemon().start(() -> read(process, said));
            try (OutputStream in = process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.UTF_8));
            }
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            reader.join();
            if (status != 0) {
                throw new NodeException(String.join(" ", command) + " ended with status " + status + ": "
                        + said.toString().strip());
            }
            return output;
        } catch (InterruptedIOException | InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new NodeException(command.getFirst() + " was interrupted", e);
        } catch (IOException e) {
            throw new NodeException(
                    "cannot run " + command.getFirst() + ": " + e.getMessage() + "; iptables must be installed", e);
        }
    }

    private static void read(Process process, StringBuilder said) {
        try {
            said.append(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            said.append(e.getMessage());
        }
    }
}
