package li.wlz.kuport.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.EchoServer;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.Snapshot;
import li.wlz.kuport.model.IpAddress;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code kuport podnat}, with the command line of the pod NAT controller but for the program's name; and a node that it leaves alone. */
@InCluster
class PodnatClusterIT {
    /** On another port than the older controller's, which then can run beside it. */
    private static final String OLD_COMMAND_LINE = """
            [{"op": "replace", "path": "/spec/template/spec/containers/0/args", "value":
              ["podnat", "-stateuri", "http://localhost:8080", "-internalnetwork", "192.168.0.0/16", "-logtostderr",
               "-informerresync=2", "-httpport", "9484"]}]
            """;

    private static final int OLD_PORT = 8484;

    @BeforeAll
    static void run_the_old_command_line() {
        KubernetesCluster cluster = SharedCluster.cluster();
        Kuport.installChartOn(cluster, List.of(), "--set", "podAnnotations.enabled=true", "--set", "httpPort=9484");
        cluster.kubectl(
                "--namespace=" + Kuport.NAMESPACE,
                "patch",
                "daemonset",
                Kuport.DAEMON_SET,
                "--type=json",
                "--patch",
                OLD_COMMAND_LINE);
        Kuport.placeAgents(cluster, List.of("edge", "home1"));
    }

    @AfterAll
    static void remove_it() {
        Kuport.uninstallChart(SharedCluster.cluster());
    }

    @Test
    void the_second_example_is_served_and_nothing_but_annotations_is(Scene scene) {
        scene.serve(Server.on("edge"));
        scene.offer("Single", "edge");
        scene.map(scene.className());
        PodAnnotationsClusterIT.run(scene, "dns", PodAnnotationsClusterIT.DNS, 8888);
        PodAnnotationsClusterIT.awaitAnswer(
                scene.world().cli(), Dial.udp(AddressPlan.A1.ipv4(), 8888).attempts(3), "dns");
        assertThat(scene.world().cli().dial(Dial.tcp(AddressPlan.A1.ipv4(), scene.port())))
                .isInstanceOf(Answer.Refused.class);
        assertThat(scene.world().edge().namespace().run("ip", "-o", "link", "show"))
                .doesNotContain("kup0");
    }

    @Test
    void a_private_address_in_an_internal_network_is_detected(Scene scene) {
        PodAnnotationsClusterIT.runOn("home1", scene, "server", entry(scene.port()), Server.PORT);
        MeshNode neighbour = scene.world().home2();
        IpAddress address = scene.world()
                .home1()
                .uplinks()
                .getFirst()
                .addresses()
                .getFirst()
                .ipv4();
        assertThat(AddressPlan.HOME.ipv4().contains(address)).isTrue();
        Scene.await("an answer")
                .untilAsserted(() -> assertThat(
                                neighbour.dial(Dial.tcp(address, scene.port()).attempts(3)))
                        .isInstanceOfSatisfying(Answer.Reply.class, reply -> {
                            assertThat(reply.server()).isEqualTo("server");
                            assertThat(reply.sourceSeen()).isEqualTo(reply.sentFrom());
                        }));
    }

    private static String entry(int port) {
        return "{\"entries\":[{\"srcPort\":%d,\"dstPort\":%d}]}".formatted(port, Server.PORT);
    }

    @Test
    void an_older_controller_that_runs_beside_it_is_told_of_and_again_when_its_rules_come_back(Scene scene) {
        Namespace edge = scene.world().edge().namespace();
        PodAnnotationsClusterIT.run(scene, "server", entry(scene.port()), Server.PORT);
        Dial dial = Dial.tcp(AddressPlan.A1.ipv4(), scene.port()).attempts(3);
        PodAnnotationsClusterIT.awaitAnswer(scene.world().cli(), dial, "server");
        try (EchoServer running = EchoServer.start(edge, "controller", OLD_PORT)) {
            writeOldRules(edge);
            awaitSaid("ForeignController: rules of the older pod NAT controller are here", 1);
            awaitSaid("it seems to run", 1);
            removeOldRules(edge);
            awaitSaid("ForeignController is gone", 1);
            // As it does whenever one of its pods changes.
            writeOldRules(edge);
            awaitSaid("it seems to run", 2);
            assertThat(running.label()).isEqualTo("controller");
        }
        removeOldRules(edge);
        awaitSaid("ForeignController is gone", 2);
        PodAnnotationsClusterIT.awaitAnswer(scene.world().cli(), dial, "server");
    }

    private static void writeOldRules(Namespace edge) {
        edge.run("iptables", "-t", "nat", "-N", "PODNAT_PRE");
        edge.run("sh", "-ec", """
                iptables -t nat -A PREROUTING -m comment --comment 'podnat[jump_to_chain]' -j PODNAT_PRE
                iptables -t nat -A PODNAT_PRE -d 203.0.113.9/32 -p tcp -m tcp --dport 2525 -j DNAT --to-destination 10.244.1.250:25
                """);
    }

    /** By the commands that the problem names. */
    private static void removeOldRules(Namespace edge) {
        String told = agentLog()
                .lines()
                .filter(line -> line.contains("ForeignController: "))
                .reduce((one, next) -> next)
                .orElseThrow();
        edge.run("sh", "-ec", told.substring(told.indexOf("remove them: ") + "remove them: ".length()));
    }

    private static void awaitSaid(String words, int times) {
        Scene.await(words)
                .until(() ->
                        agentLog().lines().filter(line -> line.contains(words)).count() >= times);
    }

    private static String agentLog() {
        KubernetesCluster cluster = SharedCluster.cluster();
        return cluster.kubectl(
                "logs",
                "--namespace=" + Kuport.NAMESPACE,
                Kuport.agent(cluster, "edge").getMetadata().getName());
    }

