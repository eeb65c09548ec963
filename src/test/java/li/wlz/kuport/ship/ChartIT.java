package li.wlz.kuport.ship;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.Settings;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The chart as the real helm sees it, and the plain manifests beside it. */
class ChartIT {
    private static final String EVERYTHING = "src/test/resources/chart/everything.yaml";

    @SuppressWarnings("NullAway.Init") // set before all tests
    private static String helm;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private static String chart;

    @BeforeAll
    static void lay_out_the_chart() {
        helm = Shell.run("scripts/go-tool", "helm").strip();
        chart = Shell.run("scripts/chart").strip();
    }

    private static Map<String, JsonNode> render(String... options) {
        return Manifests.parse(Shell.run(
                with(options, helm, "template", "kuport", chart, "-n", "kuport-system", "--kube-version", "1.35.0")));
    }

    private static String[] with(String[] last, String... first) {
        return Stream.concat(Stream.of(first), Stream.of(last)).toArray(String[]::new);
    }

    private static JsonNode daemonSet(Map<String, JsonNode> objects) {
        return required(objects, "DaemonSet kuport-agent");
    }

    private static JsonNode container(Map<String, JsonNode> objects) {
        return daemonSet(objects).at("/spec/template/spec/containers/0");
    }

    private static JsonNode required(Map<String, JsonNode> objects, String key) {
        JsonNode object = objects.get(key);
        if (object == null) {
            throw new AssertionError("there is no " + key + " among " + objects.keySet());
        }
        return object;
    }

    /** Each permission of a role as {@code verb group/resource}. */
    private static List<String> permissions(JsonNode role) {
        List<String> permissions = new ArrayList<>();
        for (JsonNode rule : role.at("/rules")) {
            for (String group : Manifests.texts(rule.at("/apiGroups"))) {
                for (String resource : Manifests.texts(rule.at("/resources"))) {
                    for (String verb : Manifests.texts(rule.at("/verbs"))) {
                        permissions.add(verb + " " + (group.isEmpty() ? resource : group + "/" + resource));
                    }
                }
            }
        }
        return permissions;
    }

    @ParameterizedTest
    @ValueSource(strings = {"chart/kuport/values.yaml", EVERYTHING})
    void helm_lints_the_chart_without_a_complaint(String values) {
        assertThat(Shell.run(helm, "lint", "--strict", chart, "--values", values))
                .contains("0 chart(s) failed");
    }

    @Test
    void the_default_values_give_the_whole_of_an_installation_and_no_class() {
        assertThat(render())
                .containsOnlyKeys(
                        "ClusterRole kuport-agent",
                        "ClusterRole kuport-portmap-edit",
                        "ClusterRole kuport-portmap-view",
                        "ClusterRoleBinding kuport-agent",
                        "DaemonSet kuport-agent",
                        "ServiceAccount kuport-agent",
                        "ValidatingAdmissionPolicy kuport-agent-own-node",
                        "ValidatingAdmissionPolicyBinding kuport-agent-own-node");
    }

    @Test
    void the_plain_manifests_in_the_tree_are_those_that_the_chart_makes(@TempDir Path made) throws IOException {
        Shell.run("scripts/manifests", made.toString());
        for (String file : List.of("kuport.yaml", "cleanup.yaml")) {
            assertThat(Path.of("deploy", file))
                    .as("make manifests")
                    .content()
                    .isEqualTo(Files.readString(made.resolve(file)));
        }
    }

    @Test
    void the_plain_manifests_hold_the_charts_objects_and_a_namespace() throws IOException {
        Map<String, JsonNode> manifests = Manifests.parse(Files.readString(Path.of("deploy/kuport.yaml")));
        JsonNode namespace = required(manifests, "Namespace kuport-system");
        assertThat(namespace
                        .at("/metadata/labels/pod-security.kubernetes.io~1enforce")
                        .asString())
                .isEqualTo("privileged");
        Map<String, JsonNode> others = new TreeMap<>(manifests);
        others.remove("Namespace kuport-system");
        assertThat(others).isEqualTo(render());
    }

