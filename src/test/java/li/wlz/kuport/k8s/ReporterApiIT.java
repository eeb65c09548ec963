package li.wlz.kuport.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapClass;
import li.wlz.kuport.crd.PortMapClassSpec;
import li.wlz.kuport.crd.PortMapNode;
import li.wlz.kuport.crd.PortMapNodeStatus;
import li.wlz.kuport.crd.PortMapSpec;
import li.wlz.kuport.crd.PortMapSpec.ServiceRef;
import li.wlz.kuport.crd.PortMapStatus;
import li.wlz.kuport.model.ClassReport;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.model.ProgrammedReason;
import li.wlz.kuport.reconcile.spi.Reporter.Outcome;
import li.wlz.kuport.status.Statuses;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReporterApiIT {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration QUIET = Duration.ofSeconds(1);
    private static final Duration CHECK_EVERY = Duration.ofMillis(300);

    private static final li.wlz.kuport.model.Condition ACCEPTED =
            new li.wlz.kuport.model.Condition("Accepted", true, "Valid", "the mapping is accepted");
    private static final li.wlz.kuport.model.Condition REFUSED =
            new li.wlz.kuport.model.Condition("Accepted", false, "PortConflict", "port 3000 is games/other's");
    private static final li.wlz.kuport.model.Condition PROGRAMMED =
            new li.wlz.kuport.model.Condition("Programmed", true, "AllNodesReady", "both ends are ready");
    private static final li.wlz.kuport.model.Condition WAITING =
            new li.wlz.kuport.model.Condition("Programmed", false, "NoReadyEndpoint", "no pod is ready");
    private static final PortMapReport.ChosenEndpoint ENDPOINT =
            new PortMapReport.ChosenEndpoint("worker", "game-0", IpAddress.parse("10.244.1.1"), null);

    private final ApiServer api = ApiServer.shared();
    private final Agents agents = new Agents(api);
    private final KubernetesClient admin = api.admin();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private String namespace = "";
    private PortMap portMap = new PortMap();

    @BeforeEach
    void makePortMap() {
        namespace = api.namespace();
        portMap.setMetadata(new ObjectMetaBuilder()
                .withNamespace(namespace)
                .withName("game")
                .build());
        portMap.setSpec(new PortMapSpec(
                "public", "UDP", 3000, null, null, new ServiceRef("gameserver", new IntOrString("game"))));
        portMap = admin.resource(portMap).create();
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
    }

    /** An agent's eyes and mouth. */
    private record Agent(String node, KubernetesSource source, KubernetesReporter reporter) {}

    private Agent agent() {
        return agent(agents.client(agents.user()));
    }

    private Agent agent(KubernetesClient client) {
        String node = agents.node();
        KubernetesSource source = Agents.source(client);
        opened.add(source);
        source.start(() -> {});
        KubernetesReporter reporter = new KubernetesReporter(client, source, node, "1.0.0", CHECK_EVERY);
        opened.add(reporter);
        reporter.start();
        await().atMost(SOON).until(() -> source.latest().isPresent() && source.node(node) != null);
        return new Agent(node, source, reporter);
    }

    private ObjectKey key() {
        return new ObjectKey(namespace, "game");
    }

    private PortMapReport report(
            boolean writer, @Nullable NodeRow row, List<li.wlz.kuport.model.Condition> conditions, String... obsolete) {
        boolean accepted = conditions.contains(ACCEPTED);
        return new PortMapReport(
                key(),
                1,
                writer,
                row,
                accepted ? ENDPOINT : null,
                accepted
                        ? List.of(new PortMapReport.Published("edge", "eth0", IpAddress.parse("203.0.113.9"), null))
                        : List.of(),
                conditions,
                List.of(obsolete));
    }

    private static NodeRow ready(String node, NodeRow.Role role) {
        return new NodeRow(node, role, true, IpAddress.parse("10.244.1.1"), 1, null, "");
    }

    private static NodeReport nodeReport(String node, NodeProblem... problems) {
        return new NodeReport(
                node,
                true,
                List.of(IpAddress.parse("100.64.0.1")),
                1420,
                1370,
                4790,
                4242,
                new TreeMap<>(Map.of("eth0", List.of(IpAddress.parse("203.0.113.9")))),
                List.of(problems));
    }

    private static Outcome outcome(String node, List<String> failures, PortMapReport... reports) {
        TreeMap<ObjectKey, PortMapReport> byKey = new TreeMap<>();
        for (PortMapReport report : reports) {
            byKey.put(report.key(), report);
        }
        return new Outcome(
                1,
                new Decision(NodePlan.EMPTY, nodeReport(node), byKey, new TreeMap<>(), new TreeMap<>()),
                List.of(),
                failures);
    }

    private void tell(Agent agent, PortMapReport... reports) {
        agent.reporter().report(outcome(agent.node(), List.of(), reports));
    }

    private PortMap now() {
        return Objects.requireNonNull(admin.resource(portMap).get());
    }

    private PortMapStatus status() {
        PortMapStatus status = now().getStatus();
        return status == null ? new PortMapStatus(null, null, null, null, null) : status;
    }

    private void until(Predicate<PortMapStatus> holds) {
        await().atMost(SOON).until(() -> holds.test(status()));
    }

    private static @Nullable Condition condition(PortMapStatus status, String type) {
        return status.conditions() == null
                ? null
                : status.conditions().stream()
                        .filter(c -> c != null && c.getType().equals(type))
                        .findFirst()
                        .orElse(null);
    }

    private static String reason(PortMapStatus status, String type) {
        Condition condition = condition(status, type);
        return condition == null ? "" : condition.getReason();
    }

    private static List<String> rows(PortMapStatus status) {
        return status.nodes() == null
                ? List.of()
                : status.nodes().stream()
                        .map(row -> row == null ? "" : row.name())
                        .toList();
    }

    private List<Event> events(HasMetadata about, String namespace) {
        return admin.v1().events().inNamespace(namespace).list().getItems().stream()
                .filter(e -> about.getMetadata()
                        .getUid()
                        .equals(e.getInvolvedObject().getUid()))
                .toList();
    }

    private void unchangedAgain(Agent agent, PortMapReport report) {
        String version = now().getMetadata().getResourceVersion();
        tell(agent, report);
        await().during(QUIET)
                .atMost(SOON)
                .until(() -> version.equals(now().getMetadata().getResourceVersion()));
    }

    @Test
    void a_status_is_written_once_and_not_again_when_nothing_changes() {
        Agent agent = agent();
        PortMapReport report = report(true, ready(agent.node(), NodeRow.Role.Accepting), List.of(ACCEPTED, PROGRAMMED));
        tell(agent, report);
        until(s -> reason(s, "Programmed").equals("AllNodesReady"));
        PortMapStatus status = status();
        assertThat(status.endpoint()).isEqualTo(new PortMapStatus.Endpoint("worker", "game-0", "10.244.1.1", null));
        assertThat(status.published())
                .containsExactly(new PortMapStatus.Published("edge", "eth0", "203.0.113.9", null));
        assertThat(status.nodes())
                .containsExactly(new PortMapStatus.Node(agent.node(), "Accepting", true, "10.244.1.1", 1L, null, null));
        assertThat(status.observedGeneration()).isEqualTo(1);
        assertThat(condition(status, "Accepted")).isNotNull().satisfies(accepted -> {
            assertThat(accepted.getStatus()).isEqualTo("True");
            assertThat(accepted.getObservedGeneration()).isEqualTo(1);
            assertThat(Instant.parse(accepted.getLastTransitionTime())).isBeforeOrEqualTo(Instant.now());
        });
        assertThat(now().getMetadata().getManagedFields())
                .extracting(ManagedFieldsEntry::getManager, ManagedFieldsEntry::getOperation)
                .contains(tuple("kuport-status", "Apply"), tuple(StatusWriter.manager(agent.node()), "Apply"));
        unchangedAgain(agent, report);
        // An agent started anew finds everything as it should be.
        Agent again = agent();
        unchangedAgain(again, report(true, null, List.of(ACCEPTED, PROGRAMMED)));
    }

    @Test
    void a_condition_keeps_its_time_until_its_status_changes() {
        Agent agent = agent();
        tell(agent, report(true, null, List.of(ACCEPTED, WAITING)));
        until(s -> reason(s, "Programmed").equals("NoReadyEndpoint"));
        String waitingSince =
                Objects.requireNonNull(condition(status(), "Programmed")).getLastTransitionTime();
        String acceptedSince =
                Objects.requireNonNull(condition(status(), "Accepted")).getLastTransitionTime();
        await().pollDelay(Duration.ofMillis(1100)).until(() -> true);
        tell(
                agent,
                report(
                        true,
                        null,
                        List.of(
                                ACCEPTED,
                                new li.wlz.kuport.model.Condition(
                                        "Programmed", false, "NodeNotReady", "edge is not ready"))));
        until(s -> reason(s, "Programmed").equals("NodeNotReady"));
        assertThat(condition(status(), "Programmed"))
                .extracting(Condition::getLastTransitionTime)
                .isEqualTo(waitingSince);
        tell(agent, report(true, null, List.of(ACCEPTED, PROGRAMMED)));
        until(s -> reason(s, "Programmed").equals("AllNodesReady"));
        assertThat(condition(status(), "Programmed"))
                .extracting(Condition::getLastTransitionTime)
                .isNotEqualTo(waitingSince);
        assertThat(condition(status(), "Accepted"))
                .extracting(Condition::getLastTransitionTime)
                .isEqualTo(acceptedSince);
    }

    @Test
    void rows_of_two_nodes_do_not_touch_each_other_and_obsolete_ones_go() {
        Agent one = agent();
        Agent other = agent();
        PortMapReport ofOther =
                report(false, ready(other.node(), NodeRow.Role.Endpoint), List.of(ACCEPTED, PROGRAMMED));
        tell(one, report(true, ready(one.node(), NodeRow.Role.Accepting), List.of(ACCEPTED, PROGRAMMED)));
        tell(other, ofOther);
        until(s -> rows(s).containsAll(List.of(one.node(), other.node())));
        NodeRow notReady = new NodeRow(
                other.node(), NodeRow.Role.Endpoint, false, null, 1, ProgrammedReason.NodeNotReady, "the link is down");
        tell(other, report(false, notReady, List.of(ACCEPTED, PROGRAMMED)));
        until(s -> Objects.requireNonNull(s.nodes()).contains(row(notReady)));
        assertThat(status().nodes()).contains(row(ready(one.node(), NodeRow.Role.Accepting)));

        tell(other, report(false, null, List.of(ACCEPTED, PROGRAMMED)));
        PortMapReport last =
                report(true, ready(one.node(), NodeRow.Role.Accepting), List.of(ACCEPTED, PROGRAMMED), other.node());
        tell(one, last);
        until(s -> rows(s).equals(List.of(one.node())));
        unchangedAgain(one, last);
    }

    private static PortMapStatus.Node row(NodeRow row) {
        return Statuses.row(row);
    }

    @Test
    void another_node_takes_over_as_the_writer() {
        Agent one = agent();
        Agent other = agent();
        tell(one, report(true, null, List.of(ACCEPTED, WAITING)));
        until(s -> reason(s, "Programmed").equals("NoReadyEndpoint"));
        tell(one, report(false, null, List.of(ACCEPTED, WAITING)));
        tell(other, report(true, null, List.of(REFUSED)));
        until(s -> reason(s, "Accepted").equals("PortConflict") && condition(s, "Programmed") == null);
        assertThat(status().endpoint()).isNull();
        assertThat(status().published()).isNull();
    }

    @Test
    void a_refused_mapping_loses_what_an_older_agent_left_there() {
        portMap.setStatus(new PortMapStatus(
                new PortMapStatus.Endpoint("worker", null, "10.244.1.1", null),
                List.of(new PortMapStatus.Published("edge", "eth0", "203.0.113.9", null)),
                null,
                1L,
                List.of(condition("Accepted", "True", "Valid"), condition("Programmed", "True", "AllNodesReady"))));
        portMap = admin.resource(portMap).updateStatus();
        Agent agent = agent();
        PortMapReport report = report(true, null, List.of(REFUSED));
        tell(agent, report);
        until(s -> reason(s, "Accepted").equals("PortConflict")
                && condition(s, "Programmed") == null
                && s.endpoint() == null
                && s.published() == null);
        unchangedAgain(agent, report);
    }

    private static Condition condition(String type, String status, String reason) {
        return new ConditionBuilder()
                .withType(type)
                .withStatus(status)
                .withReason(reason)
                .withMessage("as it was")
                .withLastTransitionTime("2026-01-01T00:00:00Z")
                .build();
    }

    @Test
    void a_change_of_a_condition_is_one_Event_and_a_repeated_one_counts_up() {
        Agent agent = agent();
        tell(agent, report(true, null, List.of(ACCEPTED, WAITING)));
        await().atMost(SOON).until(() -> events(portMap, namespace).size() == 2);
        tell(agent, report(true, null, List.of(ACCEPTED, PROGRAMMED)));
        await().atMost(SOON).until(() -> events(portMap, namespace).size() == 3);
        tell(agent, report(true, null, List.of(ACCEPTED, WAITING)));
        await().atMost(SOON)
                .until(() -> events(portMap, namespace).stream()
                        .anyMatch(e -> e.getReason().equals("NoReadyEndpoint") && e.getCount() == 2));
        assertThat(events(portMap, namespace)).hasSize(3);
        assertThat(events(portMap, namespace))
                .filteredOn(e -> e.getReason().equals("NoReadyEndpoint"))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.getType()).isEqualTo("Warning");
                    assertThat(event.getMessage()).isEqualTo("Programmed: no pod is ready");
                    assertThat(event.getSource().getHost()).isEqualTo(agent.node());
                });
    }

    @Test
    void what_the_kernel_refused_is_not_said_to_be_in_force() {
        Agent agent = agent();
        PortMapReport report = report(true, ready(agent.node(), NodeRow.Role.Accepting), List.of(ACCEPTED, PROGRAMMED));
        agent.reporter().report(outcome(agent.node(), List.of("nft: No such file or directory"), report));
        await().atMost(SOON)
                .until(() -> admin.resources(PortMapNode.class)
                                .withName(agent.node())
                                .get()
                        != null);
        assertThat(status().conditions()).isNull();
        assertThat(rows(status())).isEmpty();
        tell(agent, report);
        until(s -> reason(s, "Programmed").equals("AllNodesReady"));
    }

    @Test
    void a_node_has_a_PortMapNode_that_its_Node_owns() {
        Agent agent = agent();
        tell(agent);
        PortMapNode made = await().atMost(SOON)
                .until(
                        () -> admin.resources(PortMapNode.class)
                                .withName(agent.node())
                                .get(),
                        found -> found != null && found.getStatus() != null);
        assertThat(made.getMetadata().getOwnerReferences())
                .singleElement()
                .satisfies(owner -> assertThat(owner.getUid())
                        .isEqualTo(admin.nodes()
                                .withName(agent.node())
                                .get()
                                .getMetadata()
                                .getUid()));
        PortMapNodeStatus status = Objects.requireNonNull(made.getStatus());
        assertThat(status.version()).isEqualTo("1.0.0");
        assertThat(status.link()).isEqualTo(new PortMapNodeStatus.Link(true, "100.64.0.1", 1420, 1370, 4790, 4242));
        assertThat(status.interfaces())
                .containsExactly(new PortMapNodeStatus.Interface("eth0", List.of("203.0.113.9"), null));
        assertThat(status.conditions()).singleElement().satisfies(ready -> {
            assertThat(ready).isNotNull();
            assertThat(Objects.requireNonNull(ready).getStatus()).isEqualTo("True");
        });
        tell(agent);
        String version = made.getMetadata().getResourceVersion();
        await().during(QUIET)
                .atMost(SOON)
                .until(() -> version.equals(admin.resources(PortMapNode.class)
                        .withName(agent.node())
                        .get()
                        .getMetadata()
                        .getResourceVersion()));

        NodeProblem problem = new NodeProblem(NodeReason.ForwardingDisabled, "set net.ipv4.ip_forward to 1");
        agent.reporter()
                .report(new Outcome(
                        2,
                        new Decision(
                                NodePlan.EMPTY,
                                nodeReport(agent.node(), problem),
                                new TreeMap<>(),
                                new TreeMap<>(),
                                new TreeMap<>()),
                        List.of(),
                        List.of()));
        await().atMost(SOON).until(() -> problems(agent).contains("ForwardingDisabled: set net.ipv4.ip_forward to 1"));
    }

    private String problems(Agent agent) {
        PortMapNode node =
                admin.resources(PortMapNode.class).withName(agent.node()).get();
        PortMapNodeStatus status = node == null ? null : node.getStatus();
        StringBuilder text = new StringBuilder();
        if (status != null && status.problems() != null) {
            status.problems().forEach(p -> {
                if (p != null) {
                    text.append(p.reason()).append(": ").append(p.message()).append('\n');
                }
            });
        }
        return text.toString();
    }

    @Test
    void a_class_says_whether_it_can_be_used() {
        PortMapClass portMapClass = new PortMapClass();
        portMapClass.setMetadata(
                new ObjectMetaBuilder().withName(ApiServer.unique("class")).build());
        portMapClass.setSpec(new PortMapClassSpec(
                Map.of("edge", new PortMapClassSpec.NodeOffer(List.of("eth0"), null, null)),
                null,
                null,
                null,
                null,
                null,
                new PortMapClassSpec.ReturnPath("None", null)));
        PortMapClass made = admin.resource(portMapClass).create();
        Agent agent = agent();
        String name = made.getMetadata().getName();
        await().atMost(SOON).until(() -> agent.source().portMapClass(name) != null);
        TreeMap<String, ClassReport> classes = new TreeMap<>();
        classes.put(
                name,
                new ClassReport(
                        name,
                        1,
                        true,
                        new li.wlz.kuport.model.Condition("Ready", false, "NoAcceptingNode", "edge: has no Node")));
        agent.reporter()
                .report(new Outcome(
                        1,
                        new Decision(
                                NodePlan.EMPTY, nodeReport(agent.node()), new TreeMap<>(), classes, new TreeMap<>()),
                        List.of(),
                        List.of()));
        await().atMost(SOON).until(() -> {
            var status = admin.resource(made).get().getStatus();
            return status != null
                    && Objects.requireNonNull(status.conditions()).stream()
                            .anyMatch(c -> c != null && c.getReason().equals("NoAcceptingNode"));
        });
        await().atMost(SOON).until(() -> events(made, "default").size() == 1);
    }

    @Test
    void B6_each_permission_that_is_missing_is_named() {
        String user = agents.user();
        PermissionCheck check = new PermissionCheck(agents.client(user), Agents.ALL);
        await().atMost(SOON).until(() -> check.missing().isEmpty());
        for (Permission permission : Agents.ALL) {
            agents.allowAllBut(user, permission);
            await().atMost(SOON).until(() -> check.missing().equals(List.of(permission)));
        }
    }

    @Test
    void B6_a_permission_taken_away_is_told_and_what_it_kept_from_being_written_is_once_it_is_back() {
        String user = agents.user();
        Agent agent = agent(agents.client(user));
        tell(agent, report(true, null, List.of(ACCEPTED, WAITING)));
        until(s -> reason(s, "Programmed").equals("NoReadyEndpoint"));
        agents.allowAllBut(user, new Permission(PortMap.GROUP, "portmaps/status", "patch"));
        PermissionCheck check = new PermissionCheck(agents.client(user), Agents.ALL);
        await().atMost(SOON).until(() -> !check.missing().isEmpty());

        tell(agent, report(true, null, List.of(ACCEPTED, PROGRAMMED)));
        await().atMost(SOON)
                .until(() -> problems(agent).contains("PermissionMissing")
                        && problems(agent).contains("patch portmaps/status in kuport.wlz.li"));
        assertThat(reason(status(), "Programmed")).isEqualTo("NoReadyEndpoint");
        agents.allow(user, Agents.ALL);
        until(s -> reason(s, "Programmed").equals("AllNodesReady"));
        await().atMost(SOON).until(() -> problems(agent).isEmpty());
    }

    @Test
    void B6_a_watch_that_is_not_permitted_any_more_is_told_though_nothing_else_happens() {
        String user = agents.user();
        Agent agent = agent(agents.client(user));
        tell(agent);
        await().atMost(SOON)
                .until(() -> admin.resources(PortMapNode.class)
                                .withName(agent.node())
                                .get()
                        != null);
        agents.allowAllBut(user, new Permission("discovery.k8s.io", "endpointslices", "watch"));
        api.stopServer();
        api.startServer();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> problems(agent).contains("watch endpointslices in discovery.k8s.io"));
        assertThat(agent.source().latest()).isPresent();
        agents.allow(user, Agents.ALL);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> problems(agent).isEmpty() && !agent.source().isDisturbed());
    }

    @Test
    void a_write_that_the_API_server_fails_with_500_is_tried_again() {
        Agent agent = agent();
        ValidatingWebhookConfiguration hook = failing(PortMap.GROUP, "portmaps/status", "UPDATE");
        await().atMost(SOON).until(() -> refusedBy("failed calling webhook"));
        tell(agent, report(true, null, List.of(ACCEPTED, WAITING)));
        await().during(QUIET).atMost(SOON).until(() -> status().conditions() == null);
        admin.resource(hook).delete();
        until(s -> reason(s, "Programmed").equals("NoReadyEndpoint"));
    }

    /** Lets the API server answer 500 to writes in the test's namespace, by a webhook where nobody listens. */
    private ValidatingWebhookConfiguration failing(String group, String resource, String operation) {
        ValidatingWebhookConfiguration hook = new ValidatingWebhookConfigurationBuilder()
                .withNewMetadata()
                .withName(ApiServer.unique("hook"))
                .endMetadata()
                .addNewWebhook()
                .withName("nobody.kuport.test")
                .withSideEffects("None")
                .withAdmissionReviewVersions("v1")
                .withFailurePolicy("Fail")
                .withTimeoutSeconds(1)
                .withNewClientConfig()
                .withUrl("https://127.0.0.1:1/")
                .endClientConfig()
                .addNewRule()
                .withApiGroups(group)
                .withApiVersions("*")
                .withOperations(operation)
                .withResources(resource)
                .withScope("*")
                .endRule()
                .withNewNamespaceSelector()
                .addToMatchLabels("kubernetes.io/metadata.name", namespace)
                .endNamespaceSelector()
                .endWebhook()
                .build();
        opened.add(() -> admin.resource(hook).delete());
        admin.resource(hook).create();
        return hook;
    }

    @Test
    void an_Event_that_fails_with_500_holds_up_no_status_and_is_told_in_the_end() {
        Agent agent = agent();
        ValidatingWebhookConfiguration hook = failing("", "events", "CREATE");
        await().atMost(SOON).until(() -> Agents.isEventRefused(admin, namespace, "failed calling webhook"));
        // Were each failure to hold up the next status for twice as long, the last would come minutes later.
        for (int change = 0; change < 5; change++) {
            tell(agent, report(true, null, List.of(ACCEPTED, WAITING)));
            until(s -> reason(s, "Programmed").equals("NoReadyEndpoint"));
            tell(agent, report(true, null, List.of(ACCEPTED, PROGRAMMED)));
            until(s -> reason(s, "Programmed").equals("AllNodesReady"));
        }
        admin.resource(hook).delete();
        await().atMost(Duration.ofSeconds(90))
                .until(() -> events(portMap, namespace).stream()
                        .anyMatch(event -> event.getReason().equals("AllNodesReady")));
    }

    private boolean refusedBy(String words) {
        try {
            admin.resource(portMap)
                    .subresource("status")
                    .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\":{\"observedGeneration\":null}}");
            return false;
        } catch (KubernetesClientException e) {
            return KindWatch.words(e).contains(words);
        }
    }

    @Test
    void B3_an_API_server_that_does_not_answer_holds_up_nobody_who_reports() throws Exception {
        Relay relay = Relay.to(api.port());
        opened.add(relay);
        Config config = new ConfigBuilder(agents.config(agents.user()))
                .withMasterUrl("https://127.0.0.1:" + relay.port())
                .build();
        KubernetesClient client = ApiConnection.to(config, "test", 1000);
        opened.add(client);
        Agent agent = agent(client);
        relay.silence();
        Thread reporting = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 1000; i++) {
                tell(agent, report(true, null, List.of(ACCEPTED, WAITING)));
            }
        });
        assertThat(reporting.join(Duration.ofSeconds(10))).isTrue();
        assertThat(status().conditions()).isNull();
        relay.admitNew();
        until(s -> reason(s, "Programmed").equals("NoReadyEndpoint"));
    }
}
