package li.wlz.kuport.cluster;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.World;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * etcd, kube-apiserver, kube-controller-manager and kube-scheduler in a namespace of their own, {@code control}: a host on the
 * internet that belongs to the mesh.
 */
final class ControlPlane {
    /** In the mesh: what everybody dials. */
    static final String ADDRESS = "100.64.0.250";

    static final String SERVER = "https://" + ADDRESS + ":6443";
    private static final String ADDRESS6 = "fd64:6d65:7368::fa";
    private static final String ENDPOINT = "203.0.113.201:51820";
    private static final String ADMIN_TOKEN = "admin-token";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** What the agents ask for, for the tests that compare it with what they may. */
    private static final String AUDIT_POLICY = """
            apiVersion: audit.k8s.io/v1
            kind: Policy
            omitStages: [RequestReceived]
            rules:
              - level: Metadata
                userGroups: ["system:serviceaccounts:kuport-system"]
              - level: None
            """;

    private final Namespace namespace;
    private final Path programs;
    private final Path folder;
    private @Nullable Process apiServer;

    private ControlPlane(Namespace namespace, Path programs) {
        this.namespace = namespace;
        this.programs = programs;
        this.folder = Machine.FOLDER.resolve("control");
    }

    /** Begins to start it in a world; {@link #awaitReady} waits. */
    static ControlPlane start(World world, Path programs) {
        ControlPlane control = new ControlPlane(Namespace.create("control"), programs);
        try {
            Files.createDirectories(control.folder);
            control.connect(world);
            control.writeCredentials();
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new IllegalStateException("cannot start the control plane", e);
        }
        control.spawn(
                "etcd",
                "etcd",
                "--data-dir=" + control.folder.resolve("etcd"),
                "--unsafe-no-fsync",
                "--log-level=warn");
        control.startApiServer();
        return control;
    }

    /** A wire to the internet, another to this JVM, and a place in the mesh. */
    private void connect(World world) {
        Program.run(
                "ip", "link", "add", "eth0", "netns", "control", "type", "veth", "peer", "control", "netns", "inet");
        Program.run("ip", "link", "add", "jvm0", "netns", "control", "type", "veth", "peer", "control");
        namespace.sysctl(
                java.util.Map.of("net.ipv6.conf.all.accept_dad", "0", "net.ipv6.conf.default.accept_dad", "0"));
        namespace.ip("""
                link set eth0 up
                link set jvm0 up
                address add 203.0.113.201/26 dev eth0
                address add 169.254.250.2/30 dev jvm0
                route add default via 203.0.113.193
                """);
        world.inet().ip("""
                link set control up
                address add 203.0.113.193/26 dev control
                """);
        Program.run("ip", "link", "set", "control", "up");
        Program.run("ip", "address", "add", "169.254.250.1/30", "dev", "control");
        Program.run("ip", "route", "add", ADDRESS, "via", "169.254.250.2");
        joinMesh(world);
    }

    private void joinMesh(World world) {
        namespace.start(folder.resolve("wireguard.log"), "wireguard-go", "-f", "wg-control");
        Awaitility.await("wg-control").until(() -> Files.exists(Path.of("/run/wireguard/wg-control.sock")));
        Path key = folder.resolve("wireguard.key");
        Program.run("sh", "-c", "umask 077 && wg genkey >" + key);
        Program.run("wg", "set", "wg-control", "private-key", key.toString(), "listen-port", "51820");
        String ours = Program.run("wg", "show", "wg-control", "public-key").strip();
        for (MeshNode node : world.nodes()) {
            String theirs = Program.run("wg", "show", node.meshInterface(), "public-key")
                    .strip();
            Program.run(
                    "wg",
                    "set",
                    "wg-control",
                    "peer",
                    theirs,
                    "allowed-ips",
                    node.mesh().ipv4() + "/32," + node.mesh().ipv6() + "/128");
            Program.run(
                    "wg",
                    "set",
                    node.meshInterface(),
                    "peer",
                    ours,
                    "endpoint",
                    ENDPOINT,
                    "persistent-keepalive",
                    "5",
                    "allowed-ips",
                    ADDRESS + "/32," + ADDRESS6 + "/128");
        }
        namespace.ip("""
                link set wg-control mtu 1420 up
                address add %s/24 dev wg-control
                address add %s/64 dev wg-control
                """.formatted(ADDRESS, ADDRESS6));
    }

