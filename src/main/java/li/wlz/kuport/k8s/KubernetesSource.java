package li.wlz.kuport.k8s;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapClass;
import li.wlz.kuport.crd.PortMapNode;
import li.wlz.kuport.crd.Resources;
import li.wlz.kuport.crd.Resources.Sourced;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.reconcile.spi.Source;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The objects of a cluster, watched.
 *
 * <p>Nothing is said until every watch has seen all of its kind, and whatever becomes of the API server afterwards, what was
 * said last stays until there is something newer. Events mark the world dirty and do no other work.
 */
public final class KubernetesSource implements Source {
    private static final Logger LOG = LoggerFactory.getLogger(KubernetesSource.class);
    private static final Duration PROBE_EVERY = Duration.ofSeconds(20);
    private static final Duration LONGEST_SILENCE = Duration.ofMinutes(5);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    private final KubernetesClient client;
    private final Duration probeEvery;
    private final Duration longestSilence;
    private final ExecutorService executor = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("kubernetes-source").daemon().factory());

    /** Guards all stores, so that they are seen to change together. */
    private final Object lock = new Object();

    private final SliceStore slices = new SliceStore(lock, this::dirty, service -> askFor(service, FIRST_PAUSE));
    private final KindStore<PortMap> portMaps = new KindStore<>(lock, Slim::own, (before, now) -> {
        slices.portMapChanged(before, now);
        dirty();
    });
    private final KindStore<PortMapClass> classes = store(Slim::own);
    private final KindStore<PortMapNode> reports = store(Slim::own);
    private final KindStore<Node> nodes = store(Slim::node);
    private final KindStore<Service> services = store(Slim::service);
    private final KindStore<Namespace> namespaces = store(Slim::namespace);
    private final KindStore<Pod> pods;
    private final Demand demand;

    private final KindWatch<PortMap> portMapWatch;
    private final KindWatch<PortMapNode> reportWatch;
    private final KindWatch<EndpointSlice> sliceWatch;
    private final KindWatch<Node> nodeWatch;
    private final List<KindWatch<?>> watches;

    private volatile @Nullable Runnable dirty;
    private boolean slicesStarted;
    private volatile boolean unreachable;
    private volatile boolean interrupted;
    private @Nullable Snapshot latest;

    /** @param demand what to watch */
    public KubernetesSource(KubernetesClient client, Demand demand) {
        this(client, demand, PROBE_EVERY, LONGEST_SILENCE);
    }

    /**
     * @param probeEvery how often to look whether the API server answers
     * @param longestSilence after which a watch of which nothing is heard is begun anew
     */
    KubernetesSource(KubernetesClient client, Demand demand, Duration probeEvery, Duration longestSilence) {
        this.longestSilence = longestSilence;
        this.client = client;
        this.demand = demand;
        this.pods = store(pod -> Slim.pod(pod, demand.annotation()));
        this.probeEvery = probeEvery;
        portMapWatch = new KindWatch<>(
                "portmaps",
                client.resources(PortMap.class).inAnyNamespace(),
                portMaps,
                executor,
                this::portMapsSynced,
                this::interrupted);
        reportWatch = new KindWatch<>(
                "portmapnodes", client.resources(PortMapNode.class), reports, executor, this::dirty, this::interrupted);
        sliceWatch = new KindWatch<>(
                "endpointslices",
                client.discovery().v1().endpointSlices().inAnyNamespace(),
                slices,
                executor,
                this::dirty,
                this::interrupted);
        nodeWatch = new KindWatch<>("nodes", client.nodes(), nodes, executor, this::dirty, this::interrupted);
        watches = watches();
    }

    private List<KindWatch<?>> watches() {
        List<KindWatch<?>> wanted = new ArrayList<>(List.of(nodeWatch));
        if (demand.portMaps()) {
            wanted.addAll(List.of(portMapWatch, reportWatch, sliceWatch));
            wanted.add(new KindWatch<>(
                    "services",
                    client.services().inAnyNamespace(),
                    services,
                    executor,
                    this::dirty,
                    this::interrupted));
        }
        if (demand.classes()) {
            wanted.add(new KindWatch<>(
                    "portmapclasses",
                    client.resources(PortMapClass.class),
                    classes,
                    executor,
                    this::dirty,
                    this::interrupted));
            wanted.add(new KindWatch<>(
                    "namespaces", client.namespaces(), namespaces, executor, this::dirty, this::interrupted));
        }
        if (demand.podsOf() != null) {
            wanted.add(new KindWatch<>(
                    "pods",
                    client.pods().inAnyNamespace().withField("spec.nodeName", demand.podsOf()),
                    pods,
                    executor,
                    this::dirty,
                    this::interrupted));
        }
        return List.copyOf(wanted);
    }

    private <T extends HasMetadata> KindStore<T> store(UnaryOperator<T> slim) {
        return new KindStore<>(lock, slim, (before, now) -> dirty());
    }

    @Override
    public void start(Runnable dirty) {
        this.dirty = dirty;
        startable().forEach(KindWatch::start);
        probeLater();
    }

    /** Which slices to keep is known once all PortMaps are: those start later. */
    private synchronized Stream<KindWatch<?>> startable() {
        return watches.stream().filter(watch -> slicesStarted || !watch.equals(sliceWatch));
    }

    private void portMapsSynced() {
        synchronized (this) {
            if (portMapWatch.hasSynced() && !slicesStarted) {
                slicesStarted = true;
                slices.watching();
                executor.execute(sliceWatch::start);
            }
        }
        dirty();
    }

    private void dirty() {
        Runnable started = dirty;
        if (started != null) {
            started.run();
        }
    }

    @Override
    public synchronized Optional<Snapshot> latest() {
        if (watches.stream().allMatch(this::isRead)) {
            List<Sourced<PortMap>> mappings = portMaps.listing();
            // In this order: a mapping that is seen has been asked slices for, and what was found is seen after it.
            if (!demand.portMaps() || slices.complete()) {
                compose(mappings);
            }
        }
        return Optional.ofNullable(latest);
    }

    /**
     * An older version of the definitions has no PortMapNode, and is served all the same; so is a cluster that does not let us see its
     * Nodes, where only pods count.
     */
    private boolean isRead(KindWatch<?> watch) {
        return watch.hasSynced()
                || (watch.equals(reportWatch) && watch.isUnknownKind())
                || (watch.equals(nodeWatch) && !demand.needsNodes() && watch.isForbidden());
    }

    private void compose(List<Sourced<PortMap>> mappings) {
        Resources resources = new Resources(
                mappings,
                classes.listing(),
                reports.listing(),
                nodes.listing(),
                services.listing(),
                slices.listing(),
                namespaces.listing(),
                pods.listing());
        latest = new Snapshot(resources, List.of(), true);
    }

    /** Asks the API server for the slices of a Service, until it answers. */
    private void askFor(ObjectKey service, Duration pause) {
        executor.execute(() -> {
            if (!slices.awaits(service)) {
                return;
            }
            try {
                slices.found(
                        service,
                        client.discovery()
                                .v1()
                                .endpointSlices()
                                .inNamespace(service.namespace())
                                .withLabel(Slim.SERVICE_LABEL, service.name())
                                .list()
                                .getItems());
                dirty();
            } catch (KubernetesClientException e) {
                LOG.warn("cannot read endpointslices of Service {}, trying on: {}", service, KindWatch.words(e));
                Duration next = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
                CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS, executor)
                        .execute(() -> askFor(service, next));
            }
        });
    }

    private void probeLater() {
        CompletableFuture.delayedExecutor(probeEvery.toMillis(), TimeUnit.MILLISECONDS, executor)
                .execute(() -> {
                    probe();
                    probeLater();
                });
    }

    private void interrupted() {
        interrupted = true;
    }

    /**
     * Begins all watches anew when the API server answers again after it did not, or after it broke off one of them: a connection to
     * a machine that lost its power looks alive for minutes, since a watch only listens, and one of several that broke at once has
     * been seen not to come back by itself.
     */
    private void probe() {
        boolean answers = answers();
        if (answers && (unreachable || interrupted)) {
            LOG.info("the API server answers again, watching anew");
            interrupted = false;
            startable().forEach(KindWatch::start);
        } else if (answers) {
            startable().forEach(watch -> watch.startIfSilentFor(longestSilence));
        }
        unreachable = !answers;
    }

    private boolean answers() {
        try {
            client.raw("/version");
            return true;
        } catch (KubernetesClientException e) {
            if (e.getCode() > 0) {
                return true;
            }
            if (!unreachable) {
                LOG.warn("the API server does not answer, everything stays as it is: {}", KindWatch.words(e));
            }
            return false;
        }
    }

    Demand demand() {
        return demand;
    }

    /** Whether some watch is not getting what happens, for want of permission perhaps. */
    boolean isDisturbed() {
        return startable().anyMatch(watch -> !watch.isWatching());
    }

    /** Whether the API server knows PortMapNode, as far as can be told. */
    boolean knowsPortMapNodes() {
        return !reportWatch.isUnknownKind();
    }

    @Nullable
    PortMap portMap(ObjectKey key) {
        return portMaps.get(key.toString());
    }

    @Nullable
    PortMapClass portMapClass(String name) {
        return classes.get(name);
    }

    @Nullable
    PortMapNode portMapNode(String name) {
        return reports.get(name);
    }

    @Nullable
    Node node(String name) {
        return nodes.get(name);
    }

    @Override
    public void close() {
        executor.shutdownNow();
        watches.forEach(KindWatch::close);
    }
}
