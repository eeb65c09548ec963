package li.wlz.kuport.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import li.wlz.kuport.crd.PortMapClass;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.DualAddress;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.Protocol;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** One test's part of the shared cluster: a namespace, and a port of the accepting nodes that no other test uses. */
final class Scene implements AutoCloseable {
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration PATIENCE_OF_A_DIAL = Duration.ofSeconds(9);

    private final KubernetesCluster cluster;
    private final int number;
    private final List<Runnable> undo = new ArrayList<>();

    private Scene(KubernetesCluster cluster, int number) {
        this.cluster = cluster;
        this.number = number;
    }

    static Scene open(KubernetesCluster cluster) {
        Scene scene = new Scene(cluster, NUMBERS.incrementAndGet());
        scene.admin()
                .namespaces()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(scene.namespace())
                        .endMetadata()
                        .build())
                .create();
        return scene;
    }

    KubernetesCluster cluster() {
        return cluster;
    }

    World world() {
        return cluster.world();
    }

    KubernetesClient admin() {
        return cluster.admin();
    }

    String namespace() {
        return "games-" + number;
    }

    /** What clients dial. */
    int port() {
        return 3000 + 10 * number;
    }

    /** Of a class of this scene's own: {@link #offer}. */
    String className() {
        return "class-" + number;
    }

    /** Applies the scene's own class, which offers eth0 of the nodes. */
    void offer(String servingMode, String... nodes) {
        Kuport.offer(cluster, className(), servingMode, nodes);
    }

    /** Labels the scene's namespace {@code lab.local/public}. */
    void label(String value) {
        admin().namespaces()
                .withName(namespace())
                .edit(old -> new NamespaceBuilder(old)
                        .editMetadata()
                        .addToLabels("lab.local/public", value)
                        .endMetadata()
                        .build());
    }

    /** Something to undo at the end, last come first. */
    void undo(Runnable step) {
        undo.add(0, step);
    }

    /** Waits long enough for a noisy machine. */
    static ConditionFactory await(String what) {
        return Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .pollDelay(Duration.ZERO);
    }

    /** Applies a server, and the Service {@code gameserver} of both its ports for all servers of the scene. */
    void serve(Server server) {
        cluster.apply(server.manifest(namespace()) + """
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: gameserver, namespace: %s}
                spec:
                  ipFamilyPolicy: PreferDualStack
                  selector: {app: gameserver}
                  ports:
                    - {name: game, port: 3000, targetPort: game, protocol: UDP}
                    - {name: chat, port: 3000, targetPort: chat, protocol: TCP}
                """.formatted(namespace()));
    }

    /** The names of a server's pods that are ready and stay, once there are so many. */
    List<String> pods(Server server) {
        await(server.replicas() + " ready pods of " + server.name() + " on " + server.node())
                .until(() -> ready(server).size() == server.replicas());
        return ready(server);
    }

    private List<String> ready(Server server) {
        return admin().pods().inNamespace(namespace()).withLabel("deployment", server.name()).list().getItems().stream()
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .filter(pod -> server.node().equals(pod.getSpec().getNodeName()))
                .filter(pod -> isTrue(pod, server.gated() ? "ContainersReady" : "Ready"))
                .map(pod -> pod.getMetadata().getName())
                .sorted()
                .toList();
    }

    /** The name of a server's only pod, once it is ready. */
    String pod(Server server) {
        return pods(server).getFirst();
    }

    static boolean isTrue(Pod pod, String condition) {
        return pod.getStatus().getConditions().stream()
                .anyMatch(is -> is.getType().equals(condition) && is.getStatus().equals("True"));
    }

    /** Makes a pod of a gated server ready, or no longer. */
    void setReady(String pod, boolean ready) {
        admin().pods().inNamespace(namespace()).withName(pod).editStatus(old -> {
            old.getStatus().getConditions().removeIf(is -> is.getType().equals(Server.READY));
            old.getStatus()
                    .getConditions()
                    .add(new io.fabric8.kubernetes.api.model.PodConditionBuilder()
                            .withType(Server.READY)
                            .withStatus(ready ? "True" : "False")
                            .build());
            return old;
        });
    }

    /** The PortMaps {@code game} and {@code chat}, of both protocols, at the scene's port. */
    void map(String className) {
        cluster.apply(portMap("game", className, Protocol.UDP, port(), "gameserver", "game")
                + "---\n"
                + portMap("chat", className, Protocol.TCP, port(), "gameserver", "chat"));
    }

    String portMap(String name, String className, Protocol protocol, int port, String service, String servicePort) {
        return """
                apiVersion: kuport.wlz.li/v1alpha1
                kind: PortMap
                metadata: {name: %s, namespace: %s}
                spec:
                  className: %s
                  protocol: %s
                  port: %d
                  serviceRef: {name: %s, port: %s}
                """.formatted(name, namespace(), className, protocol, port, service, servicePort);
    }

    /** Waits until the client gets to the server by each protocol and family, and the server sees the client as it is. */
    void awaitServed(Host client, DualAddress address, String server) {
        eventually(
                client,
                address,
                (dial, answer) -> assertThat(answer)
                        .as("%s dials %s", client.name(), dial)
                        .isInstanceOfSatisfying(Answer.Reply.class, reply -> {
                            assertThat(reply.server()).isEqualTo(server);
                            assertThat(reply.sourceSeen()).isEqualTo(reply.sentFrom());
                            assertThat(reply.sourceSeen().address())
                                    .isEqualTo(client.address(
                                            reply.sourceSeen().address().family()));
                            assertThat(reply.repliedFrom()).isEqualTo(dial.destination());
                        }));
    }

    /** Waits until the client is refused at once, by each protocol and family. */
    void awaitRefused(Host client, DualAddress address) {
        eventually(
                client,
                address,
                (dial, answer) -> assertThat(answer)
                        .as("%s dials %s", client.name(), dial)
                        .isInstanceOf(Answer.Refused.class));
    }

    private interface Check {
        void that(Dial dial, Answer answer);
    }

    private void eventually(Host client, DualAddress address, Check check) {
        await("mapping").untilAsserted(() -> {
            for (Dial dial : dials(address, port())) {
                check.that(dial, client.dial(dial));
            }
        });
    }

    /** All ways to dial it. */
    static List<Dial> dials(DualAddress address, int port) {
        List<Dial> dials = new ArrayList<>();
        for (IpAddress family : address.both()) {
            for (Protocol protocol : Protocol.values()) {
                dials.add(Dial.to(protocol, family, port).attempts(3).within(PATIENCE_OF_A_DIAL));
            }
        }
        return dials;
    }

    @Override
    public void close() {
        undo.forEach(Runnable::run);
        admin().namespaces().withName(namespace()).delete();
        if (admin().apiextensions()
                        .v1()
                        .customResourceDefinitions()
                        .withName("portmapclasses.kuport.wlz.li")
                        .get()
                != null) {
            admin().resources(PortMapClass.class).withName(className()).delete();
        }
    }
}