    @Test
    void the_agent_has_the_permissions_it_uses_and_no_other() {
        assertThat(permissions(required(render(), "ClusterRole kuport-agent")))
                .containsExactlyInAnyOrder(
                        "list kuport.wlz.li/portmaps",
                        "watch kuport.wlz.li/portmaps",
                        "list kuport.wlz.li/portmapclasses",
                        "watch kuport.wlz.li/portmapclasses",
                        "list kuport.wlz.li/portmapnodes",
                        "watch kuport.wlz.li/portmapnodes",
                        "create kuport.wlz.li/portmapnodes",
                        "patch kuport.wlz.li/portmapnodes",
                        "patch kuport.wlz.li/portmaps/status",
                        "patch kuport.wlz.li/portmapclasses/status",
                        "patch kuport.wlz.li/portmapnodes/status",
                        "list nodes",
                        "watch nodes",
                        "list namespaces",
                        "watch namespaces",
                        "list services",
                        "watch services",
                        "list discovery.k8s.io/endpointslices",
                        "watch discovery.k8s.io/endpointslices",
                        "create events",
                        "patch events",
                        "create authorization.k8s.io/selfsubjectaccessreviews");
    }

    @Test
    void pods_are_watched_only_where_their_annotations_are_read() {
        List<String> without = permissions(required(render(), "ClusterRole kuport-agent"));
        List<String> with =
                permissions(required(render("--set", "podAnnotations.enabled=true"), "ClusterRole kuport-agent"));
        assertThat(without).noneMatch(permission -> permission.endsWith(" pods"));
        assertThat(with)
                .containsAll(without)
                .contains("list pods", "watch pods")
                .hasSize(without.size() + 2);
    }

    @Test
    void iptables_and_its_removal_bring_the_capability_and_the_lock_that_they_need() {
        for (String values : List.of(
                "podAnnotations.enabled=true,podAnnotations.firewallFlavor=iptables",
                "podAnnotations.removeIptables=true")) {
            JsonNode pod = daemonSet(render("--set", values)).at("/spec/template/spec");
            assertThat(Manifests.texts(pod.at("/containers/0/securityContext/capabilities/add")))
                    .containsExactly("NET_ADMIN", "NET_RAW");
            assertThat(pod.at("/containers/0/volumeMounts/0/mountPath").asString())
                    .isEqualTo("/run/xtables.lock");
            assertThat(pod.at("/volumes/0/hostPath/path").asString()).isEqualTo("/run/xtables.lock");
        }
        assertThat(daemonSet(render("--set", "podAnnotations.firewallFlavor=iptables"))
                        .at("/spec/template/spec")
                        .has("volumes"))
                .as("annotations are off")
                .isFalse();
    }

    @Test
    void people_may_see_or_edit_portmaps_where_they_may_see_or_edit_the_namespace() {
        Map<String, JsonNode> objects = render();
        assertThat(permissions(required(objects, "ClusterRole kuport-portmap-view")))
                .containsExactlyInAnyOrder(
                        "get kuport.wlz.li/portmaps",
                        "list kuport.wlz.li/portmaps",
                        "watch kuport.wlz.li/portmaps",
                        "get kuport.wlz.li/portmaps/status",
                        "list kuport.wlz.li/portmaps/status",
                        "watch kuport.wlz.li/portmaps/status");
        assertThat(permissions(required(objects, "ClusterRole kuport-portmap-edit")))
                .allMatch(permission -> permission.endsWith(" kuport.wlz.li/portmaps"));
        assertThat(render("--set", "rbac.aggregate=false"))
                .doesNotContainKeys("ClusterRole kuport-portmap-view", "ClusterRole kuport-portmap-edit");
    }

    @Test
    void the_agent_runs_with_the_least_privilege() {
        JsonNode pod = daemonSet(render()).at("/spec/template/spec");
        JsonNode security = pod.at("/containers/0/securityContext");
        assertThat(Manifests.texts(security.at("/capabilities/drop"))).containsExactly("ALL");
        assertThat(Manifests.texts(security.at("/capabilities/add"))).containsExactly("NET_ADMIN");
        assertThat(security.at("/privileged").asBoolean()).isFalse();
        assertThat(security.at("/allowPrivilegeEscalation").asBoolean()).isFalse();
        assertThat(security.at("/readOnlyRootFilesystem").asBoolean()).isTrue();
        assertThat(pod.at("/securityContext/seccompProfile/type").asString()).isEqualTo("RuntimeDefault");
        assertThat(pod.has("volumes")).isFalse();
        assertThat(pod.has("hostPID")).isFalse();
    }

