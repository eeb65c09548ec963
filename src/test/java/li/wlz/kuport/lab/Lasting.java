package li.wlz.kuport.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import li.wlz.kuport.model.IpFamily;
import org.awaitility.Awaitility;

/** Clients that go on while something is done: of each family a UDP sender and a TCP connection to each port. */
public record Lasting(List<UdpSender> senders, List<TcpStream> streams, List<Peer> clients) implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /** Begins; when this returns, all have been answered. */
    public static Lasting open(Namespace client, DualAddress address, Integer... ports) {
        Lasting lasting = new Lasting(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (IpFamily family : IpFamily.values()) {
            for (int port : ports) {
                lasting.senders.add(UdpSender.start(client, Dial.udp(address.of(family), port)));
                lasting.streams.add(TcpStream.open(
                        client, Dial.tcp(address.of(family), port).within(PATIENCE)));
            }
        }
        lasting.senders.forEach(sender -> Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> !sender.received().isEmpty()));
        lasting.senders.forEach(sender -> lasting.clients.add(sender.local()));
        lasting.streams.forEach(stream -> lasting.clients.add(reply(stream).sentFrom()));
        return lasting;
    }

    private static Answer.Reply reply(TcpStream stream) {
        Answer answer = stream.exchange(64, 64);
        assertThat(answer).isInstanceOf(Answer.Reply.class);
        return (Answer.Reply) answer;
    }

    /** Every connection still works, and the pod sees the client that it saw first. */
    public void exchange() {
        for (TcpStream stream : streams) {
            Answer.Reply reply = reply(stream);
            assertThat(clients).contains(reply.sentFrom());
            assertThat(reply.sourceSeen()).isEqualTo(reply.sentFrom());
        }
    }

    /** Stops the senders: each of their packets was answered. */
    public void lostNothing() {
        exchange();
        senders.forEach(UdpSender::stop);
        assertThat(senders).allSatisfy(sender -> {
            assertThat(sender.lost()).isZero();
            assertThat(sender.received())
                    .allSatisfy(answer -> assertThat(answer.sourceSeen()).isEqualTo(sender.local()));
        });
    }

    @Override
    public void close() {
        senders.forEach(UdpSender::close);
        streams.forEach(TcpStream::close);
    }
}
