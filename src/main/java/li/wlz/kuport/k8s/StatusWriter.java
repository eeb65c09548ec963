package li.wlz.kuport.k8s;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapClass;
import li.wlz.kuport.crd.PortMapClassStatus;
import li.wlz.kuport.crd.PortMapNode;
import li.wlz.kuport.crd.PortMapNodeStatus;
import li.wlz.kuport.crd.PortMapStatus;
import li.wlz.kuport.model.ClassReport;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.reconcile.spi.Reporter.Outcome;
import li.wlz.kuport.status.Statuses;
import org.jspecify.annotations.Nullable;

/**
 * Brings the statuses that this node owns to what was decided, and writes only what differs. Used by one thread.
 *
 * <p>Everything is written by server-side apply, so that each writer owns its fields and nothing else: a node's row of a PortMap
 * belongs to that node's manager, what all agents agree on to one manager whoever writes it.
 */
final class StatusWriter {
    /** The manager of what one agent writes for all. */
    static final String SHARED_MANAGER = "kuport-status";

    private static final int UNPROCESSABLE = 422;

    private final KubernetesClient client;
    private final KubernetesSource source;
    private final String nodeName;
    private final String version;
    private final Events events;
    private final String ownManager;

    /** What the API server answered to writes that the watches have not caught up with. */
    private final Map<String, HasMetadata> written = new HashMap<>();

    /** What was found to agree, the very objects: of ten thousand most are the same in the next outcome, too. */
    private final Map<ObjectKey, Agreed> agreed = new HashMap<>();

    private final PodNews podNews = new PodNews();
    private boolean rowsKnown = true;

    private record Agreed(PortMapReport report, PortMap object) {}

    StatusWriter(KubernetesClient client, KubernetesSource source, String nodeName, String version) {
        this.client = client;
        this.source = source;
        this.nodeName = nodeName;
        this.version = version;
        this.events = new Events(client, nodeName);
        this.ownManager = manager(nodeName);
    }

    /** The manager of what belongs to one node; managers are limited to 128 characters, names of nodes to 253. */
    static String manager(String nodeName) {
        return "kuport-node-" + Hash.of(nodeName);
    }

    /** Whether the definitions in the cluster have all that this version writes, as far as writes have shown. */
    boolean definitionsComplete() {
        return rowsKnown && source.knowsPortMapNodes();
    }

    /**
     * Writes what an outcome says, as far as the API server lets it.
     *
     * @param problems of the node, beside those of the outcome
     * @param overtaken whether there is a newer outcome, which makes going on with this one pointless
     * @return which statuses could not be written
     */
    List<WriteFailure> write(Outcome outcome, List<NodeProblem> problems, BooleanSupplier overtaken) {
        Instant now = Instant.now();
        podNews.of(outcome.decision().pods()).forEach(item -> events.pod(item, now));
        return source.demand().portMaps() ? statuses(outcome, problems, overtaken) : List.of();
    }

    /**
     * Tells as Events what has changed by what was written, and what became of pods' annotations.
     *
     * @return what was refused or failed last; null if nothing
     */
    @Nullable
    WriteFailure tellEvents() {
        return events.tell();
    }

    private List<WriteFailure> statuses(Outcome outcome, List<NodeProblem> problems, BooleanSupplier overtaken) {
        List<WriteFailure> failures = new ArrayList<>();
        // A version of the definitions that has the one has the other, too.
        rowsKnown |= source.knowsPortMapNodes();
        attempt(
                failures,
                "portmapnodes/" + nodeName,
                () -> ownNode(outcome.decision().report(), problems));
        if (agreed.size() > outcome.decision().portMaps().size()) {
            agreed.keySet().retainAll(outcome.decision().portMaps().keySet());
        }
        for (PortMapReport report : outcome.decision().portMaps().values()) {
            if (overtaken.getAsBoolean()
                    || !attempt(
                            failures,
                            "portmaps/" + report.key(),
                            () -> portMap(report, outcome.failures().isEmpty()))) {
                break;
            }
        }
        for (ClassReport report : outcome.decision().classes().values()) {
            if (overtaken.getAsBoolean()
                    || !attempt(failures, "portmapclasses/" + report.name(), () -> portMapClass(report))) {
                break;
            }
        }
        return failures;
    }

