package li.wlz.kuport.k8s;

import io.fabric8.kubernetes.api.model.Condition;
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
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import li.wlz.kuport.k8s.StatusWriter.WriteFailure;
import org.jspecify.annotations.Nullable;

/**
 * Tells changes of conditions, and what becomes of pods' annotations, as Events.
 *
 * <p>An Event's name follows from what it says: what is said once more, as of a pod that comes and goes or by an agent that was
 * started anew, counts up the Event that is there instead of making another. Used by one thread.
 */
final class Events {
    private static final String COMPONENT = "kuport";
    private static final int LONGEST_MESSAGE = 1024;
    private static final int LONGEST_NAME = 253;
    private static final int WAITING = 256;
    private static final int WAITING_OF_ONE = 16;
    private static final int TOO_MANY_REQUESTS = 429;

    private final KubernetesClient client;
    private final String nodeName;
    private final Deque<Change> waiting = new ArrayDeque<>();
    private final Backoff backoff = new Backoff();

    private record Change(
            String apiVersion, String kind, ObjectMeta about, boolean fine, String reason, String message, Instant at) {
        boolean isAbout(String uid) {
            return uid.equals(about.getUid());
        }
    }

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
                add(new Change(
                        about.getApiVersion(),
                        about.getKind(),
                        about.getMetadata(),
                        "True".equals(condition.getStatus()),
                        condition.getReason(),
                        condition.getType() + ": " + condition.getMessage(),
                        at));
            }
        }
    }

    /** Takes note of what there is to say of a pod's annotation; {@link #tell} sends it. */
    void pod(PodNews.Item item, Instant at) {
        ObjectMeta about = new ObjectMetaBuilder()
                .withNamespace(item.pod().namespace())
                .withName(item.pod().name())
                .withUid(item.uid())
                .build();
        add(new Change("v1", "Pod", about, item.isDelivered(), item.reason().name(), item.message(), at));
    }

    private static boolean holds(@Nullable List<? extends @Nullable Condition> before, Condition condition) {
        return before != null
                && before.stream()
                        .anyMatch(c -> c != null
                                && Objects.equals(c.getType(), condition.getType())
                                && Objects.equals(c.getStatus(), condition.getStatus())
                                && Objects.equals(c.getReason(), condition.getReason()));
    }

    /** What is too much goes from those objects of which there is most to say: nobody can push out what is said of others. */
    private void add(Change change) {
        waiting.add(change);
        Map<String, Integer> counts = new HashMap<>();
        waiting.forEach(one -> counts.merge(one.about().getUid(), 1, Integer::sum));
        Map.Entry<String, Integer> most = Collections.max(counts.entrySet(), Map.Entry.comparingByValue());
        if (most.getValue() > WAITING_OF_ONE || waiting.size() > WAITING) {
            Iterator<Change> oldest = waiting.iterator();
            while (!oldest.next().isAbout(most.getKey())) {
                // On to the first that is.
            }
            oldest.remove();
        }
    }

    /**
     * Sends what was taken note of. What the API server refuses for good is dropped; what it has no time for is kept, with all
     * after it, and tried again after a pause.
     *
     * @return what was refused or failed last; null if nothing
     */
    @Nullable
    WriteFailure tell() {
        WriteFailure failure = null;
        while (!waiting.isEmpty() && backoff.remaining().isZero()) {
            try {
                tell(waiting.getFirst());
                waiting.removeFirst();
                backoff.succeeded();
            } catch (KubernetesClientException e) {
                if (!isNamespaceGone(e)) {
                    failure = new WriteFailure("events", e.getCode(), KindWatch.words(e));
                }
                if (isRefusal(e.getCode())) {
                    waiting.removeFirst();
                } else {
                    backoff.failed();
                }
            }
        }
        return failure;
    }

    /** Whether the same request would get the same answer for ever. */
    private static boolean isRefusal(int code) {
        return switch (code) {
            case HttpURLConnection.HTTP_UNAUTHORIZED, HttpURLConnection.HTTP_CLIENT_TIMEOUT, TOO_MANY_REQUESTS -> false;
            default -> code / 100 == 4;
        };
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
        Event event = event(change);
        try {
            client.resource(event).create();
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                throw e;
            }
            // A patch of nothing is answered with what is there, without the permission to get it.
            Event there = patch(event, Map.of());
            int count = there.getCount() == null ? 1 : there.getCount();
            patch(event, Map.of("count", count + 1, "lastTimestamp", time(change.at())));
        }
    }

    private Event patch(Event event, Map<String, Object> changes) {
        String json = client.getKubernetesSerialization().asJson(changes);
        return client.resource(event).patch(PatchContext.of(PatchType.JSON_MERGE), json);
    }

    private Event event(Change change) {
        ObjectMeta about = change.about();
        return new EventBuilder()
                .withNewMetadata()
                .withNamespace(about.getNamespace() == null ? "default" : about.getNamespace())
                .withName(name(change))
                .endMetadata()
                .withNewInvolvedObject()
                .withApiVersion(change.apiVersion())
                .withKind(change.kind())
                .withNamespace(about.getNamespace())
                .withName(about.getName())
                .withUid(about.getUid())
                .endInvolvedObject()
                .withType(change.fine() ? "Normal" : "Warning")
                .withReason(change.reason())
                .withMessage(cut(change.message()))
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
    }

    /** As much of the object's name as is let in the name of an Event, and a hash of what is said of it. */
    private static String name(Change change) {
        String hash = Hash.of(change.about().getUid() + "\n" + change.reason() + "\n" + change.message());
        String name = change.about().getName();
        int room = LONGEST_NAME - 1 - hash.length();
        String start = name.length() <= room ? name : name.substring(0, room).replaceFirst("[^a-z0-9]+$", "");
        return start + "." + hash;
    }

    private static String time(Instant at) {
        return at.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static String cut(String message) {
        return message.length() <= LONGEST_MESSAGE ? message : message.substring(0, LONGEST_MESSAGE - 3) + "...";
    }
}
