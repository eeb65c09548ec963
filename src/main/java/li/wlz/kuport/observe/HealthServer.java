package li.wlz.kuport.observe;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import li.wlz.kuport.model.IpAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers {@code /healthz}, {@code /readyz} and {@code /metrics} over HTTP.
 *
 * <p>On loopback always; on the node's own addresses only where they are not public, since nobody asks who is calling. Loopback
 * has threads to itself: the kubelet asks there, and must get its answer whatever pods and other machines do.
 */
public final class HealthServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HealthServer.class);
    private static final List<IpAddress> LOOPBACK = List.of(IpAddress.parse("127.0.0.1"), IpAddress.parse("::1"));

    static {
        // Seconds, and a number for each address; read once, when the first HttpServer of the process is made. See
        // https://docs.oracle.com/en/java/javase/25/docs/api/jdk.httpserver/module-summary.html
        System.setProperty("sun.net.httpserver.maxReqTime", "5");
        System.setProperty("sun.net.httpserver.maxRspTime", "10");
        System.setProperty("jdk.httpserver.maxConnections", "64");
    }

    private final int port;
    private final Health health;
    private final Metrics metrics;
    private final ExpositionFormats formats = ExpositionFormats.init();
    private final ExecutorService loopback = threads("health-");
    private final ExecutorService others = threads("health-others-");
    private final Map<IpAddress, HttpServer> servers = new HashMap<>();
    private final Set<IpAddress> asked = new HashSet<>(LOOPBACK);

    /** @param port on which to listen, 8484 unless told otherwise */
    public HealthServer(int port, Health health, Metrics metrics) {
        this.port = port;
        this.health = health;
        this.metrics = metrics;
    }

    private static ExecutorService threads(String name) {
        return Executors.newFixedThreadPool(
                2, Thread.ofPlatform().name(name, 0).daemon().factory());
    }

    /**
     * Listens on loopback.
     *
     * @throws UncheckedIOException that names the address, if another process listens there
     */
    public synchronized void start() {
        try {
            listen(LOOPBACK.getFirst());
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot listen on " + LOOPBACK.getFirst() + ":" + port + ": " + e.getMessage()
                            + "; choose another port by --http-port",
                    e);
        }
        tryListen(LOOPBACK.getLast());
    }

    /** Listens on those of the node's InternalIPs, too, that are not public, and no longer on others. */
    public synchronized void alsoOn(Collection<IpAddress> internal) {
        servers.entrySet().removeIf(entry -> {
            boolean gone = !asked.contains(entry.getKey()) && !internal.contains(entry.getKey());
            if (gone) {
                entry.getValue().stop(0);
            }
            return gone;
        });
        internal.stream()
                .filter(address -> !address.isGlobal() && !servers.containsKey(address))
                .forEach(this::tryListen);
    }

    /**
     * Listens on an address that was asked for, be it public.
     *
     * @throws UncheckedIOException that names the address, if it cannot
     */
    public synchronized void on(IpAddress address) {
        try {
            listen(address);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on " + address + ":" + port + ": " + e.getMessage(), e);
        }
        asked.add(address);
    }

    private void tryListen(IpAddress address) {
        try {
            listen(address);
        } catch (IOException e) {
            LOG.debug("not listening address={} port={} why={}", address, port, e.getMessage());
        }
    }

    private void listen(IpAddress address) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(address.toInetAddress(), port), 0);
        server.setExecutor(executor(address));
        server.createContext("/healthz", exchange -> answer(exchange, health.isWell(), "the loop stands still"));
        server.createContext(
                "/readyz", exchange -> answer(exchange, health.isReady(), "what is wanted is not in force yet"));
        server.createContext("/metrics", this::metrics);
        server.start();
        servers.put(address, server);
        LOG.info("listening address={} port={}", address, port);
    }

    private Executor executor(IpAddress address) {
        return LOOPBACK.contains(address) ? loopback : others;
    }

    private static void answer(HttpExchange exchange, boolean fine, String otherwise) throws IOException {
        byte[] body = ((fine ? "ok" : otherwise) + "\n").getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
            exchange.sendResponseHeaders(
                    fine ? HttpURLConnection.HTTP_OK : HttpURLConnection.HTTP_UNAVAILABLE, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private void metrics(HttpExchange exchange) throws IOException {
        ExpositionFormatWriter writer =
                formats.findWriter(exchange.getRequestHeaders().getFirst("Accept"));
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", writer.getContentType());
            exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, 0);
            try (OutputStream body = exchange.getResponseBody()) {
                writer.write(body, metrics.registry().scrape());
            }
        }
    }

    @Override
    public synchronized void close() {
        servers.values().forEach(server -> server.stop(0));
        servers.clear();
        loopback.shutdownNow();
        others.shutdownNow();
    }
}
