package li.wlz.kuport.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import li.wlz.kuport.datapath.Removal;
import li.wlz.kuport.inspect.RequestText;
import li.wlz.kuport.kernel.KernelNode;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.PodAnnotations;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.netlink.Flow;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.reconcile.spi.NodeException;
import li.wlz.kuport.xtables.Restore;
import li.wlz.kuport.xtables.State;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Removes everything of kuport's from this node. */
@Command(
        name = "cleanup",
        header = "Removes all that is kuport's from this node, whatever flags it was made with, and nothing else.",
        description = {
            "Removes the table inet kuport, chains KUPORT-* of iptables, the link device, all rules, routes and neighbours with protocol number 109, and the"
                    + " connections that were delivered. Needs CAP_NET_ADMIN; CAP_NET_RAW and /run/xtables.lock too where there are chains in"
                    + " iptables-legacy, and fails where it may not remove them.",
            "Stop the agent first: a running one puts everything back."
        },
        sortOptions = false)
final class CleanupCommand implements Callable<Integer> {
    @Mixin
    HelpOption help = new HelpOption();

    @Option(names = "--dry-run", description = "Prints what would be removed, and removes nothing.")
    boolean dryRun;

    @Option(
            names = "--wait",
            description =
                    "Stays afterwards until it is told to end: for a container that is started again when it ends.")
    boolean wait;

    @Mixin
    Output output = new Output();

    /**
     * What was there, or is to go.
     *
     * @param table whether there was a table
     * @param removed the requests, as iproute2 commands, and what goes from the tables of iptables
     * @param connections how many connection tracking entries were ours
     */
    record Removed(boolean table, List<String> removed, int connections) {}

    @Override
    public Integer call() throws InterruptedException {
        cleanUp();
        if (wait) {
            new CountDownLatch(1).await();
        }
        return ExitCode.OK;
    }

    private void cleanUp() {
        // The node's name and the link's settings don't matter: what is ours is known without them.
        try (Node node = KernelNode.open(Settings.defaults("cleanup").with(PodAnnotations.DEFAULT))) {
            Node.Observation seen = node.observe();
            Removal removal = Removal.of(seen.table(), seen.routing(), seen.xtables());
            Predicate<Flow> ours = Removal.flows(MarkSpace.DEFAULT, seen.routing());
            List<String> refusals = new ArrayList<>();
            int flows = dryRun ? node.flows(ours, 0).all() : remove(node, removal, ours, refusals);
            if (refusals.isEmpty()) {
                print(removal, flows);
            }
            seen.xtables().closed().forEach(place -> refusals.add(State.told(place)));
            if (!refusals.isEmpty()) {
                throw new CommandException(String.join("\n", refusals));
            }
        }
    }

    /** Does all it can, and adds all that was refused; returns how many connections were forgotten. */
    private static int remove(Node node, Removal removal, Predicate<Flow> ours, List<String> refusals) {
        if (removal.table()) {
            attempt(refusals, () -> node.run(Removal.SCRIPT, Listing.NOTHING));
        }
        if (!removal.restores().isEmpty()) {
            attempt(refusals, () -> node.restore(removal.restores()));
        }
        attempt(refusals, () -> node.send(removal.requests()));
        AtomicInteger forgotten = new AtomicInteger();
        attempt(refusals, () -> forgotten.set(node.forget(ours)));
        return forgotten.get();
    }

    private static void attempt(List<String> refusals, Runnable action) {
        try {
            action.run();
        } catch (NodeException e) {
            refusals.add(String.valueOf(e.getMessage()));
        }
    }

    private void print(Removal removal, int connections) {
        Removed removed = new Removed(
                removal.table(),
                Stream.concat(
                                removal.restores().stream().flatMap(CleanupCommand::text),
                                removal.requests().stream().map(RequestText::of))
                        .toList(),
                connections);
        output.print(removed, () -> text(removed));
    }

    private static Stream<String> text(Restore restore) {
        return restore.script().lines().map(line -> restore.place().program("restore") + ": " + line);
    }

    private static String text(Removed removed) {
        if (!removed.table() && removed.removed().isEmpty() && removed.connections() == 0) {
            return "nothing of kuport's is here\n";
        }
        List<String> lines = new ArrayList<>();
        if (removed.table()) {
            lines.add("nft " + Removal.SCRIPT.strip());
        }
        lines.addAll(removed.removed());
        lines.add("connections forgotten: " + removed.connections());
        return String.join("\n", lines) + "\n";
    }
}
