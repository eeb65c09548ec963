import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * As much of an API server as an agent needs to do all it does once: {@code java Training.java DIRECTORY KEYSTORE PASSWORD}.
 *
 * <p>Each kind has the objects of {@code DIRECTORY/PLURAL.json}, one a line; a watch tells of them once more, and the watch of
 * EndpointSlices then of those in {@code later.json}; what is written is taken and forgotten. Says "done" when a
 * PortMap's status was written and what goes with it is done, another word if none was within a minute; it has to be ended.
 */
final class Training {
    private static final int PORT = 8001;
    private static final Pattern PLURAL = Pattern.compile(
            "/apis?/(?:[a-z0-9.]+/)?v[a-z0-9]+/(?:namespaces/[^/]+/)?(?<plural>[a-z]+)(?:/(?<name>[^/]+))?(?:/status)?");
    private static final Pattern KIND = Pattern.compile("\"apiVersion\": (\"[^\"]+\"), \"kind\": \"([^\"]+)\"");

    private static final String UNKNOWN =
            "{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"status\": \"Failure\", \"code\": 404}";
    private static final String REVIEW =
            "{\"apiVersion\": \"authorization.k8s.io/v1\", \"kind\": \"SelfSubjectAccessReview\","
                    + " \"status\": {\"allowed\": true}}";

    /** What the health port of an agent is asked for all the time. */
    private static final List<String> PROBES = List.of("/healthz", "/readyz", "/metrics");

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Path objects;
    private final CountDownLatch written = new CountDownLatch(1);

    private Training(Path objects) {
        this.objects = objects;
    }

    public static void main(String[] args) throws IOException, InterruptedException, GeneralSecurityException {
        Training training = new Training(Path.of(args[0]));
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls(Path.of(args[1]), args[2].toCharArray())));
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", training::answer);
        server.start();
        boolean done = training.written.await(1, TimeUnit.MINUTES);
        // What is done at the same time as the status is written, and after it.
        for (int i = 0; i < 3; i++) {
            Thread.sleep(PAUSE);
            probe();
        }
        System.out.println(done ? "done" : "no status was written within a minute");
    }

    private static void probe() throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            for (String probe : PROBES) {
                URI address = URI.create("http://127.0.0.1:8484" + probe);
                client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.discarding());
            }
        }
    }

    private static SSLContext tls(Path file, char[] password) throws IOException, GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(KeyStore.getInstance(file.toFile(), password), password);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(keys.getKeyManagers(), null, null);
        return tls;
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        boolean reads = exchange.getRequestMethod().equals("GET");
        Matcher path = PLURAL.matcher(exchange.getRequestURI().getPath());
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        if (path.matches() && path.group("plural").equals("selfsubjectaccessreviews")) {
            send(exchange, 201, REVIEW);
        } else if (!path.matches() || reads && !Files.exists(file(path))) {
            send(exchange, 404, UNKNOWN);
        } else if (query.contains("watch=true")) {
            watch(exchange, path);
        } else if (reads && path.group("name") == null) {
            list(exchange, path);
        } else {
            send(exchange, 200, Files.exists(file(path)) ? named(path) : body);
            if (path.group("plural").equals("portmaps")) {
                written.countDown();
            }
        }
    }

    private Path file(Matcher path) {
        return objects.resolve(path.group("plural") + ".json");
    }

    private void list(HttpExchange exchange, Matcher path) throws IOException {
        List<String> items = Files.readAllLines(file(path));
        Matcher kind = KIND.matcher(items.getFirst());
        if (!kind.find()) {
            throw new IllegalArgumentException(file(path) + " begins with no apiVersion and kind");
        }
        send(
                exchange,
                200,
                "{\"apiVersion\": %s, \"kind\": \"%sList\", \"metadata\": {\"resourceVersion\": \"1\"}, \"items\": [%s]}"
                        .formatted(kind.group(1), kind.group(2), String.join(",", items)));
    }

    private String named(Matcher path) throws IOException {
        List<String> stored = Files.readAllLines(file(path));
        return stored.stream()
                .filter(object -> object.contains("\"name\": \"" + path.group("name") + "\""))
                .findFirst()
                .orElse(stored.getFirst());
    }

    /** No WebSocket here: the client then asks again by a plain request, which stays open. */
    private void watch(HttpExchange exchange, Matcher path) throws IOException {
        if (exchange.getRequestHeaders().containsKey("Upgrade")) {
            send(exchange, 404, UNKNOWN);
            return;
        }
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        OutputStream stream = exchange.getResponseBody();
        for (String object : Files.readAllLines(file(path))) {
            tell(stream, object);
        }
        if (path.group("plural").equals("endpointslices")) {
            for (String object : Files.readAllLines(objects.resolve("later.json"))) {
                pause();
                tell(stream, object);
            }
        }
    }

    private static void tell(OutputStream stream, String object) throws IOException {
        stream.write(("{\"type\": \"MODIFIED\", \"object\": " + object + "}\n").getBytes(StandardCharsets.UTF_8));
        stream.flush();
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}
