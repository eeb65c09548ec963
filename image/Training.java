import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
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
 * <p>Each kind has the one object of {@code DIRECTORY/PLURAL.json}; a watch tells of it once more; what is written is taken and
 * forgotten. Ends with status 0 when a PortMap's status was written, with 1 if none was within a minute.
 */
final class Training {
    private static final int PORT = 8001;
    private static final Pattern PLURAL =
            Pattern.compile("/apis?/(?:[a-z0-9.]+/)?v[a-z0-9]+/(?:namespaces/[^/]+/)?([a-z]+)(/[^/]+)?(/status)?");
    private static final Pattern KIND = Pattern.compile("\"apiVersion\": (\"[^\"]+\"), \"kind\": \"([^\"]+)\"");

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
        Thread.sleep(3000);
        System.exit(done ? 0 : 1);
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
        Matcher path = PLURAL.matcher(exchange.getRequestURI().getPath());
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        if (!path.matches()) {
            send(
                    exchange,
                    404,
                    "{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"status\": \"Failure\", \"code\": 404}");
        } else if (path.group(1).equals("selfsubjectaccessreviews")) {
            send(
                    exchange,
                    201,
                    "{\"apiVersion\": \"authorization.k8s.io/v1\", \"kind\": \"SelfSubjectAccessReview\","
                            + " \"status\": {\"allowed\": true}}");
        } else if (!exchange.getRequestMethod().equals("GET")) {
            Path stored = objects.resolve(path.group(1) + ".json");
            send(exchange, 200, Files.exists(stored) ? Files.readString(stored) : body);
            if (path.group(1).equals("portmaps")) {
                written.countDown();
            }
        } else {
            read(exchange, path, query.contains("watch=true"));
        }
    }

    private void read(HttpExchange exchange, Matcher path, boolean watch) throws IOException {
        Path file = objects.resolve(path.group(1) + ".json");
        if (!Files.exists(file)) {
            send(
                    exchange,
                    404,
                    "{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"status\": \"Failure\", \"code\": 404}");
            return;
        }
        String object = Files.readString(file).replace("\n", " ");
        if (exchange.getRequestHeaders().containsKey("Upgrade")) {
            // No WebSocket here; the client then watches by a plain request.
            send(exchange, 200, object);
        } else if (watch) {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, 0);
            OutputStream stream = exchange.getResponseBody();
            stream.write(("{\"type\": \"MODIFIED\", \"object\": " + object + "}\n").getBytes(StandardCharsets.UTF_8));
            stream.flush();
        } else if (path.group(2) == null) {
            Matcher kind = KIND.matcher(object);
            if (!kind.find()) {
                throw new IllegalArgumentException(file + " begins with no apiVersion and kind");
            }
            send(
                    exchange,
                    200,
                    "{\"apiVersion\": %s, \"kind\": \"%sList\", \"metadata\": {\"resourceVersion\": \"1\"}, \"items\": [%s]}"
                            .formatted(kind.group(1), kind.group(2), object));
        } else {
            send(exchange, 200, object);
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