    /** Something that could not be written, and the API server's answer; its code is not above 0 where there was none. */
    record WriteFailure(String object, int code, String message) {
        @Override
        public String toString() {
            return object + ": " + message;
        }
    }

    /** Whether the next object of the kind is worth trying. */
    private static boolean attempt(List<WriteFailure> failures, String object, Runnable write) {
        try {
            write.run();
            return true;
        } catch (KubernetesClientException e) {
            return switch (e.getCode()) {
                // It is gone, which the watch will tell, too.
                case HttpURLConnection.HTTP_NOT_FOUND -> true;
                case HttpURLConnection.HTTP_BAD_REQUEST, HttpURLConnection.HTTP_CONFLICT, UNPROCESSABLE -> {
                    failures.add(new WriteFailure(object, e.getCode(), KindWatch.words(e)));
                    yield true;
                }
                default -> {
                    failures.add(new WriteFailure(object, e.getCode(), KindWatch.words(e)));
                    yield false;
                }
            };
        }
    }

    private void ownNode(NodeReport report, List<NodeProblem> more) {
        Node node = source.node(nodeName);
        if (node == null || !source.knowsPortMapNodes()) {
            return;
        }
        PortMapNode current = newest(nodeName, source.portMapNode(nodeName));
        if (current == null || !isOwnedBy(current, node)) {
            current = applyWhole(node);
        }
        Instant now = Instant.now();
        PortMapNodeStatus before = current.getStatus();
        PortMapNodeStatus status =
                Statuses.of(withProblems(report, more), version, before == null ? null : before.conditions(), now);
        applyNodeStatus(current, status, now);
    }

    private static NodeReport withProblems(NodeReport report, List<NodeProblem> more) {
        return new NodeReport(
                report.node(),
                report.linkUp(),
                report.underlay(),
                report.underlayMtu(),
                report.mtu(),
                report.port(),
                report.vni(),
                report.interfaces(),
                Stream.concat(more.stream(), report.problems().stream())
                        .sorted()
                        .toList());
    }

    /** Tells of problems that keep passes from running, in what the last pass left. */
    void onlyProblems(List<NodeProblem> problems) {
        PortMapNode current = newest(nodeName, source.portMapNode(nodeName));
        PortMapNodeStatus before = current == null ? null : current.getStatus();
        if (current == null || before == null) {
            return;
        }
        Instant now = Instant.now();
        NodeReport nothing =
                new NodeReport(nodeName, false, List.of(), 0, 0, 0, 0, Collections.emptySortedMap(), problems);
        PortMapNodeStatus told = Statuses.of(nothing, version, before.conditions(), now);
        applyNodeStatus(
                current,
                new PortMapNodeStatus(version, before.link(), before.interfaces(), told.conditions(), told.problems()),
                now);
    }

    private void applyNodeStatus(PortMapNode current, PortMapNodeStatus status, Instant now) {
        PortMapNodeStatus before = current.getStatus();
        if (!status.equals(before)) {
            PortMapNode patch = new PortMapNode();
            patch.setStatus(status);
            PortMapNode after = applyStatus(current, patch, ownManager);
            events.changed(after, before == null ? null : before.conditions(), status.conditions(), now);
        }
    }

    private static boolean isOwnedBy(PortMapNode object, Node node) {
        return object.getMetadata().getOwnerReferences().stream()
                .anyMatch(owner ->
                        Objects.equals(owner.getUid(), node.getMetadata().getUid()));
    }

    /** Creates this node's PortMapNode, which goes when the Node goes. */
    private PortMapNode applyWhole(Node node) {
        PortMapNode object = new PortMapNode();
        object.setMetadata(new ObjectMetaBuilder()
                .withName(nodeName)
                .addNewOwnerReference()
                .withApiVersion("v1")
                .withKind("Node")
                .withName(nodeName)
                .withUid(node.getMetadata().getUid())
                .endOwnerReference()
                .build());
        return remember(client.resource(object).patch(apply(ownManager), json(object)));
    }

