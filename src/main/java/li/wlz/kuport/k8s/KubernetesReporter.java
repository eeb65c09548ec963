package li.wlz.kuport.k8s;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.reconcile.spi.Reporter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes outcomes into the cluster: statuses, this node's PortMapNode, Events.
 *
 * <p>A thread of its own does it, always with the latest outcome, so that an API server that is slow or away holds up no pass.
 * The same thread finds out which permission is missing when the API server refuses something.
 */
public final class KubernetesReporter implements Reporter {
    private static final Logger LOG = LoggerFactory.getLogger(KubernetesReporter.class);
    private static final Duration CHECK_EVERY = Duration.ofSeconds(15);
    private static final Duration CLOSE_WITHIN = Duration.ofSeconds(5);

    private final KubernetesSource source;
    private final StatusWriter writer;
    private final PermissionCheck permissions;
    private final Duration checkEvery;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition woken = lock.newCondition();
    private @Nullable Outcome latest;
    private boolean fresh;
    private boolean closed;

    // Used by the thread alone.
    private List<Permission> missing = List.of();
    private boolean everChecked;
    private boolean refused;
    private long lastCheck;
    private final Backoff backoff = new Backoff();
    private boolean saidDefinitions;
    private String lastFailure = "";
    private int lastEventFailure;

    /**
     * A reporter that does nothing before {@link #start}.
     *
     * @param source where the present statuses are seen
     * @param version the agent's, shown in the PortMapNode
     */
    public KubernetesReporter(KubernetesClient client, KubernetesSource source, String nodeName, String version) {
        this(client, source, nodeName, version, CHECK_EVERY);
    }

    /** @param checkEvery how often to ask for permissions while something is refused or not watched */
    KubernetesReporter(
            KubernetesClient client, KubernetesSource source, String nodeName, String version, Duration checkEvery) {
        this.source = source;
        this.writer = new StatusWriter(client, source, nodeName, version);
        this.permissions = new PermissionCheck(client, Permission.of(source.demand()));
        this.checkEvery = checkEvery;
        this.thread = Thread.ofPlatform().name("kubernetes-reporter").daemon().unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    @Override
    public void report(Outcome outcome) {
        lock.lock();
        try {
            latest = outcome;
            fresh = true;
            woken.signal();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            while (awaitWork()) {
                round();
            }
        } catch (InterruptedException e) {
            LOG.debug("interrupted, as closing does");
        }
    }

    /** Waits until there is something to do; false when there never is again. */
    private boolean awaitWork() throws InterruptedException {
        boolean failing = backoff.isFailing();
        long pause = failing ? backoff.remaining().toNanos() : everChecked ? checkEvery.toNanos() : 0;
        lock.lockInterruptibly();
        try {
            // After a failure a new outcome waits, too: the API server is not to be pressed.
            while (pause > 0 && !closed && (failing || !fresh)) {
                pause = woken.awaitNanos(pause);
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private void round() {
        Outcome outcome = take();
        checkPermissions();
        List<NodeProblem> problems = PermissionCheck.problems(missing);
        List<StatusWriter.WriteFailure> failures =
                outcome == null ? tellWithoutOutcome(problems) : writer.write(outcome, problems, this::isOvertaken);
        if (failures.isEmpty()) {
            backoff.succeeded();
        } else {
            backoff.failed();
        }
        // They have a back-off of their own: what becomes of Events is not to hold up statuses.
        StatusWriter.WriteFailure event = writer.tellEvents();
        refused = Stream.concat(failures.stream(), Stream.ofNullable(event))
                .anyMatch(f -> f.code() == HttpURLConnection.HTTP_FORBIDDEN);
        sayDefinitions();
        say(failures, event);
    }

    private void say(List<StatusWriter.WriteFailure> failures, StatusWriter.@Nullable WriteFailure event) {
        String failure = failures.isEmpty() ? "" : failures.getFirst().toString();
        if (!failure.isEmpty() && !failure.equals(lastFailure)) {
            LOG.warn("cannot write {} statuses, trying on: {}", failures.size(), failure);
        }
        lastFailure = failure;
        // Each names another Event, and anyone's webhook can refuse them: a kind of failure is news, not every one.
        if (event != null && event.code() != lastEventFailure) {
            LOG.warn("the API server did not take an Event: {}", event.message());
            lastEventFailure = event.code();
        }
    }

    private @Nullable Outcome take() {
        lock.lock();
        try {
            fresh = false;
            return latest;
        } finally {
            lock.unlock();
        }
    }

    private boolean isOvertaken() {
        lock.lock();
        try {
            return fresh || closed;
        } finally {
            lock.unlock();
        }
    }

    private List<StatusWriter.WriteFailure> tellWithoutOutcome(List<NodeProblem> problems) {
        try {
            if (!problems.isEmpty() && source.demand().portMaps()) {
                writer.onlyProblems(problems);
            }
            return List.of();
        } catch (KubernetesClientException e) {
            return List.of(new StatusWriter.WriteFailure("portmapnodes", e.getCode(), KindWatch.words(e)));
        }
    }

    private void checkPermissions() {
        long now = System.nanoTime();
        boolean doubtful = !everChecked || refused || !missing.isEmpty() || source.isDisturbed();
        if (!doubtful || (everChecked && now - lastCheck < checkEvery.toNanos())) {
            return;
        }
        lastCheck = now;
        try {
            List<Permission> found = permissions.missing();
            everChecked = true;
            if (!found.equals(missing)) {
                if (found.isEmpty()) {
                    LOG.info("all permissions are there again");
                } else {
                    LOG.error("{}", PermissionCheck.problems(found).getFirst().message());
                }
            }
            missing = found;
        } catch (KubernetesClientException e) {
            everChecked = true;
            LOG.debug("cannot ask for permissions", e);
        }
    }

    private void sayDefinitions() {
        if (source.demand().portMaps() && !writer.definitionsComplete() && !saidDefinitions) {
            saidDefinitions = true;
            LOG.warn(
                    "the cluster's definitions of group kuport.wlz.li are of an older version, so what nodes say of"
                            + " themselves cannot be written; everything else works. Apply the crds.yaml of the agent's version");
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            woken.signal();
        } finally {
            lock.unlock();
        }
        try {
            if (!thread.join(CLOSE_WITHIN)) {
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
