package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Dialler;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.params.provider.Arguments;

/** What is to come of it when somebody dials. */
final class Visits {
    /** Far beyond what anything takes on a machine that has more to do. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private Visits() {}

    /** Every protocol with every family. */
    static Stream<Arguments> ways() {
        return Stream.of(Protocol.values())
                .flatMap(protocol -> Stream.of(IpFamily.values()).map(family -> Arguments.of(protocol, family)));
    }

    /** Does something for every protocol with every family. */
    static void forEachWay(BiConsumer<Protocol, IpFamily> action) {
        for (Protocol protocol : Protocol.values()) {
            for (IpFamily family : IpFamily.values()) {
                action.accept(protocol, family);
            }
        }
    }

    /** The server answers from what was dialled; who it saw is told. */
    static Answer.Reply answered(Namespace client, Dial dial, String server) {
        Answer answer = Dialler.dial(client, dial);
        assertThat(answer).as(client + " dials " + dial).isInstanceOf(Answer.Reply.class);
        Answer.Reply reply = (Answer.Reply) answer;
        assertThat(reply.server()).as(client + " dials " + dial).isEqualTo(server);
        assertThat(reply.repliedFrom())
                .as("who answers when " + client + " dials " + dial)
                .isEqualTo(dial.destination());
        return reply;
    }

    /** As {@link #answered}, and the server saw the client's own address and port. */
    static void seenAsItself(Namespace client, Dial dial, String server) {
        Answer.Reply reply = answered(client, dial, server);
        assertThat(reply.sourceSeen())
                .as("who is seen when " + client + " dials " + dial)
                .isEqualTo(reply.sentFrom());
    }

    /** Each of the clients dials each of the addresses, with the outcome of {@link #seenAsItself}. */
    static void eachSeenAsItself(
            List<Host> clients, List<IpAddress> dialled, Protocol protocol, int port, String server) {
        for (Host client : clients) {
            for (IpAddress address : dialled) {
                seenAsItself(
                        client.namespace(), Dial.to(protocol, address, port).within(PATIENCE), server);
            }
        }
    }

    /** As {@link #answered}, and the server saw this address. */
    static void seenAs(IpAddress source, Namespace client, Dial dial, String server) {
        assertThat(answered(client, dial, server).sourceSeen().address())
                .as("who is seen when " + client + " dials " + dial)
                .isEqualTo(source);
    }

    /** A reset or a port unreachable comes, well before the dial's patience ends. */
    static void refused(Namespace client, Dial dial) {
        assertThat(Dialler.dial(client, dial)).as(client + " dials " + dial).isEqualTo(new Answer.Refused());
    }

    /** As {@link #refused}, by the client's own kernel, which answers a datagram at once by an error of the call that sends it. */
    static void refusedAtHome(Namespace client, Dial dial) {
        assertThat(Dialler.dial(client, dial))
                .as(client + " dials " + dial)
                .isIn(new Answer.Refused(), new Answer.Unreachable("Operation not permitted"));
    }
}
