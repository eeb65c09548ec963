package li.wlz.kuport.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBindingBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import li.wlz.kuport.crd.PortMapNode;
import li.wlz.kuport.crd.Resources;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PodAnnotations;
import li.wlz.kuport.model.PodReason;
import li.wlz.kuport.model.PodReport;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.reconcile.spi.Reporter.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods that ask by annotation, in a real API server. */
class PodsApiIT {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final PodReport.Line DELIVERED =
            new PodReport.Line("entries[0]", PodReason.Delivered, "203.0.113.9:25/tcp goes on");

    private final ApiServer api = ApiServer.shared();
    private final Agents agents = new Agents(api);
    private final KubernetesClient admin = api.admin();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private String namespace = "";
    private String node = "";

    @BeforeEach
    void prepare() {
        prepareNamespace();
        node = agents.node();
    }

    private void prepareNamespace() {
        namespace = api.namespace();
        // No controller makes it here, and no pod is admitted without.
        admin.resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName("default")
                        .endMetadata()
                        .build())
                .create();
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
    }

    private Pod pod(String name, String onNode, Map<String, String> annotations) {
        return admin.resource(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName(name)
                        .withAnnotations(annotations)
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName(onNode)
                        .withAutomountServiceAccountToken(false)
                        .addNewContainer()
                        .withName("c")
                        .withImage("none")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
    }

    private static Demand demand(String node, boolean alone) {
        PodAnnotations usual = PodAnnotations.DEFAULT;
        return Demand.of(Settings.defaults(node)
                .with(new PodAnnotations(
                        usual.key(), usual.restrictedPorts(), List.of(), null, usual.firewall(), alone)));
    }

    private KubernetesSource source(KubernetesClient client, Demand demand) {
        KubernetesSource source = new KubernetesSource(client, demand, Duration.ofMillis(500), Duration.ofMinutes(5));
        opened.add(source);
        source.start(() -> {});
        await().atMost(SOON).until(() -> source.latest().isPresent());
        return source;
    }

    private List<String> names(KubernetesSource source) {
        Resources resources = source.latest().orElseThrow().resources();
        return resources.pods().stream()
                .map(sourced -> sourced.object())
                .filter(pod -> namespace.equals(pod.getMetadata().getNamespace()))
                .filter(pod -> pod.getMetadata().getAnnotations() != null
                        && !pod.getMetadata().getAnnotations().isEmpty())
                .map(pod -> pod.getMetadata().getName())
                .toList();
    }

    private String user(Demand demand) {
        String user = agents.user();
        agents.allow(user, Permission.of(demand));
        return user;
    }

    @Test
    void only_this_nodes_pods_are_seen_and_only_with_annotations_on() {
        pod("mine", node, Map.of("bln.space/podnat", "{}", "other", "x"));
        pod("plain", node, Map.of("other", "x"));
        pod("theirs", agents.node(), Map.of("bln.space/podnat", "{}"));
        Demand demand = demand(node, false);
        KubernetesSource source = source(agents.client(user(demand)), demand);
        assertThat(names(source)).containsExactly("mine");
        assertThat(source.latest().orElseThrow().resources().pods().stream()
                        .map(sourced -> sourced.object())
                        .filter(pod -> pod.getMetadata().getName().equals("mine")))
                .singleElement()
                .satisfies(pod -> assertThat(pod.getMetadata().getAnnotations()).containsOnlyKeys("bln.space/podnat"));

        // Without them the agent may not even look at pods, and misses nothing.
        KubernetesSource without = source(agents.client(agents.user()), Demand.PORT_MAPS);
        assertThat(without.latest().orElseThrow().resources().pods()).isEmpty();
        assertThat(Permission.of(Demand.PORT_MAPS)).noneMatch(p -> p.resource().equals("pods"));
    }

    @Test
    void alone_it_needs_pods_and_events_and_uses_nodes_where_it_may() {
        pod("mine", node, Map.of("bln.space/podnat", "{}"));
        Demand demand = demand(node, true);
        String user = agents.user();
        agents.allow(
                user,
                Permission.of(demand).stream()
                        .filter(permission -> !permission.resource().equals("nodes"))
                        .toList());
        KubernetesSource source = source(agents.client(user), demand);
        assertThat(names(source)).containsExactly("mine");
        assertThat(Permission.of(demand))
                .extracting(Permission::toString)
                .containsExactlyInAnyOrder(
                        "list nodes", "watch nodes", "create events", "patch events", "list pods", "watch pods");
    }

    @Test
    void what_becomes_of_an_annotation_is_an_event_on_the_pod_once_for_each_change() {
        Pod pod = pod("mx", node, Map.of("bln.space/podnat", "{}"));
        Demand demand = demand(node, true);
        KubernetesClient client = agents.client(user(demand));
        KubernetesSource source = source(client, demand);
        KubernetesReporter reporter = reporter(client, source);
        PodReport.Line waiting = new PodReport.Line("entries[0]", PodReason.AddressMissing, "no such address");
        reporter.report(outcome(pod, waiting));
        reporter.report(outcome(pod, waiting));
        await().atMost(SOON).until(() -> events().size() == 1);
        reporter.report(outcome(pod, DELIVERED));
        await().atMost(SOON).until(() -> events().size() == 2);
        assertThat(events()).extracting(Event::getType).containsExactlyInAnyOrder("Warning", "Normal");
        assertThat(events()).extracting(Event::getReason).containsExactlyInAnyOrder("AddressMissing", "Delivered");
        assertThat(events()).allSatisfy(event -> {
            assertThat(event.getInvolvedObject().getUid())
                    .isEqualTo(pod.getMetadata().getUid());
            assertThat(event.getMessage()).startsWith("entries[0]: ");
        });
        assertThat(admin.resources(PortMapNode.class).withName(node).get()).isNull();
    }

    @Test
    void an_agent_started_anew_counts_up_the_events_that_are_there() {
        Pod pod = pod("mx", node, Map.of("bln.space/podnat", "{}"));
        Demand demand = demand(node, true);
        KubernetesClient client = agents.client(user(demand));
        KubernetesSource source = source(client, demand);
        reporter(client, source).report(outcome(pod, DELIVERED));
        await().atMost(SOON).until(() -> events().size() == 1);
        String first = events().getFirst().getMetadata().getName();
        assertThat(events().getFirst().getCount()).isEqualTo(1);

        reporter(client, source).report(outcome(pod, DELIVERED));
        await().atMost(SOON).until(() -> events().stream().allMatch(event -> event.getCount() == 2));
        assertThat(events()).singleElement().satisfies(event -> {
            assertThat(event.getMetadata().getName()).isEqualTo(first);
            assertThat(Instant.parse(event.getLastTimestamp()))
                    .isAfterOrEqualTo(Instant.parse(event.getFirstTimestamp()));
        });
    }

    @Test
    void a_pod_of_the_longest_name_gets_its_event() {
        Pod pod = pod("a".repeat(235) + "--" + "b".repeat(16), node, Map.of("bln.space/podnat", "{}"));
        Demand demand = demand(node, true);
        KubernetesClient client = agents.client(user(demand));
        reporter(client, source(client, demand)).report(outcome(pod, DELIVERED));
        await().atMost(SOON).until(() -> events().size() == 1);
    }

    @Test
    void an_event_that_is_not_admitted_keeps_no_other_from_being_told() {
        refuseEvents();
        Pod refused = pod("refused", node, Map.of("bln.space/podnat", "{}"));
        String theirs = namespace;
        prepareNamespace();
        Pod other = pod("other", node, Map.of("bln.space/podnat", "{}"));
        Demand demand = demand(node, true);
        KubernetesClient client = agents.client(user(demand));
        KubernetesReporter reporter = reporter(client, source(client, demand));
        reporter.report(outcome(refused, DELIVERED));
        reporter.report(outcome(other, DELIVERED));
        await().atMost(SOON).until(() -> events().size() == 1);
        assertThat(admin.v1().events().inNamespace(theirs).list().getItems()).isEmpty();
    }

    private void refuseEvents() {
        String name = ApiServer.unique("no-events");
        admin.resource(new ValidatingAdmissionPolicyBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withNewMatchConstraints()
                        .addNewResourceRule()
                        .withApiGroups("")
                        .withApiVersions("v1")
                        .withOperations("CREATE")
                        .withResources("events")
                        .endResourceRule()
                        .withNewNamespaceSelector()
                        .addToMatchLabels("kubernetes.io/metadata.name", namespace)
                        .endNamespaceSelector()
                        .endMatchConstraints()
                        .addNewValidation()
                        .withExpression("false")
                        .withReason("Forbidden")
                        .withMessage("no Events here")
                        .endValidation()
                        .endSpec()
                        .build())
                .create();
        admin.resource(new ValidatingAdmissionPolicyBindingBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withPolicyName(name)
                        .withValidationActions("Deny")
                        .endSpec()
                        .build())
                .create();
        await().atMost(SOON).until(() -> Agents.isEventRefused(admin, namespace, "no Events here"));
    }

    @Test
    void a_flood_of_changes_of_one_pod_leaves_room_for_what_is_said_of_others() {
        Pod loud = pod("loud", node, Map.of("bln.space/podnat", "{}"));
        Pod quiet = pod("quiet", node, Map.of("bln.space/podnat", "{}"));
        Demand demand = demand(node, true);
        KubernetesClient client = agents.client(user(demand));
        Events events = new Events(client, node);
        Instant now = Instant.now();
        events.pod(item(quiet, "quiet"), now);
        for (int i = 0; i < 1000; i++) {
            events.pod(item(loud, "loud " + i), now);
        }
        assertThat(events.tell()).isNull();
        assertThat(events())
                .extracting(event -> event.getInvolvedObject().getName())
                .contains("quiet")
                .hasSizeLessThan(20);
    }

    private PodNews.Item item(Pod pod, String message) {
        return new PodNews.Item(
                new ObjectKey(namespace, pod.getMetadata().getName()),
                pod.getMetadata().getUid(),
                PodReason.PortInUse,
                message);
    }

    private KubernetesReporter reporter(KubernetesClient client, KubernetesSource source) {
        KubernetesReporter reporter = new KubernetesReporter(client, source, node, "1.0.0", Duration.ofMillis(300));
        opened.add(reporter);
        reporter.start();
        return reporter;
    }

    private List<Event> events() {
        return admin.v1().events().inNamespace(namespace).list().getItems().stream()
                .filter(event -> "Pod".equals(event.getInvolvedObject().getKind()))
                .toList();
    }

    private Outcome outcome(Pod pod, PodReport.Line line) {
        ObjectKey key = new ObjectKey(
                pod.getMetadata().getNamespace(), pod.getMetadata().getName());
        TreeMap<ObjectKey, PodReport> pods = new TreeMap<>();
        pods.put(key, new PodReport(key, pod.getMetadata().getUid(), List.of(line)));
        NodeReport ofNode = new NodeReport(node, false, List.of(), 0, 0, 4790, 4242, Sorted.map(), List.of());
        return new Outcome(
                1, new Decision(NodePlan.EMPTY, ofNode, Sorted.map(), Sorted.map(), pods), List.of(), List.of());
    }
}
