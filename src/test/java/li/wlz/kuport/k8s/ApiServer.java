package li.wlz.kuport.k8s;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A real kube-apiserver with its etcd, on free ports of loopback: no nodes, no controllers, nothing but the API.
 *
 * <p>scripts/kubernetes builds it once; both processes end with this JVM.
 */
public final class ApiServer implements AutoCloseable {
    private static final String ADMIN_TOKEN = "admin-token";
    private static final Duration READY_WITHIN = Duration.ofSeconds(90);
    private static final AtomicInteger NAMES = new AtomicInteger();

    private static @Nullable ApiServer shared;

    private final Path folder;
    private final int etcdPort = freePort();
    private final int etcdPeerPort = freePort();
    private final int port = freePort();
    private final List<KubernetesClient> clients = new ArrayList<>();
    private @Nullable Process etcd;
    private @Nullable Process server;

    private ApiServer() throws IOException {
        folder = Files.createTempDirectory("kuport-api");
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    }

    /** The one that test classes share, with our definitions; started when first asked for. */
    public static synchronized ApiServer shared() {
        if (shared == null) {
            shared = start();
            shared.applyDefinitions(Path.of("deploy/crds.yaml"));
        }
        return shared;
    }

    /** One of its own, without definitions. */
    public static ApiServer start() {
        try {
            ApiServer api = new ApiServer();
            api.writeCredentials();
            api.startEtcd();
            api.startServer();
            return api;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException("cannot start an API server", e);
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The folder of kube-apiserver and kubectl. */
    static Path programs() {
        try {
            Process script = new ProcessBuilder("scripts/kubernetes")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String printed = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (script.waitFor() != 0) {
                throw new IllegalStateException("scripts/kubernetes failed; it says why above");
            }
            return Path.of(printed);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void writeCredentials() throws IOException, GeneralSecurityException {
        Files.writeString(folder.resolve("tokens.csv"), ADMIN_TOKEN + ",admin,1,system:masters\n");
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        KeyPair pair = generator.generateKeyPair();
        writePem("sa.key", "PRIVATE KEY", pair.getPrivate().getEncoded());
        writePem("sa.pub", "PUBLIC KEY", pair.getPublic().getEncoded());
    }

    private void writePem(String name, String type, byte[] content) throws IOException {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(
                folder.resolve(name), "-----BEGIN " + type + "-----\n" + lines + "\n-----END " + type + "-----\n");
    }

    private void startEtcd() {
        String url = "http://127.0.0.1:" + etcdPort;
        etcd = spawn(
                "etcd",
                "etcd",
                "--data-dir=" + folder.resolve("etcd"),
                "--listen-client-urls=" + url,
                "--advertise-client-urls=" + url,
                "--listen-peer-urls=http://127.0.0.1:" + etcdPeerPort,
                "--unsafe-no-fsync",
                "--log-level=warn");
    }

    /** Starts it, again after {@link #stopServer}; returns when it is ready. */
    void startServer() {
        server = spawn(
                "apiserver",
                programs().resolve("kube-apiserver").toString(),
                "--etcd-servers=http://127.0.0.1:" + etcdPort,
                "--bind-address=127.0.0.1",
                "--secure-port=" + port,
                // Needed where the machine has no default route; nobody is told of it.
                "--advertise-address=192.0.2.1",
                "--endpoint-reconciler-type=none",
                "--cert-dir=" + folder.resolve("certificates"),
                "--service-account-key-file=" + folder.resolve("sa.pub"),
                "--service-account-signing-key-file=" + folder.resolve("sa.key"),
                "--service-account-issuer=https://kubernetes.default.svc",
                "--service-cluster-ip-range=10.96.0.0/16",
                "--token-auth-file=" + folder.resolve("tokens.csv"),
                "--authorization-mode=RBAC",
                "--shutdown-delay-duration=0s");
        Awaitility.await("kube-apiserver ready; its log is " + folder.resolve("apiserver.log"))
                .atMost(READY_WITHIN)
                .pollInterval(Duration.ofMillis(200))
                .until(this::isReady);
    }

    private boolean isReady() {
        if (server == null || !server.isAlive() || etcd == null || !etcd.isAlive()) {
            throw new IllegalStateException("a process ended: " + tail("apiserver.log") + tail("etcd.log"));
        }
        if (!Files.exists(certificate())) {
            return false;
        }
        try (KubernetesClient client = ApiConnection.to(config().build(), "test")) {
            return "ok".equals(client.raw("/readyz"));
        } catch (KubernetesClientException e) {
            return false;
        }
    }

    private String tail(String log) {
        try {
            List<String> lines = Files.readAllLines(folder.resolve(log));
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 5), lines.size())) + "\n";
        } catch (IOException e) {
            return log + ": " + e.getMessage() + "\n";
        }
    }

    /** Ends it as a crash would; etcd keeps everything. */
    void stopServer() {
        if (server != null) {
            end(server);
        }
    }

    private Process spawn(String name, String... command) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            folder.resolve(name + ".log").toFile()));
            builder.environment().merge("PATH", ":/usr/sbin:/usr/bin", String::concat);
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + Arrays.toString(command), e);
        }
    }

    private static void end(Process process) {
        process.destroyForcibly();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("process " + process.pid() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Path certificate() {
        return folder.resolve("certificates/apiserver.crt");
    }

    int port() {
        return port;
    }

    /** How to connect as the admin. */
    ConfigBuilder config() {
        return new ConfigBuilder(Config.empty())
                .withMasterUrl("https://127.0.0.1:" + port)
                .withCaCertFile(certificate().toString())
                .withOauthToken(ADMIN_TOKEN);
    }

    /** A client that may do everything. */
    KubernetesClient admin() {
        return client(config().build());
    }

    /** A client that is closed with this. */
    KubernetesClient client(Config config) {
        KubernetesClient client = ApiConnection.to(config, "test");
        clients.add(client);
        return client;
    }

    /** Applies a file of definitions; returns when the API server serves them. */
    void applyDefinitions(Path file) {
        KubernetesClient admin = admin();
        try (var stream = Files.newInputStream(file)) {
            List<HasMetadata> definitions = admin.load(stream).items();
            for (HasMetadata definition : definitions) {
                admin.resource(definition).forceConflicts().serverSideApply();
                admin.apiextensions()
                        .v1()
                        .customResourceDefinitions()
                        .withName(definition.getMetadata().getName())
                        .waitUntilCondition(ApiServer::isEstablished, 30, TimeUnit.SECONDS);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isEstablished(@Nullable CustomResourceDefinition definition) {
        return definition != null
                && definition.getStatus() != null
                && definition.getStatus().getConditions() != null
                && definition.getStatus().getConditions().stream()
                        .anyMatch(c -> "Established".equals(c.getType()) && "True".equals(c.getStatus()));
    }

    /** A name that no other test uses. */
    static String unique(String start) {
        return start + "-" + NAMES.incrementAndGet();
    }

    /** A namespace of the test's own; nothing would finish its deletion, so it stays. */
    String namespace() {
        String name = unique("test");
        admin().namespaces()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
        return name;
    }

    @Override
    public synchronized void close() {
        clients.forEach(KubernetesClient::close);
        clients.clear();
        Stream.of(server, etcd).filter(p -> p != null).forEach(ApiServer::end);
        try (Stream<Path> files = Files.exists(folder) ? Files.walk(folder) : Stream.empty()) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