    /** An agent on edge2, with an account of its own, and a root that it could write to. */
    private static String dryRun(String image) {
        return """
                apiVersion: v1
                kind: ServiceAccount
                metadata: {name: dry-run, namespace: kuport-system}
                ---
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRoleBinding
                metadata: {name: dry-run}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: kuport-agent}
                subjects: [{kind: ServiceAccount, name: dry-run, namespace: kuport-system}]
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: dry-run, namespace: kuport-system}
                spec:
                  nodeName: edge2
                  serviceAccountName: dry-run
                  hostNetwork: true
                  enableServiceLinks: false
                  terminationGracePeriodSeconds: 5
                  containers:
                    - name: agent
                      image: %s
                      args: [agent, --pod-annotations, --dry-run, --verify-every=1s]
                      env: [{name: NODE_NAME, value: edge2}]
                      securityContext:
                        runAsUser: 0
                        allowPrivilegeEscalation: false
                        capabilities: {drop: [ALL], add: [NET_ADMIN]}
                """.formatted(image);
    }

    @Test
    void a_dry_run_prints_what_would_change_and_changes_nothing_at_all(Scene scene) throws IOException {
        Server server = Server.on("edge2");
        scene.serve(server);
        scene.pod(server);
        scene.offer("Single", "edge2");
        scene.map(scene.className());
        PodAnnotationsClusterIT.runOn("edge2", scene, "mail", entry(scene.port() + 1), Server.PORT);
        Scene.await("earlier tests' pods to be gone")
                .until(() ->
                        scene
                                .admin()
                                .pods()
                                .inAnyNamespace()
                                .withField("spec.nodeName", "edge2")
                                .list()
                                .getItems()
                                .stream()
                                .map(pod -> pod.getMetadata().getNamespace())
                                .allMatch(scene.namespace()::equals));
        Snapshot before = settled(scene.world().edge2().namespace());

        scene.undo(() ->
                scene.admin().rbac().clusterRoleBindings().withName("dry-run").delete());
        scene.cluster().apply(dryRun(Kuport.image(scene.cluster())));
        awaitPrinted("# would change:");
        // Later passes print what is other than before, and change as little.
        scene.cluster()
                .kubectl(
                        "annotate",
                        "--overwrite",
                        "-n",
                        scene.namespace(),
                        "pod/mail",
                        "bln.space/podnat={\"entries\":7}");
        awaitPrinted("AnnotationInvalid");

        String address = AddressPlan.EDGE2_ADDRESS.ipv4() + ":" + (scene.port() + 1);
        assertThat(printed())
                .contains("# pod %s/mail entries[0]: Delivered: %s/tcp goes to ".formatted(scene.namespace(), address))
                .contains("# PortMap " + scene.namespace() + "/chat Accepted=True Valid")
                .contains("nft -f - <<END", AddressPlan.EDGE2_ADDRESS.ipv4() + " . tcp . " + (scene.port() + 1) + " : ")
                .doesNotContain("applied");
        // kube-proxy forgets earlier tests' Services when it gets round to it.
        assertThat(before.difference(Snapshot.of(scene.world().edge2().namespace())))
                .allMatch(line -> line.contains("KUBE-"));
        assertThat(writtenFiles()).isEmpty();
        assertThat(scene.admin()
                        .v1()
                        .events()
                        .inNamespace(scene.namespace())
                        .withField("involvedObject.name", "mail")
                        .list()
                        .getItems())
                .noneMatch(event -> String.valueOf(event.getReason()).contains("Annotation"));
        assertThat(verbsAsked()).isNotEmpty().isSubsetOf("list", "watch", "get");
    }

    /** A snapshot that is still true a while later: interfaces of new pods take their time to come up. */
    private static Snapshot settled(Namespace node) {
        AtomicReference<Snapshot> last = new AtomicReference<>(Snapshot.of(node));
        Scene.await("nothing to change on the node")
                .pollInterval(Duration.ofSeconds(2))
                .until(() -> {
                    Snapshot now = Snapshot.of(node);
                    return last.getAndSet(now).equals(now);
                });
        return last.get();
    }

    private static String printed() {
        return SharedCluster.cluster().kubectl("logs", "--namespace=" + Kuport.NAMESPACE, "dry-run");
    }

    private static void awaitPrinted(String words) {
        Scene.await(words)
                .until(() -> Program.attempt(List.of(
                                SharedCluster.cluster().kubectl().toString(),
                                "--kubeconfig=" + SharedCluster.cluster().kubeconfig(),
                                "logs",
                                "--namespace=" + Kuport.NAMESPACE,
                                "dry-run"))
                        .output()
                        .contains(words));
    }

    /** Files with something in them that the container's own layer has; empty ones are the runtime's, to mount on. */
    private static List<String> writtenFiles() throws IOException {
        Path process = AgentClusterIT.process(SharedCluster.cluster().world().edge2());
        String upper = Files.readAllLines(process.resolve("mountinfo")).stream()
                .filter(mount -> mount.split(" ", -1)[4].equals("/"))
                .map(mount -> mount.replaceAll(".*\\bupperdir=([^,]+).*", "$1"))
                .findAny()
                .orElseThrow();
        return Program.run("find", upper, "-type", "f", "-size", "+0").lines().toList();
    }

    private static SortedSet<String> verbsAsked() throws IOException {
        SortedSet<String> verbs = new TreeSet<>();
        JsonMapper json = new JsonMapper();
        for (String line : Files.readAllLines(SharedCluster.cluster().control().auditLog())) {
            JsonNode request = json.readTree(line);
            if (request.at("/user/username").asString("").equals("system:serviceaccount:kuport-system:dry-run")) {
                verbs.add(request.get("verb").asString(""));
            }
        }
        return verbs;
    }
}