    /** @param inForce whether all that was decided is: what is not is not said to be */
    private void portMap(PortMapReport report, boolean inForce) {
        String key = report.key().toString();
        PortMap seen = newest(key, source.portMap(report.key()));
        if (seen == null || (inForce && isAgreed(report, seen))) {
            return;
        }
        agreed.remove(report.key());
        PortMap current = seen;
        boolean leftovers = false;
        NodeRow row = report.ownRow();
        if (row != null && (inForce || !row.ready())) {
            current = ownRow(current, Statuses.row(row));
        }
        li.wlz.kuport.model.Condition programmed = report.condition(li.wlz.kuport.model.Condition.PROGRAMMED);
        if (report.writer() && (inForce || programmed == null || !programmed.status())) {
            current = shared(current, report);
            leftovers = removeLeftovers(current, report);
        }
        if (inForce && rowsKnown && !leftovers && isSame(current, seen)) {
            agreed.put(report.key(), new Agreed(report, seen));
        }
    }

    @SuppressWarnings("ReferenceEquality") // Another object may be equal; then it is compared once more.
    private boolean isAgreed(PortMapReport report, PortMap object) {
        Agreed last = agreed.get(report.key());
        return last != null && last.report == report && isSame(last.object, object);
    }

    @SuppressWarnings("ReferenceEquality") // What was written is answered with another object.
    private static boolean isSame(PortMap one, PortMap other) {
        return one == other;
    }

    private PortMap ownRow(PortMap current, PortMapStatus.Node row) {
        if (!rowsKnown
                || (current.getStatus() != null
                        && list(current.getStatus().nodes()).contains(row))) {
            return current;
        }
        PortMap patch = new PortMap();
        patch.setStatus(new PortMapStatus(null, null, List.of(row), null, null));
        try {
            return applyStatus(current, patch, ownManager);
        } catch (KubernetesClientException e) {
            if (!KindWatch.words(e).contains(".status.nodes: field not declared in schema")) {
                throw e;
            }
            rowsKnown = false;
            return current;
        }
    }

    private PortMap shared(PortMap current, PortMapReport report) {
        PortMapStatus before = current.getStatus();
        Instant now = Instant.now();
        PortMapStatus status = withoutRows(Statuses.of(report, before == null ? null : before.conditions(), now));
        if (before != null
                && Objects.equals(status.endpoint(), before.endpoint())
                && list(status.published()).equals(list(before.published()))
                && Objects.equals(status.observedGeneration(), before.observedGeneration())
                && list(before.conditions()).containsAll(list(status.conditions()))
                && hasOnly(before, types(status))) {
            return current;
        }
        PortMap patch = new PortMap();
        patch.setStatus(status);
        PortMap after = applyStatus(current, patch, SHARED_MANAGER);
        events.changed(after, before == null ? null : before.conditions(), status.conditions(), now);
        return after;
    }

    private static PortMapStatus withoutRows(PortMapStatus status) {
        return new PortMapStatus(
                status.endpoint(), status.published(), null, status.observedGeneration(), status.conditions());
    }

    private static boolean hasOnly(PortMapStatus status, Set<String> types) {
        return list(status.conditions()).stream().allMatch(c -> types.contains(c.getType()));
    }