    @Test
    void the_default_arguments_are_the_agents_own_defaults() {
        assertThat(Manifests.texts(container(render()).at("/args")))
                .containsExactly(
                        "agent",
                        "--vni=" + Settings.DEFAULT_VNI,
                        "--link-port=" + Settings.DEFAULT_LINK_PORT,
                        "--underlay-family=ipv4",
                        "--link-range=" + Settings.DEFAULT_LINK_RANGE4,
                        "--link-range6=" + Settings.DEFAULT_LINK_RANGE6,
                        "--mark-base=0x" + Integer.toHexString(MarkSpace.DEFAULT.base()),
                        "--mark-mask=0x" + Integer.toHexString(MarkSpace.DEFAULT.mask()),
                        "--node-ports=" + Settings.DEFAULT_NODE_PORTS,
                        "--http-port=8484");
    }

    @Test
    void every_value_reaches_the_objects() {
        Map<String, JsonNode> objects = render("--values", EVERYTHING);
        JsonNode container = container(objects);
        assertThat(container.at("/image").asString())
                .isEqualTo("registry.example/kuport:v9@sha256:" + "0123456789abcdef".repeat(4));
        assertThat(container.at("/imagePullPolicy").asString()).isEqualTo("Never");
        assertThat(Manifests.texts(container.at("/args")))
                .containsExactly(
                        "agent",
                        "--vni=16777215",
                        "--link-port=4999",
                        "--underlay-family=ipv6",
                        "--underlay-cidr=fd00:100::/64",
                        "--underlay-cidr=fd00:200::/64",
                        "--link-range=241.0.0.0/8",
                        "--link-range6=fd6b:7570:78::/48",
                        "--mark-base=0x500000",
                        "--mark-mask=0xf000ff",
                        "--node-ports=20000-21000",
                        "--http-port=18484",
                        "--pod-annotations",
                        "--annotation-key=example.org/ports",
                        "--annotation-class=pods",
                        "--internal-network=192.168.0.0/16",
                        "--restricted-ports=22,25",
                        "--firewall-flavor=nftables",
                        "--verify-every=30s");
        assertThat(container.at("/env/1/value").asString()).isEqualTo("debug");
        assertThat(container.at("/ports/0/containerPort").asInt()).isEqualTo(18484);
        assertThat(container.at("/resources/limits/memory").asString()).isEqualTo("512Mi");
        JsonNode pod = daemonSet(objects).at("/spec/template/spec");
        assertThat(pod.at("/nodeSelector/kubernetes.io~1os").asString()).isEqualTo("linux");
        assertThat(pod.at("/nodeSelector/role").asString()).isEqualTo("edge");
        assertThat(pod.at("/tolerations/0/key").asString()).isEqualTo("edge");
        assertThat(pod.at("/serviceAccountName").asString()).isEqualTo("ports");
        assertThat(required(objects, "PortMapClass public")
                        .at("/spec/returnPath/mode")
                        .asString())
                .isEqualTo("Vxlan");
    }

    @Test
    void what_is_not_to_be_created_is_not_there() {
        assertThat(render(
                        "--set", "rbac.create=false",
                        "--set", "rbac.aggregate=false",
                        "--set", "serviceAccount.create=false",
                        "--set", "admissionPolicy.create=false"))
                .containsOnlyKeys("DaemonSet kuport-agent");
    }

