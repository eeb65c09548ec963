package li.wlz.kuport.lab;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.Protocol;

/**
 * What a client is to dial, and how: {@code Dial.udp(A1, 3000).fromPort(40000).bytes(1400).dontFragment()}.
 *
 * @param source the address to dial from; else the kernel picks one
 * @param sourcePort the port to dial from; else the kernel picks one
 * @param bytes the length of the request; for UDP the payload of one datagram
 * @param answerBytes the length of the answer, at least
 * @param dontFragment whether UDP bears DF; else what is too long is sent in fragments
 * @param attempts how often UDP is sent before the client gives up
 * @param patience how long it waits in all
 */
public record Dial(
        Protocol protocol,
        Peer destination,
        Optional<IpAddress> source,
        OptionalInt sourcePort,
        int bytes,
        int answerBytes,
        boolean dontFragment,
        int attempts,
        Duration patience) {
    private static final int USUAL_BYTES = 64;
    private static final Duration USUAL_PATIENCE = Duration.ofSeconds(3);

    /** Dials with 64 bytes, and waits for three seconds. */
    public static Dial to(Protocol protocol, IpAddress address, int port) {
        return new Dial(
                protocol,
                new Peer(address, port),
                Optional.empty(),
                OptionalInt.empty(),
                USUAL_BYTES,
                USUAL_BYTES,
                false,
                1,
                USUAL_PATIENCE);
    }

    public static Dial tcp(IpAddress address, int port) {
        return to(Protocol.TCP, address, port);
    }

    public static Dial udp(IpAddress address, int port) {
        return to(Protocol.UDP, address, port);
    }

    public Dial from(IpAddress address) {
        return new Dial(
                protocol,
                destination,
                Optional.of(address),
                sourcePort,
                bytes,
                answerBytes,
                dontFragment,
                attempts,
                patience);
    }

    public Dial fromPort(int port) {
        return new Dial(
                protocol,
                destination,
                source,
                OptionalInt.of(port),
                bytes,
                answerBytes,
                dontFragment,
                attempts,
                patience);
    }

    public Dial bytes(int count) {
        return new Dial(
                protocol, destination, source, sourcePort, count, answerBytes, dontFragment, attempts, patience);
    }

    public Dial answered(int count) {
        return new Dial(protocol, destination, source, sourcePort, bytes, count, dontFragment, attempts, patience);
    }

    public Dial withDontFragment() {
        return new Dial(protocol, destination, source, sourcePort, bytes, answerBytes, true, attempts, patience);
    }

    public Dial attempts(int count) {
        return new Dial(protocol, destination, source, sourcePort, bytes, answerBytes, dontFragment, count, patience);
    }

    public Dial within(Duration time) {
        return new Dial(protocol, destination, source, sourcePort, bytes, answerBytes, dontFragment, attempts, time);
    }

    @Override
    public String toString() {
        return protocol.lowerCase() + " " + destination
                + source.map(s -> " from " + s).orElse("")
                + (sourcePort.isPresent() ? " port " + sourcePort.getAsInt() : "") + " with " + bytes + " bytes";
    }
}