    private static Set<String> types(PortMapStatus status) {
        return list(status.conditions()).stream()
                .map(Condition::getType)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Removes what apply cannot since another manager owns it: rows of nodes that have no part any more, and what agents of
     * before server-side apply left.
     *
     * @return whether there was something
     */
    private boolean removeLeftovers(PortMap current, PortMapReport report) {
        PortMapStatus status = current.getStatus();
        if (status == null) {
            return false;
        }
        List<String> paths = new ArrayList<>();
        if (status.endpoint() != null && report.endpoint() == null) {
            paths.add("/status/endpoint");
        }
        if (!list(status.published()).isEmpty() && report.published().isEmpty()) {
            paths.add("/status/published");
        }
        // From the last to the first, since a removal moves those behind it.
        List<PortMapStatus.Node> rows = list(status.nodes());
        for (int i = rows.size() - 1; i >= 0; i--) {
            if (report.obsoleteRows().contains(rows.get(i).name())) {
                paths.add("/status/nodes/" + i);
            }
        }
        List<Condition> conditions = list(status.conditions());
        for (int i = conditions.size() - 1; i >= 0; i--) {
            if (report.condition(conditions.get(i).getType()) == null) {
                paths.add("/status/conditions/" + i);
            }
        }
        if (!paths.isEmpty()) {
            remove(current, paths);
        }
        return !paths.isEmpty();
    }

    private void remove(PortMap current, List<String> paths) {
        List<Map<String, String>> operations = new ArrayList<>();
        operations.add(Map.of(
                "op",
                "test",
                "path",
                "/metadata/resourceVersion",
                "value",
                current.getMetadata().getResourceVersion()));
        paths.forEach(path -> operations.add(Map.of("op", "remove", "path", path)));
        PatchContext context = new PatchContext.Builder()
                .withPatchType(PatchType.JSON)
                .withFieldManager(SHARED_MANAGER)
                .build();
        remember(client.resource(current).subresource("status").patch(context, json(operations)));
    }

    private void portMapClass(ClassReport report) {
        PortMapClass current = newest(report.name(), source.portMapClass(report.name()));
        if (current == null || !report.writer()) {
            return;
        }
        Instant now = Instant.now();
        PortMapClassStatus before = current.getStatus();
        PortMapClassStatus status = Statuses.of(report, before == null ? null : before.conditions(), now);
        if (!status.equals(before)) {
            PortMapClass patch = new PortMapClass();
            patch.setStatus(status);
            PortMapClass after = applyStatus(current, patch, SHARED_MANAGER);
            events.changed(after, before == null ? null : before.conditions(), status.conditions(), now);
        }
    }

    /** @param patch has a status alone; the uid keeps it from a newer object of the same name */
    private <T extends CustomResource<?, ?>> T applyStatus(T current, T patch, String manager) {
        ObjectMeta meta = current.getMetadata();
        patch.setMetadata(new ObjectMetaBuilder()
                .withNamespace(meta.getNamespace())
                .withName(meta.getName())
                .withUid(meta.getUid())
                .build());
        return remember(client.resource(patch).subresource("status").patch(apply(manager), json(patch)));
    }

    private static PatchContext apply(String manager) {
        return new PatchContext.Builder()
                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                .withFieldManager(manager)
                .withForce(true)
                .build();
    }

    private String json(Object value) {
        return client.getKubernetesSerialization().asJson(value);
    }

    private <T extends CustomResource<?, ?>> T remember(T answer) {
        T slim = Slim.own(answer);
        ObjectMeta meta = slim.getMetadata();
        String key = meta.getNamespace() == null ? meta.getName() : meta.getNamespace() + "/" + meta.getName();
        written.put(slim.getKind() + " " + key, slim);
        return slim;
    }

    /** The newer of what the watch has and what was written last. */
    @SuppressWarnings("unchecked") // Each kind has its keys to itself.
    private <T extends CustomResource<?, ?>> @Nullable T newest(String key, @Nullable T watched) {
        if (watched == null) {
            return null;
        }
        String name = watched.getKind() + " " + key;
        HasMetadata mine = written.get(name);
        if (mine == null) {
            return watched;
        }
        if (isNewer(mine.getMetadata(), watched.getMetadata())) {
            return (T) mine;
        }
        written.remove(name);
        return watched;
    }

    /** Resource versions of one kind may be compared as numbers since Kubernetes 1.35, and could be ever before. */
    private static boolean isNewer(ObjectMeta mine, ObjectMeta watched) {
        return Objects.equals(mine.getUid(), watched.getUid())
                && Long.parseUnsignedLong(mine.getResourceVersion())
                        > Long.parseUnsignedLong(watched.getResourceVersion());
    }

    /** The API server admits no null in lists. */
    private static <T> List<T> list(@Nullable List<? extends @Nullable T> list) {
        List<T> elements = new ArrayList<>();
        if (list != null) {
            for (T element : list) {
                if (element != null) {
                    elements.add(element);
                }
            }
        }
        return elements;
    }
}
