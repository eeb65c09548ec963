package li.wlz.kuport.k8s;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** Passes TCP on to a port of loopback, and can fall silent as a machine does that loses its power, or speak no TLS. */
final class Relay implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile AtomicBoolean passing = new AtomicBoolean(true);
    private volatile boolean garbling;

    private Relay(ServerSocket listener, int target) {
        this.listener = listener;
        this.target = target;
    }

    static Relay to(int target) throws IOException {
        Relay relay = new Relay(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), target);
        Thread.ofVirtual().start(relay::accept);
        return relay;
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Passes nothing on any more; connections stay, also those made from now on. */
    void silence() {
        passing.set(false);
    }

    /** Connections end; those made from now on are answered with what is no TLS, and closed. */
    void garble() throws IOException {
        garbling = true;
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    /** Connections made from now on are passed on; the others stay silent. */
    void admitNew() {
        garbling = false;
        passing = new AtomicBoolean(true);
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                if (garbling) {
                    client.getOutputStream().write("not yet valid".getBytes(StandardCharsets.US_ASCII));
                    client.close();
                    continue;
                }
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.addAll(List.of(client, server));
                AtomicBoolean own = passing;
                Thread.ofVirtual().start(() -> pass(client, server, own));
                Thread.ofVirtual().start(() -> pass(server, client, own));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private static void pass(Socket from, Socket to, AtomicBoolean passing) {
        byte[] buffer = new byte[8192];
        try {
            int length;
            while ((length = from.getInputStream().read(buffer)) > 0) {
                if (passing.get()) {
                    to.getOutputStream().write(buffer, 0, length);
                }
            }
            if (passing.get()) {
                to.close();
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
