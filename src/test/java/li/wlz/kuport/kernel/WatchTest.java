package li.wlz.kuport.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import li.wlz.kuport.ffm.Errno;
import li.wlz.kuport.ffm.NativeException;
import li.wlz.kuport.ffm.NetlinkSocket.Datagram;
import org.junit.jupiter.api.Test;

class WatchTest {
    private final List<String> log = new CopyOnWriteArrayList<>();

    /** Hands out what it was given, then closes itself. */
    private static final class Once implements Channel {
        private final BlockingQueue<FakeKernel.Part> parts;
        private volatile boolean closed;

        Once(FakeKernel.Part... parts) {
            this.parts = new LinkedBlockingQueue<>(List.of(parts));
        }

        @Override
        public void send(byte[] message) {
            throw new AssertionError("a watch only listens");
        }

        @Override
        public Optional<Datagram> receive(int milliseconds) {
            FakeKernel.Part part = parts.poll();
            if (part == null) {
                closed = true;
                return Optional.empty();
            }
            return Optional.of(part.take(0));
        }

        @Override
        public int portId() {
            return FakeKernel.PORT;
        }

        @Override
        public boolean isClosed() {
            return closed;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private List<String> watched(FakeKernel.Part... parts) throws InterruptedException {
        Watch watch = new Watch(
                "test-watch", new Once(parts), message -> log.add("type " + message.type()), () -> log.add("lost"));
        watch.start();
        for (int i = 0; watch.isAwake() && i < 1000; i++) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        assertThat(watch.isAwake()).isFalse();
        return log;
    }

    private static Datagram note(int type) {
        return FakeKernel.datagram(FakeKernel.message(type, 0, 0, 0, new byte[0]));
    }

    @Test
    void every_message_is_handed_on_until_the_channel_closes() throws Exception {
        assertThat(watched(s -> note(20), s -> FakeKernel.datagram(note(21).bytes(), note(22).bytes())))
                .containsExactly("type 20", "type 21", "type 22");
    }

    @Test
    void an_overflow_of_the_queue_means_that_anything_may_have_changed() throws Exception {
        assertThat(watched(
                        s -> {
                            throw new NativeException("recvfrom", Errno.ENOBUFS, "receiving");
                        },
                        s -> note(20)))
                .containsExactly("lost", "type 20");
    }

    @Test
    void cut_and_malformed_notifications_mean_that_anything_may_have_changed() throws Exception {
        assertThat(watched(
                        s -> new Datagram(note(20).bytes(), 0, true),
                        s -> new Datagram(new byte[7], 0, false),
                        s -> note(21)))
                .containsExactly("lost", "lost", "type 21");
    }

    @Test
    void what_another_process_sends_is_ignored() throws Exception {
        assertThat(watched(s -> new Datagram(note(20).bytes(), 99, false))).isEmpty();
    }
}