    @Test
    void the_admission_policy_speaks_of_the_agents_account_and_is_left_out_where_tokens_name_no_node() {
        JsonNode policy = required(
                render("--set", "serviceAccount.name=ports"), "ValidatingAdmissionPolicy kuport-agent-own-node");
        assertThat(policy.at("/spec/matchConditions/0/expression").asString())
                .isEqualTo("request.userInfo.username == \"system:serviceaccount:kuport-system:ports\"");
        assertThat(render("--kube-version", "1.31.9"))
                .doesNotContainKey("ValidatingAdmissionPolicy kuport-agent-own-node")
                .containsKey("DaemonSet kuport-agent");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "link.vni=0",
                "link.vni=16777216",
                "link.port=65536",
                "link.port=vxlan",
                "link.underlayFamily=both",
                "link.mtu=1370",
                "marks.base=1800000000",
                "httpPort=0",
                "image.digest=latest",
                "image.pullPolicy=Sometimes",
                "logLevel=loud",
                "nodePorts=30000",
                "classes.public=yes",
                "rbac.create=maybe",
                "replicas=3"
            })
    void a_value_that_means_nothing_is_refused_and_named(String assignment) {
        Shell.Result result =
                Shell.attempt(helm, "template", "kuport", chart, "--kube-version", "1.35.0", "--set", assignment);
        assertThat(result.status()).isNotZero();
        String name = assignment.substring(0, assignment.indexOf('='));
        assertThat(result.err())
                .contains(
                        "values don't meet the specifications of the schema",
                        name.substring(name.lastIndexOf('.') + 1));
    }

    @Test
    void every_value_is_in_the_schema_and_in_the_installation_guide() throws IOException {
        JsonNode values = new YAMLMapper().readTree(Files.readString(Path.of("chart/kuport/values.yaml")));
        JsonNode schema = new YAMLMapper().readTree(Files.readString(Path.of("chart/kuport/values.schema.json")));
        String guide = Files.readString(Path.of("docs/integration.md"));
        for (Map.Entry<String, JsonNode> group : values.properties()) {
            JsonNode known = schema.at("/properties/" + group.getKey());
            assertThat(known.isObject()).as(group.getKey()).isTrue();
            assertThat(guide).contains("| `" + group.getKey());
            if (known.has("properties")) {
                for (String name : group.getValue().propertyNames()) {
                    assertThat(known.at("/properties").has(name)).as(name).isTrue();
                    assertThat(guide).contains("| `" + group.getKey() + "." + name + "`");
                }
            }
        }
    }

    @Test
    void B7_helm_never_deletes_the_custom_resources_since_they_are_no_part_of_the_release() throws IOException {
        Path crds = Path.of(chart, "crds/crds.yaml");
        assertThat(crds).hasSameTextualContentAs(Path.of("deploy/crds.yaml"));
        assertThat(Manifests.parse(Files.readString(crds)))
                .containsOnlyKeys(
                        "CustomResourceDefinition portmapclasses.kuport.wlz.li",
                        "CustomResourceDefinition portmapnodes.kuport.wlz.li",
                        "CustomResourceDefinition portmaps.kuport.wlz.li");
        assertThat(render().keySet()).noneMatch(key -> key.startsWith("CustomResourceDefinition"));
    }

    @Test
    void B2_the_cleanup_runs_on_every_node_with_the_agents_image_and_privilege() throws IOException {
        Map<String, JsonNode> objects = Manifests.parse(Files.readString(Path.of("deploy/cleanup.yaml")));
        JsonNode cleanup = required(objects, "DaemonSet kuport-cleanup").at("/spec/template/spec");
        JsonNode agent = daemonSet(render()).at("/spec/template/spec");
        assertThat(Manifests.texts(cleanup.at("/initContainers/0/args"))).containsExactly("cleanup");
        for (String container : List.of("/initContainers/0", "/containers/0")) {
            assertThat(cleanup.at(container + "/image")).isEqualTo(agent.at("/containers/0/image"));
            assertThat(cleanup.at(container + "/securityContext")).isEqualTo(agent.at("/containers/0/securityContext"));
        }
        for (String same : List.of("hostNetwork", "tolerations", "nodeSelector", "securityContext")) {
            assertThat(cleanup.get(same)).as(same).isEqualTo(agent.get(same));
        }
        assertThat(cleanup.at("/automountServiceAccountToken").asBoolean(true)).isFalse();
    }
}
