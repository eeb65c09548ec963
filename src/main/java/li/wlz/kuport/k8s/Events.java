package li.wlz.kuport.k8s;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import li.wlz.kuport.model.PodReport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells changes of conditions as Events.
 *
 * <p>A change that repeats one of a while ago, as of a pod that comes and goes, counts up the Event there is instead of making
 * another. Used by one thread.
 */
final class Events {
    private static final Logger LOG = LoggerFactory.getLogger(Events.class);
    private static final String COMPONENT = "kuport";
    private static final int LONGEST_MESSAGE = 1024;
    private static final int REMEMBERED = 256;
    private static final int WAITING = 256;
    private static final Duration REPEATS_WITHIN = Duration.ofMinutes(30);

    private final KubernetesClient client;
    private final String nodeName;
    private final Deque<Change> waiting = new ArrayDeque<>();
    private final Map<Key, Told> told = new LinkedHashMap<>();

    private record Change(String apiVersion, String kind, ObjectMeta about, Condition condition, Instant at) {}

    private record Key(String uid, String type, String status, String reason, String message) {}

    private record Told(Event event, int count, Instant at) {}

    Events(KubernetesClient client, String nodeName) {
        this.client = client;
        this.nodeName = nodeName;
    }

    /** Takes note of what changed; {@link #tell} sends it. */
    void changed(
            HasMetadata about,
            @Nullable List<? extends @Nullable Condition> before,
            @Nullable List<? extends @Nullable Condition> now,
            Instant at) {
        if (now == null) {
            return;
        }
        for (Condition condition : now) {
            if (condition != null && !holds(before, condition)) {
                waiting.add(new Change(about.getApiVersion(), about.getKind(), about.getMetadata(), condition, at));
            }
        }
        while (waiting.size() > WAITING) {
            waiting.removeFirst();
        }
    }

    /** Takes note of what there is to say of a pod's annotation; {@link #tell} sends it. */
    void pod(PodReport report, PodReport.Line line, Instant at) {
        ObjectMeta about = new ObjectMetaBuilder()
                .withNamespace(report.key().namespace())
                .withName(report.key().name())
                .withUid(report.uid())
                .build();
        Condition condition = new ConditionBuilder()
                .withType(line.subject())
                .withStatus(line.isDelivered() ? "True" : "False")
                .withReason(line.reason().name())
                .withMessage(line.message())
                .build();
        waiting.add(new Change("v1", "Pod", about, condition, at));
        while (waiting.size() > WAITING) {
            waiting.removeFirst();
        }
    }

    private static boolean holds(@Nullable List<? extends @Nullable Condition> before, Condition condition) {
        return before != null
                && before.stream()
                        .anyMatch(c -> c != null
                                && Objects.equals(c.getType(), condition.getType())
                                && Objects.equals(c.getStatus(), condition.getStatus())
                                && Objects.equals(c.getReason(), condition.getReason()));
    }

    /**
     * Sends what was taken note of; what was about an object that has gone with its namespace is dropped.
     *
     * @throws KubernetesClientException if the API server takes one not; it and those after it are kept for the next time
     */
    void tell() {
        while (!waiting.isEmpty()) {
            try {
                tell(waiting.getFirst());
            } catch (KubernetesClientException e) {
                if (!isNamespaceGone(e)) {
                    throw e;
                }
                LOG.debug(
                        "not told object={} why={}", waiting.getFirst().about().getName(), e.getMessage());
            }
            waiting.removeFirst();
        }
    }

    /** Whether the Event's namespace is deleted, or about to be. */
    private static boolean isNamespaceGone(KubernetesClientException refusal) {
        return refusal.getCode() == HttpURLConnection.HTTP_NOT_FOUND
                || (refusal.getStatus() != null
                        && refusal.getStatus().getDetails() != null
                        && refusal.getStatus().getDetails().getCauses().stream()
                                .anyMatch(cause -> "NamespaceTerminating".equals(cause.getReason())));
    }

    private void tell(Change change) {
        Condition condition = change.condition();
        String message = cut(condition.getType() + ": " + condition.getMessage());
        Key key = new Key(
                change.about().getUid(), condition.getType(), condition.getStatus(), condition.getReason(), message);
        Told before = told.remove(key);
        boolean again = before != null && before.at().plus(REPEATS_WITHIN).isAfter(change.at());
        Told now = again && before != null ? repeat(before, change.at()) : null;
        told.put(key, now == null ? create(change, message) : now);
        if (told.size() > REMEMBERED) {
            told.remove(told.keySet().iterator().next());
        }
    }

    /** Null where the Event has expired. */
    private @Nullable Told repeat(Told before, Instant at) {
        int count = before.count() + 1;
        String patch = client.getKubernetesSerialization().asJson(Map.of("count", count, "lastTimestamp", time(at)));
        try {
            client.resource(before.event()).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
            return new Told(before.event(), count, at);
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }

    private Told create(Change change, String message) {
        ObjectMeta about = change.about();
        String namespace = about.getNamespace() == null ? "default" : about.getNamespace();
        String name = about.getName() + "." + Long.toHexString(System.nanoTime());
        boolean fine = "True".equals(change.condition().getStatus());
        Event event = new EventBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withNewInvolvedObject()
                .withApiVersion(change.apiVersion())
                .withKind(change.kind())
                .withNamespace(about.getNamespace())
                .withName(about.getName())
                .withUid(about.getUid())
                .endInvolvedObject()
                .withType(fine ? "Normal" : "Warning")
                .withReason(change.condition().getReason())
                .withMessage(message)
                .withFirstTimestamp(time(change.at()))
                .withLastTimestamp(time(change.at()))
                .withCount(1)
                .withNewSource()
                .withComponent(COMPONENT)
                .withHost(nodeName)
                .endSource()
                .withReportingComponent(COMPONENT)
                .withReportingInstance(nodeName)
                .build();
        client.resource(event).create();
        return new Told(event, 1, change.at());
    }

    private static String time(Instant at) {
        return at.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static String cut(String message) {
        return message.length() <= LONGEST_MESSAGE ? message : message.substring(0, LONGEST_MESSAGE - 3) + "...";
    }
}
