package li.wlz.kuport.netlink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random and mutated bytes, the same on every run: decoding answers, or throws the one exception it may. */
@Timeout(60)
class FuzzTest {
    private static final int ROUNDS = 20_000;

    private int decoded;
    private int refused;

    @Test
    void random_bytes_are_decoded_or_refused() {
        Random random = new Random(1);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            decode(bytes);
        }
        assertThat(refused).isPositive();
    }

    @Test
    void random_bodies_behind_a_right_header_are_decoded_or_refused() {
        Random random = new Random(2);
        int[] types = Samples.all().stream()
                .mapToInt(bytes -> Samples.message(bytes).type())
                .toArray();
        for (int round = 0; round < ROUNDS; round++) {
            byte[] body = new byte[random.nextInt(200)];
            random.nextBytes(body);
            decode(MessageWriter.request(types[random.nextInt(types.length)], random.nextInt(0x1000))
                    .bytes(body)
                    .finish());
        }
        assertThat(refused).isPositive();
        assertThat(decoded).isPositive();
    }

    @Test
    void mutated_messages_are_decoded_or_refused() {
        Random random = new Random(3);
        List<byte[]> samples = Samples.all();
        for (int round = 0; round < ROUNDS; round++) {
            decode(mutated(samples.get(random.nextInt(samples.size())), random));
        }
        assertThat(refused).isPositive();
        assertThat(decoded).isPositive();
    }

    private static byte[] mutated(byte[] sample, Random random) {
        byte[] bytes = sample.clone();
        for (int change = random.nextInt(4); change >= 0; change--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(4)) {
                case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bytes[at] = (byte) random.nextInt();
                case 2 -> bytes[at] = (byte) (random.nextBoolean() ? 0 : 0xff);
                default -> Arrays.fill(bytes, at, Math.min(bytes.length, at + random.nextInt(9)), (byte) 0);
            }
        }
        return random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length + 20)) : bytes;
    }

    /** Hands the bytes to every decoder; any other exception fails the test. */
    private void decode(byte[] bytes) {
        List<Message> messages;
        try {
            messages = Message.split(bytes);
        } catch (MalformedMessageException e) {
            refused++;
            return;
        }
        for (Message message : messages) {
            List<Runnable> decoders = List.of(
                    message::answer,
                    () -> LinkMessages.decode(message),
                    () -> LinkMessages.concerns(message),
                    () -> AddressMessages.decode(message, Samples.DEVICES),
                    () -> NeighbourMessages.decodeNeighbour(message, Samples.DEVICES),
                    () -> NeighbourMessages.decodeForwarding(message, Samples.DEVICES),
                    () -> NeighbourMessages.concerns(message, 3),
                    () -> RouteMessages.decode(message, Samples.DEVICES),
                    () -> RouteMessages.concerns(message, 109, table -> table == 254),
                    () -> RuleMessages.decode(message),
                    () -> RuleMessages.decodePolicy(message),
                    () -> ConntrackMessages.decode(message),
                    () -> SocketMessages.decode(message, Protocol.TCP, Samples.DEVICES),
                    () -> NftablesMessages.decodeGeneration(message),
                    () -> NftablesMessages.concerns(message, "kuport"));
            for (Runnable decoder : decoders) {
                try {
                    decoder.run();
                    decoded++;
                } catch (MalformedMessageException e) {
                    refused++;
                }
            }
        }
    }
}
