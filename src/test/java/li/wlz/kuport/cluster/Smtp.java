package li.wlz.kuport.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.model.IpAddress;

/** As much of mail (RFC 5321) as a test needs: who sends one, and who receives some. */
final class Smtp {
    private static final int PORT = 25;
    private static final int PATIENCE_MILLIS = 60_000;

    private Smtp() {}

    /** Hands a mail to a server, from a host of the lab. */
    static void send(Namespace from, IpAddress server, String recipient) {
        from.call(() -> {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getByName(server.toString()), PORT), PATIENCE_MILLIS);
                socket.setSoTimeout(PATIENCE_MILLIS);
                BufferedReader answers = reader(socket);
                expect(answers, "220");
                for (String command : List.of(
                        "HELO cli.example.org", "MAIL FROM:<friend@example.org>", "RCPT TO:<" + recipient + ">")) {
                    say(socket, command);
                    expect(answers, "250");
                }
                say(socket, "DATA");
                expect(answers, "354");
                say(socket, "Subject: hello\r\n\r\nhello\r\n.");
                expect(answers, "250");
                say(socket, "QUIT");
                return null;
            }
        });
    }

    private static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    }

    private static void say(Socket socket, String line) throws IOException {
        socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    private static void expect(BufferedReader answers, String code) throws IOException {
        String answer = answers.readLine();
        if (answer == null || !answer.startsWith(code)) {
            throw new IOException("expected " + code + ", but the server said " + answer);
        }
    }

    /** Takes mail on a host of the lab. */
    static final class Receiver implements AutoCloseable {
        private final ServerSocket listener;
        private final List<IpAddress> senders = new CopyOnWriteArrayList<>();

        private Receiver(ServerSocket listener) {
            this.listener = listener;
        }

        static Receiver start(Namespace namespace) {
            Receiver receiver = new Receiver(namespace.call(() -> new ServerSocket(PORT)));
            Thread.ofPlatform().daemon().start(receiver::accept);
            return receiver;
        }

        /** The addresses from which a whole mail has come. */
        List<IpAddress> senders() {
            return senders;
        }

        private void accept() {
            while (!listener.isClosed()) {
                try (Socket socket = listener.accept()) {
                    socket.setSoTimeout(PATIENCE_MILLIS);
                    if (take(socket)) {
                        senders.add(IpAddress.parse(socket.getInetAddress().getHostAddress()));
                    }
                } catch (IOException e) {
                    // The sender has gone, or this is closed.
                }
            }
        }

        private static boolean take(Socket socket) throws IOException {
            BufferedReader commands = reader(socket);
            say(socket, "220 cli.example.org");
            boolean whole = false;
            boolean text = false;
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                if (text) {
                    text = !line.equals(".");
                    if (!text) {
                        whole = true;
                        say(socket, "250 taken");
                    }
                } else if (line.toUpperCase(Locale.ROOT).startsWith("DATA")) {
                    text = true;
                    say(socket, "354 go on");
                } else if (line.toUpperCase(Locale.ROOT).startsWith("QUIT")) {
                    say(socket, "221 bye");
                    return whole;
                } else {
                    say(socket, "250 yes");
                }
            }
            return whole;
        }

        @Override
        public void close() {
            try {
                listener.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
