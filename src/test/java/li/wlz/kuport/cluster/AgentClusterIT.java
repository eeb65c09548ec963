package li.wlz.kuport.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import li.wlz.kuport.crd.PortMapClass;
import li.wlz.kuport.crd.PortMapNode;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The agent as a guest of its node and its API server: what it may, what it asks for, what it shows. */
@InCluster
@ExtendWith(InstalledKuport.class)
class AgentClusterIT {
    private static final String NET_ADMIN_ALONE = "0000000000001000";

    /** As the manifests have it. */
    private static final long LIMIT_KIB = 256 * 1024;

    /** The process of the agent on a node: the one there whose program is the image's Java. */
    static Path process(MeshNode node) throws IOException {
        for (String id : Program.run("ip", "netns", "pids", node.name()).lines().toList()) {
            Path process = Path.of("/proc", id.strip());
            if (Files.exists(process.resolve("cmdline"))
                    && Files.readString(process.resolve("cmdline")).contains("/opt/kuport/kuport")) {
                return process;
            }
        }
        throw new IllegalStateException("no agent's process on " + node.name());
    }

    @Test
    void the_container_has_NET_ADMIN_alone_a_read_only_root_and_a_filter_of_system_calls() throws IOException {
        Path process = process(SharedCluster.cluster().world().edge());
        List<String> status = Files.readAllLines(process.resolve("status"));
        assertThat(status)
                .contains("CapPrm:\t" + NET_ADMIN_ALONE, "CapEff:\t" + NET_ADMIN_ALONE, "CapBnd:\t" + NET_ADMIN_ALONE)
                .contains("CapAmb:\t0000000000000000", "CapInh:\t0000000000000000")
                .contains("NoNewPrivs:\t1", "Seccomp:\t2");
        assertThat(Files.readAllLines(process.resolve("mountinfo")))
                .filteredOn(mount -> mount.split(" ", -1)[4].equals("/"))
                .isNotEmpty()
                .allSatisfy(mount ->
                        assertThat(mount.split(" ", -1)[5].split(",", -1)).contains("ro"));
    }

    /** What docs/architecture.md says of the agent's size and start is read off this. */
    @Test
    void the_agent_stays_far_below_its_limit_of_memory() throws IOException {
        KubernetesCluster cluster = SharedCluster.cluster();
        for (MeshNode node : cluster.world().nodes()) {
            Path process = process(node);
            long resident = kibibytes(process, "VmRSS");
            long started = started(process);
            System.out.printf(
                    "agent on %s: %d KiB resident, %d KiB of them its own, after %d s; %d ms from its start to the first plan in force%n",
                    node.name(),
                    resident,
                    kibibytes(process, "RssAnon"),
                    (System.currentTimeMillis() - started) / 1000,
                    firstPass(cluster, node) - started);
            assertThat(resident).isBetween(1L, LIMIT_KIB * 3 / 4);
        }
    }

