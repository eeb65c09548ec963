package li.wlz.kuport.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapSpec;
import li.wlz.kuport.crd.PortMapSpec.ServiceRef;
import li.wlz.kuport.crd.Resources;
import li.wlz.kuport.crd.Resources.Sourced;
import li.wlz.kuport.reconcile.spi.Source.Snapshot;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SourceApiIT {
    private static final Duration SOON = Duration.ofSeconds(30);

    /** Long enough for an event to arrive that must not. */
    private static final Duration QUIET = Duration.ofMillis(700);

    private final ApiServer api = ApiServer.shared();
    private final Agents agents = new Agents(api);
    private final KubernetesClient admin = api.admin();
    private final AtomicInteger dirty = new AtomicInteger();
    private String namespace = "";
    private @Nullable KubernetesSource source;

    @BeforeEach
    void makeNamespace() {
        namespace = api.namespace();
    }

    private final List<String> said = new CopyOnWriteArrayList<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(KubernetesSource.class);
    private final Appender<ILoggingEvent> listener = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
            said.add(line.getFormattedMessage());
        }
    };

    @BeforeEach
    void listen() {
        listener.start();
        logger.addAppender(listener);
    }

    private boolean saidUnreachable() {
        return said.stream().anyMatch(line -> line.startsWith("the API server does not answer"));
    }

    @AfterEach
    void close() {
        logger.detachAppender(listener);
        if (source != null) {
            source.close();
        }
    }

    private KubernetesSource start(KubernetesClient client) {
        KubernetesSource started = Agents.source(client);
        source = started;
        started.start(dirty::incrementAndGet);
        return started;
    }

    private KubernetesSource synced(KubernetesClient client) {
        KubernetesSource started = start(client);
        await().atMost(SOON).until(() -> started.latest().isPresent());
        return started;
    }

    private static Resources resources(KubernetesSource source) {
        return source.latest().map(Snapshot::resources).orElseThrow();
    }

    private <T extends HasMetadata> List<T> ours(List<Sourced<T>> listing) {
        return listing.stream()
                .map(Sourced::object)
                .filter(object -> namespace.equals(object.getMetadata().getNamespace()))
                .toList();
    }

    private static <T extends HasMetadata> T named(List<Sourced<T>> listing, String name) {
        return listing.stream()
                .map(Sourced::object)
                .filter(object -> name.equals(object.getMetadata().getName()))
                .findFirst()
                .orElseThrow();
    }

    private static void until(KubernetesSource source, Predicate<Resources> holds) {
        await().atMost(SOON).until(() -> holds.test(resources(source)));
    }

    private PortMap portMap(String name, String service) {
        PortMap portMap = new PortMap();
        portMap.setMetadata(new ObjectMetaBuilder()
                .withNamespace(namespace)
                .withName(name)
                .addToAnnotations("someone.else/note", "a long text")
                .build());
        portMap.setSpec(
                new PortMapSpec("public", "UDP", 3000, null, null, new ServiceRef(service, new IntOrString("game"))));
        return admin.resource(portMap).create();
    }

    private EndpointSlice slice(String name, String service, String address) {
        return new EndpointSliceBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .addToLabels("kubernetes.io/service-name", service)
                .addToAnnotations("endpoints.kubernetes.io/last-change-trigger-time", "2026-01-01T00:00:00Z")
                .endMetadata()
                .withAddressType("IPv4")
                .addNewPort()
                .withName("game")
                .withPort(3000)
                .withProtocol("UDP")
                .endPort()
                .addNewEndpoint()
                .withAddresses(address)
                .withNodeName("worker")
                .endEndpoint()
                .build();
    }

    @Test
    void B5_nothing_is_said_before_every_watch_has_synced() {
        String user = agents.user();
        agents.allowAllBut(user, new Permission("", "namespaces", "list"));
        String node = agents.node();
        KubernetesSource started = start(agents.client(user));
        await().atMost(SOON).until(() -> started.node(node) != null);
        await().during(QUIET).atMost(SOON).until(() -> started.latest().isEmpty());
        agents.allow(user, Agents.ALL);
        await().atMost(SOON).until(() -> started.latest().isPresent());
    }

    @Test
    void objects_come_without_what_decisions_do_not_need() {
        String name = agents.node();
        admin.nodes().withName(name).edit(node -> {
            node.getMetadata().getAnnotations().put("someone.else/note", "a long text");
            node.getMetadata().getAnnotations().put("kuport.wlz.li/underlay", "100.64.0.9");
            return node;
        });
        portMap("game", "gameserver");
        Resources resources = resources(synced(agents.client(agents.user())));
        Node node = named(resources.nodes(), name);
        assertThat(node.getMetadata().getAnnotations()).containsOnlyKeys("kuport.wlz.li/underlay");
        assertThat(node.getMetadata().getManagedFields()).isEmpty();
        assertThat(ours(resources.portMaps())).singleElement().satisfies(portMap -> {
            assertThat(portMap.getMetadata().getAnnotations()).isNullOrEmpty();
            assertThat(portMap.getMetadata().getManagedFields()).isEmpty();
            assertThat(portMap.getMetadata().getGeneration()).isEqualTo(1);
        });
    }

    @Test
    void Z2_heartbeats_of_nodes_are_no_change() {
        String name = agents.node();
        KubernetesSource started = synced(agents.client(agents.user()));
        heartbeat(name, "False", "2026-01-01T00:00:00Z");
        until(started, r -> !named(r.nodes(), name).getStatus().getConditions().isEmpty());
        Node before = named(resources(started).nodes(), name);
        int dirtyBefore = dirty.get();
        for (int i = 0; i < 20; i++) {
            heartbeat(name, "False", Instant.now().plusSeconds(i).toString());
        }
        await().during(QUIET).atMost(SOON).until(() -> dirty.get() == dirtyBefore);
        assertThat(named(resources(started).nodes(), name)).isSameAs(before);
        heartbeat(name, "True", Instant.now().toString());
        until(
                started,
                r -> named(r.nodes(), name).getStatus().getConditions().stream()
                        .anyMatch(c -> "True".equals(c.getStatus())));
        assertThat(dirty.get()).isGreaterThan(dirtyBefore);
    }

    private void heartbeat(String name, String ready, String at) {
        admin.nodes().withName(name).editStatus(node -> {
            node.getStatus()
                    .setConditions(List.of(
                            new NodeConditionBuilder()
                                    .withType("Ready")
                                    .withStatus(ready)
                                    .withLastHeartbeatTime(at)
                                    .build(),
                            new NodeConditionBuilder()
                                    .withType("DiskPressure")
                                    .withStatus("False")
                                    .withLastHeartbeatTime(at)
                                    .build()));
            return node;
        });
    }

    @Test
    void Z2_slices_are_kept_for_as_long_as_a_PortMap_names_their_Service() {
        admin.resource(slice("game-1", "gameserver", "10.244.1.1")).create();
        admin.resource(slice("other-1", "other", "10.244.1.2")).create();
        KubernetesSource started = synced(agents.client(agents.user()));
        assertThat(ours(resources(started).endpointSlices())).isEmpty();

        PortMap portMap = portMap("game", "gameserver");
        until(started, r -> !ours(r.portMaps()).isEmpty());
        // The mapping is not seen before its slices are.
        assertThat(ours(resources(started).endpointSlices())).singleElement().satisfies(slice -> {
            assertThat(slice.getMetadata().getName()).isEqualTo("game-1");
            assertThat(slice.getMetadata().getAnnotations()).isNullOrEmpty();
        });

        int dirtyBefore = dirty.get();
        admin.resource(slice("other-2", "other", "10.244.1.3")).create();
        await().during(QUIET).atMost(SOON).until(() -> dirty.get() == dirtyBefore);

        admin.resource(slice("game-2", "gameserver", "10.244.1.4")).create();
        until(started, r -> ours(r.endpointSlices()).size() == 2);
        admin.resource(slice("game-1", "gameserver", "10.244.1.1")).delete();
        until(started, r -> ours(r.endpointSlices()).size() == 1);

        admin.resource(portMap).delete();
        until(started, r -> ours(r.portMaps()).isEmpty());
        assertThat(ours(resources(started).endpointSlices())).isEmpty();
    }

    @Test
    void an_object_is_the_same_instance_until_it_changes() {
        PortMap made = portMap("one", "gameserver");
        portMap("two", "gameserver");
        KubernetesSource started = synced(agents.client(agents.user()));
        PortMap before = named(resources(started).portMaps(), "one");
        PortMap other = named(resources(started).portMaps(), "two");
        made.setSpec(new PortMapSpec(
                "public", "UDP", 3000, null, List.of("eth0"), new ServiceRef("gameserver", new IntOrString("game"))));
        admin.resource(made).update();
        until(started, r -> !named(r.portMaps(), "one").equals(before));
        assertThat(named(resources(started).portMaps(), "two")).isSameAs(other);
    }

    @Test
    void B3_what_was_said_stays_while_the_API_server_is_away_and_nothing_is_lost_when_it_is_back() throws Exception {
        PortMap gone = portMap("gone", "gameserver");
        portMap("stays", "gameserver");
        KubernetesSource started = synced(agents.client(agents.user()));
        until(started, r -> ours(r.portMaps()).size() == 2);
        PortMap stays = named(resources(started).portMaps(), "stays");

        api.stopServer();
        await().during(Duration.ofSeconds(2))
                .atMost(SOON)
                .until(() -> ours(resources(started).portMaps()).size() == 2);
        api.startServer();
        // The watches' place in history is older than what this API server remembers: they are told 410 Gone.
        admin.resource(gone).delete();
        portMap("new", "gameserver");
        until(
                started,
                r -> ours(r.portMaps()).stream()
                        .map(p -> p.getMetadata().getName())
                        .toList()
                        .equals(List.of("new", "stays")));
        assertThat(named(resources(started).portMaps(), "stays")).isSameAs(stays);
    }

    @Test
    void B3_a_connection_that_has_gone_silent_is_noticed() throws Exception {
        Relay relay = Relay.to(api.port());
        Config config = new ConfigBuilder(agents.config(agents.user()))
                .withMasterUrl("https://127.0.0.1:" + relay.port())
                .build();
        try (relay;
                KubernetesClient client = ApiConnection.to(config, "test", 1000)) {
            KubernetesSource started = synced(client);
            relay.silence();
            // Made while nobody hears of it, on connections that will never say so.
            portMap("unheard", "gameserver");
            await().atMost(SOON).until(this::saidUnreachable);
            assertThat(ours(resources(started).portMaps())).isEmpty();
            relay.admitNew();
            until(started, r -> ours(r.portMaps()).size() == 1);
            started.close();
        }
    }

    /** All else goes on: the API server answers, and other connections to it live. */
    @Test
    void B3_a_watch_that_hears_nothing_for_long_begins_anew() throws Exception {
        Relay relay = Relay.to(api.port());
        Config config = new ConfigBuilder(agents.config(agents.user()))
                .withMasterUrl("https://127.0.0.1:" + relay.port())
                .build();
        try (relay;
                KubernetesClient client = ApiConnection.to(config, "test", 1000);
                KubernetesSource started =
                        new KubernetesSource(client, Demand.PORT_MAPS, Duration.ofMillis(500), Duration.ofSeconds(8))) {
            started.start(() -> {});
            await().atMost(SOON).until(() -> started.latest().isPresent());
            relay.silence();
            relay.admitNew();
            portMap("unheard", "gameserver");
            until(started, r -> ours(r.portMaps()).size() == 1);
        }
    }

    @Test
    void B8_a_failure_of_TLS_is_no_end_it_is_tried_again() throws Exception {
        Relay relay = Relay.to(api.port());
        Config config = new ConfigBuilder(agents.config(agents.user()))
                .withMasterUrl("https://127.0.0.1:" + relay.port())
                .build();
        try (relay;
                KubernetesClient client = ApiConnection.to(config, "test", 1000)) {
            portMap("known", "gameserver");
            KubernetesSource started = synced(client);
            relay.garble();
            portMap("unheard", "gameserver");
            await().atMost(SOON).until(this::saidUnreachable);
            assertThat(ours(resources(started).portMaps())).hasSize(1);
            relay.admitNew();
            until(started, r -> ours(r.portMaps()).size() == 2);
            started.close();
        }
    }
}