    private void writeCredentials() throws IOException, NoSuchAlgorithmException {
        Files.writeString(folder.resolve("tokens.csv"), ADMIN_TOKEN + ",admin,1,system:masters\n");
        Files.writeString(folder.resolve("audit.yaml"), AUDIT_POLICY);
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        KeyPair pair = generator.generateKeyPair();
        writePem("sa.key", "PRIVATE KEY", pair.getPrivate().getEncoded());
        writePem("sa.pub", "PUBLIC KEY", pair.getPublic().getEncoded());
        Files.writeString(kubeconfig(), """
                apiVersion: v1
                kind: Config
                clusters: [{name: lab, cluster: {server: "%s", certificate-authority: "%s"}}]
                users: [{name: admin, user: {token: %s}}]
                contexts: [{name: lab, context: {cluster: lab, user: admin}}]
                current-context: lab
                """.formatted(SERVER, certificate(), ADMIN_TOKEN));
    }

    private void writePem(String name, String type, byte[] content) throws IOException {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(
                folder.resolve(name), "-----BEGIN " + type + "-----\n" + lines + "\n-----END " + type + "-----\n");
    }

    /** Starts the API server, again after {@link #stopApiServer}; {@link #awaitReady} waits. */
    void startApiServer() {
        apiServer = spawn(
                "kube-apiserver",
                programs.resolve("kube-apiserver").toString(),
                "--etcd-servers=http://127.0.0.1:2379",
                "--cert-dir=" + folder.resolve("certificates"),
                "--advertise-address=" + ADDRESS,
                "--service-account-key-file=" + folder.resolve("sa.pub"),
                "--service-account-signing-key-file=" + folder.resolve("sa.key"),
                "--service-account-issuer=https://kubernetes.default.svc",
                "--service-cluster-ip-range=10.96.0.0/16,fd10:96::/108",
                "--token-auth-file=" + folder.resolve("tokens.csv"),
                "--authorization-mode=Node,RBAC",
                "--allow-privileged",
                "--kubelet-preferred-address-types=InternalIP",
                "--audit-policy-file=" + folder.resolve("audit.yaml"),
                "--audit-log-path=" + auditLog(),
                "--audit-log-mode=blocking-strict",
                "--shutdown-delay-duration=0s");
    }

    /** Ends the API server as a crash would; etcd keeps everything. */
    void stopApiServer() {
        if (apiServer == null) {
            throw new IllegalStateException("no API server was started");
        }
        apiServer.destroyForcibly();
        try {
            if (!apiServer.waitFor(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the API server does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until the API server is ready. */
    void awaitReady(KubernetesClient client) {
        Awaitility.await("kube-apiserver ready; its log is " + folder.resolve("kube-apiserver.log"))
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .until(() -> isReady(client));
    }

    private boolean isReady(KubernetesClient client) {
        if (apiServer == null || !apiServer.isAlive()) {
            throw new IllegalStateException("kube-apiserver ended: " + tail("kube-apiserver"));
        }
        try {
            return "ok".equals(client.raw("/readyz"));
        } catch (KubernetesClientException e) {
            return false;
        }
    }

    private String tail(String program) {
        try {
            List<String> lines = Files.readAllLines(folder.resolve(program + ".log"));
            return lines.stream().skip(Math.max(0, lines.size() - 5)).collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts what needs a ready API server. */
    void startControllers() {
        spawn(
                "kube-controller-manager",
                programs.resolve("kube-controller-manager").toString(),
                "--kubeconfig=" + kubeconfig(),
                "--service-account-private-key-file=" + folder.resolve("sa.key"),
                "--root-ca-file=" + certificate(),
                "--use-service-account-credentials",
                "--leader-elect=false",
                "--node-monitor-period=1s",
                "--node-monitor-grace-period=16s");
        spawn(
                "kube-scheduler",
                programs.resolve("kube-scheduler").toString(),
                "--kubeconfig=" + kubeconfig(),
                "--leader-elect=false");
    }

    private Process spawn(String name, String... command) {
        return namespace.start(folder.resolve(name + ".log"), command);
    }

    /** Of the admin; what certificates it names is there once the API server has started. */
    Path kubeconfig() {
        return folder.resolve("kubeconfig");
    }

    Path certificate() {
        return folder.resolve("certificates/apiserver.crt");
    }

    /** A line of JSON for each request of the agents. */
    Path auditLog() {
        return folder.resolve("audit.log");
    }

    /** A client that may do everything; the API server has to have made its certificate. */
    KubernetesClient admin() {
        Awaitility.await("the API server's certificate").atMost(PATIENCE).until(() -> Files.exists(certificate()));
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl(SERVER)
                .withCaCertFile(certificate().toString())
                .withOauthToken(ADMIN_TOKEN)
                .withRequestRetryBackoffLimit(0)
                .build();
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    Namespace namespace() {
        return namespace;
    }
}
