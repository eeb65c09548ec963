package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import li.wlz.kuport.datapath.Removal;
import li.wlz.kuport.ffm.NetworkNamespace;
import li.wlz.kuport.kernel.KernelNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.manifest.PolledFolder;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PodReport;
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.netlink.Flow;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.reconcile.Pass;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.reconcile.spi.Reporter;
import li.wlz.kuport.reconcile.spi.Source;
import org.jspecify.annotations.Nullable;

/** The agent of one node of the lab, run pass by pass on a thread inside the node's namespace. */
public final class Agent implements AutoCloseable {
    private final ExecutorService inside;
    private final Settings settings;
    private final Source folder;
    private KernelNode node;
    private Pass pass;
    private Reporter.@Nullable Outcome outcome;

    Agent(Settings settings, Namespace namespace, Path folder) {
        this.settings = settings;
        this.folder = new PolledFolder(folder);
        this.inside = Executors.newSingleThreadExecutor(task -> Thread.ofPlatform()
                .name("agent-" + settings.nodeName())
                .daemon()
                .unstarted(() -> {
                    NetworkNamespace.enter(namespace.file());
                    task.run();
                }));
        this.node = call(() -> KernelNode.open(settings));
        this.pass = newPass();
    }

    private Pass newPass() {
        return new Pass(settings, folder, node, List.of(o -> outcome = o));
    }

    /** Runs a pass that trusts nothing it read before; all that it decided must be in force after it. */
    public Reporter.Outcome pass() {
        Reporter.Outcome result = tryPass();
        assertThat(result.failures())
                .as("what %s was refused", settings.nodeName())
                .isEmpty();
        return result;
    }

    /** Runs a pass, whatever comes of it. */
    public Reporter.Outcome tryPass() {
        call(() -> pass.pass(true));
        return outcome();
    }

    /** What came of the last pass. */
    public Reporter.Outcome outcome() {
        if (outcome == null) {
            throw new IllegalStateException("no pass has run on " + settings.nodeName());
        }
        return outcome;
    }

    /** What is wrong with the node. */
    List<NodeProblem> problems() {
        return outcome().decision().report().problems();
    }

    /** The last decision about a PortMap of the tests' namespace. */
    public PortMapReport report(String portMap) {
        PortMapReport report = outcome().decision().portMaps().get(new ObjectKey(Manifests.NAMESPACE, portMap));
        if (report == null) {
            throw new IllegalArgumentException("no PortMap " + portMap);
        }
        return report;
    }

    /** The last decision about an entry of an annotation of a pod of the tests' namespace. */
    public PodReport.Line line(String pod, int entry) {
        PodReport report = outcome().decision().pods().get(new ObjectKey(Manifests.NAMESPACE, pod));
        if (report == null) {
            throw new IllegalArgumentException("nothing is said of pod " + pod);
        }
        return report.lines().get(entry);
    }

    /** The condition's reason, {@code Valid} or {@code PortConflict}; empty without that condition. */
    public String reason(String portMap, String condition) {
        var found = report(portMap).condition(condition);
        return found == null ? "" : found.reason();
    }

    /** Ends this agent and starts another that knows nothing but what the kernel has, as a restart does. */
    public Agent restart() {
        call(() -> {
            node.close();
            node = KernelNode.open(settings);
            pass = newPass();
            return true;
        });
        return this;
    }

    /** Removes all that is kuport's from the node, as {@code kuport cleanup} does. */
    public void cleanUp() {
        call(() -> {
            node.distrust();
            Node.Observation seen = node.observe();
            Removal removal = Removal.of(seen.table(), seen.routing(), seen.xtables());
            Predicate<Flow> ours = Removal.flows(settings.marks(), seen.routing());
            if (removal.table()) {
                node.run(Removal.SCRIPT, Listing.NOTHING);
            }
            if (!removal.restores().isEmpty()) {
                node.restore(removal.restores());
            }
            node.send(removal.requests());
            node.forget(ours);
            pass = newPass();
            return true;
        });
    }

    /** This node's kernel, to be used on the agent's thread by {@link #call}. */
    public KernelNode node() {
        return node;
    }

    /** Calls on the agent's thread, inside the node's namespace. */
    public <T> T call(Callable<T> callable) {
        try {
            return inside.submit(callable).get();
        } catch (ExecutionException e) {
            throw new AssertionError("agent of " + settings.nodeName() + ": " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        call(() -> {
            node.close();
            return true;
        });
        inside.shutdown();
    }
}
