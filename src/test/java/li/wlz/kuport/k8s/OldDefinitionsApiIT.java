package li.wlz.kuport.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapStatus;
import li.wlz.kuport.model.Condition;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.reconcile.spi.Reporter.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster whose definitions are of an older version: no PortMapNode, no rows of nodes, and a class status of another shape. */
class OldDefinitionsApiIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void B7_an_older_version_of_the_definitions_is_served_and_a_newer_one_is_noticed(@TempDir Path folder)
            throws IOException {
        try (ApiServer api = ApiServer.start()) {
            Path old = folder.resolve("old.yaml");
            Files.writeString(old, oldDefinitions());
            api.applyDefinitions(old);
            KubernetesClient admin = api.admin();
            Agents agents = new Agents(api);
            String node = agents.node();
            String namespace = api.namespace();
            admin.load(new ByteArrayInputStream(
                            OBJECTS.replace("NAMESPACE", namespace).getBytes(StandardCharsets.UTF_8)))
                    .serverSideApply();
            GenericKubernetesResource portMapClass = admin.genericKubernetesResources(
                            "kuport.wlz.li/v1alpha1", "PortMapClass")
                    .withName("public")
                    .get();
            portMapClass.setAdditionalProperty("status", Map.of("links", List.of(Map.of("key", "a/b"))));
            admin.resource(portMapClass).updateStatus();

            KubernetesClient client = agents.client(agents.user());
            try (KubernetesSource source = new KubernetesSource(client, Demand.PORT_MAPS);
                    KubernetesReporter reporter = new KubernetesReporter(client, source, node, "1.0.0")) {
                source.start(() -> {});
                reporter.start();
                await().atMost(SOON).until(() -> source.latest().isPresent());
                assertThat(source.latest().orElseThrow().resources().portMaps()).hasSize(1);
                assertThat(source.latest().orElseThrow().resources().portMapClasses())
                        .hasSize(1);

                ObjectKey key = new ObjectKey(namespace, "gameserver");
                reporter.report(outcome(node, key));
                await().atMost(SOON).until(() -> status(admin, key).conditions() != null);
                assertThat(status(admin, key).nodes()).isNull();

                api.applyDefinitions(Path.of("deploy/crds.yaml"));
                await().atMost(SOON).until(() -> {
                    reporter.report(outcome(node, key));
                    return status(admin, key).nodes() != null && source.portMapNode(node) != null;
                });
            }
        }
    }

    private static PortMapStatus status(KubernetesClient admin, ObjectKey key) {
        PortMapStatus status = admin.resources(PortMap.class)
                .inNamespace(key.namespace())
                .withName(key.name())
                .get()
                .getStatus();
        return status == null ? new PortMapStatus(null, null, null, null, null) : status;
    }

    private static Outcome outcome(String node, ObjectKey key) {
        PortMapReport report = new PortMapReport(
                key,
                1,
                true,
                new NodeRow(node, NodeRow.Role.Accepting, true, IpAddress.parse("10.244.1.1"), 1, null, ""),
                null,
                List.of(),
                List.of(new Condition("Accepted", true, "Valid", "the mapping is accepted")),
                List.of());
        TreeMap<ObjectKey, PortMapReport> reports = new TreeMap<>();
        reports.put(key, report);
        NodeReport ofNode = new NodeReport(node, true, List.of(), 0, 0, 4790, 4242, new TreeMap<>(), List.of());
        return new Outcome(
                1,
                new Decision(NodePlan.EMPTY, ofNode, reports, new TreeMap<>(), new TreeMap<>()),
                List.of(),
                List.of());
    }

    /** Today's definitions without what came later, and with a status that was there before. */
    private static String oldDefinitions() throws IOException {
        StringBuilder old = new StringBuilder();
        for (String document : Files.readString(Path.of("deploy/crds.yaml")).split("(?m)^---\n", -1)) {
            if (document.contains("kind: PortMapNode") || !document.contains("kind: CustomResourceDefinition")) {
                continue;
            }
            old.append("---\n").append(withoutRows(document).replaceFirst(STATUS, STATUS_WITH_LINKS));
        }
        return old.toString();
    }

    private static final String STATUS = "(?m)^          status:\n            properties:\n";
    private static final String STATUS_WITH_LINKS = """
                      status:
                        properties:
                          links: {type: array, items: {type: object, properties: {key: {type: string}}}}
            """.indent(0);

    private static String withoutRows(String document) {
        return !document.contains("name: portmaps.kuport.wlz.li")
                ? document
                : document.replaceFirst("(?m)^ {14}nodes:\n(?: {15,}.*\n)+", "");
    }

    private static final String OBJECTS = """
            apiVersion: kuport.wlz.li/v1alpha1
            kind: PortMapClass
            metadata: {name: public}
            spec:
              nodes: {edge-a: {interfaces: [enp1s0]}}
              returnPath: {mode: Vxlan}
            ---
            apiVersion: kuport.wlz.li/v1alpha1
            kind: PortMap
            metadata: {name: gameserver, namespace: NAMESPACE}
            spec:
              className: public
              protocol: UDP
              port: 3000
              serviceRef: {name: gameserver, port: game}
            """;
}