    private static long kibibytes(Path process, String field) throws IOException {
        return Files.readAllLines(process.resolve("status")).stream()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.split("\\s+", -1)[1])
                .mapToLong(Long::parseLong)
                .findAny()
                .orElseThrow();
    }

    /** Milliseconds since 1970. */
    private static long started(Path process) throws IOException {
        String boot = Files.readAllLines(Path.of("/proc/stat")).stream()
                .filter(line -> line.startsWith("btime "))
                .findAny()
                .orElseThrow();
        String stat = Files.readString(process.resolve("stat"));
        // Behind the name in brackets, the 20th is proc_pid_stat(5)'s starttime in hundredths of a second since boot.
        String ticks = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[19];
        return Long.parseLong(boot.substring(6)) * 1000 + Long.parseLong(ticks) * 10;
    }

    /** When the first pass ended, whose last step is to listen on the node's address; in milliseconds since 1970. */
    private static long firstPass(KubernetesCluster cluster, MeshNode node) {
        String agent = Kuport.agent(cluster, node.name()).getMetadata().getName();
        String first = cluster.kubectl("logs", "-n", Kuport.NAMESPACE, agent)
                .lines()
                .filter(line -> line.contains(" pass=1 "))
                .findFirst()
                .orElseThrow();
        return Instant.parse(first.substring(0, first.indexOf(' '))).toEpochMilli();
    }

    @Test
    void health_and_metrics_are_served_on_loopback_and_the_InternalIP_and_nowhere_else() {
        MeshNode edge = SharedCluster.cluster().world().edge();
        Namespace there = edge.namespace();
        for (String path : List.of("healthz", "readyz", "metrics")) {
            assertThat(there.run("curl", "-sf", "http://127.0.0.1:8484/" + path))
                    .isNotEmpty();
            assertThat(there.run("curl", "-sf", "http://" + edge.mesh().ipv4() + ":8484/" + path))
                    .isNotEmpty();
        }
        assertThat(there.run("ss", "-Hltn", "sport", "=", ":8484").lines().map(line -> line.split("\\s+", -1)[3]))
                .allSatisfy(local -> assertThat(local)
                        .matches("\\[?(::ffff:)?(127\\.0\\.0\\.1|::1|"
                                + edge.mesh().ipv4() + "|" + edge.mesh().ipv6() + ")\\]?:8484"));
        Program.Result outside = Program.attempt(SharedCluster.cluster()
                .world()
                .cli()
                .namespace()
                .command("curl", "-s", "-m", "3", "http://" + AddressPlan.A1.ipv4() + ":8484/metrics"));
        assertThat(outside.status()).as("curl from outside").isEqualTo(7);
    }

    @Test
    void metrics_count_mappings_by_state_and_name_no_object(Scene scene) {
        Server server = Server.on("home1");
        scene.serve(server);
        scene.map("public");
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, scene.pod(server));
        Scene.await("metrics")
                .untilAsserted(() -> assertThat(
                                scene.world().edge().namespace().run("curl", "-sf", "http://127.0.0.1:8484/metrics"))
                        .containsPattern("kuport_mappings\\{state=\"programmed\"\\} [1-9]")
                        .doesNotContain(scene.namespace()));
    }

    private static Instant began = Instant.EPOCH;

    /** Agents ask for most things when they start, and other classes' have been asked for more. */
    @BeforeAll
    static void restart_the_agents() {
        KubernetesCluster cluster = SharedCluster.cluster();
        began = Instant.now();
        // One has to be made anew.
        cluster.admin().resources(PortMapNode.class).withName("home2").delete();
        cluster.kubectl("--namespace", Kuport.NAMESPACE, "rollout", "restart", "daemonset", Kuport.DAEMON_SET);
        cluster.kubectl("--namespace", Kuport.NAMESPACE, "rollout", "status", "daemonset", Kuport.DAEMON_SET);
    }

    /** {@code VERB RESOURCE} each, of what the agents have asked the API server for since this class began. */
    private static SortedSet<String> asked() throws IOException {
        SortedSet<String> asked = new TreeSet<>();
        JsonMapper json = new JsonMapper();
        for (String line : Files.readAllLines(SharedCluster.cluster().control().auditLog())) {
            JsonNode request = json.readTree(line);
            if (Instant.parse(request.at("/requestReceivedTimestamp").asString(""))
                            .isAfter(began)
                    && request.at("/user/username").asString("").equals(Kuport.USER)
                    && request.at("/userAgent").asString("").startsWith("kuport/")
                    && request.has("objectRef")) {
                JsonNode object = request.get("objectRef");
                String part = object.path("subresource").asString("");
                asked.add(request.get("verb").asString("") + " "
                        + object.path("apiGroup").asString("") + "/"
                        + object.get("resource").asString("") + (part.isEmpty() ? "" : "/" + part));
            }
        }
        return asked;
    }

    @Test
    void Z2_without_annotations_no_pod_is_ever_asked_for() throws IOException {
        assertThat(asked()).isNotEmpty().noneMatch(request -> request.contains("/pods"));
    }

    @Test
    void the_role_grants_what_the_agents_ask_for_and_nothing_more(Scene scene) throws IOException {
        // An Event that is told again is patched.
        scene.map(scene.className());
        awaitAccepted(scene, "False/ClassNotFound");
        scene.offer("Single", "edge");
        awaitAccepted(scene, "False/ServiceNotFound");
        scene.admin().resources(PortMapClass.class).withName(scene.className()).delete();
        awaitAccepted(scene, "False/ClassNotFound");
        Scene.await("a patched Event").until(() -> asked().contains("patch /events"));

        ClusterRole role =
                scene.admin().rbac().clusterRoles().withName("kuport-agent").require();
        SortedSet<String> granted =
                role.getRules().stream().flatMap(AgentClusterIT::grants).collect(Collectors.toCollection(TreeSet::new));
        SortedSet<String> needed = asked();
        // A patch by server-side apply that makes the object needs this permission too, and is still a patch to the
        // audit.
        needed.add("create kuport.wlz.li/portmapnodes");
        // Asked for when something was refused, which no test before this one needs to have done.
        needed.add("create authorization.k8s.io/selfsubjectaccessreviews");
        assertThat(granted).isEqualTo(needed);
    }

    private static void awaitAccepted(Scene scene, String condition) {
        Scene.await(condition)
                .until(() -> Mapping.of(scene, "game").condition("Accepted").equals(condition));
    }

    private static Stream<String> grants(PolicyRule rule) {
        return rule.getApiGroups().stream()
                .flatMap(group -> rule.getResources().stream()
                        .flatMap(
                                resource -> rule.getVerbs().stream().map(verb -> verb + " " + group + "/" + resource)));
    }

    @Test
    void Z2_heartbeats_of_nodes_cause_no_status_to_be_written(Scene scene) {
        Server server = Server.on("home1");
        scene.serve(server);
        scene.map("public");
        scene.awaitServed(scene.world().cli(), AddressPlan.A1, scene.pod(server));
        Scene.await("Programmed")
                .until(() -> Mapping.of(scene, "chat").condition("Programmed").startsWith("True"));
        String version = Mapping.of(scene, "chat").object().getMetadata().getResourceVersion();
        String heartbeat =
                scene.admin().nodes().withName("home1").get().getMetadata().getResourceVersion();
        Scene.await("a heartbeat")
                .until(() -> !scene.admin()
                        .nodes()
                        .withName("home1")
                        .get()
                        .getMetadata()
                        .getResourceVersion()
                        .equals(heartbeat));
        assertThat(Mapping.of(scene, "chat").object().getMetadata().getResourceVersion())
                .isEqualTo(version);
    }
}
