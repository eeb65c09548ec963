package li.wlz.kuport.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalInt;
import li.wlz.kuport.netlink.Message;
import org.junit.jupiter.api.Test;

class TableWatchTest {
    private static final int INET = 1;

    private int foreign;
    private final TableWatch watch = new TableWatch(() -> foreign++);

    private void about(int family, String table) {
        byte[] name = Arrays.copyOf(table.getBytes(StandardCharsets.UTF_8), table.length() + 1);
        ByteBuffer body = ByteBuffer.allocate(8 + name.length)
                .order(ByteOrder.nativeOrder())
                .put((byte) family)
                .put(new byte[3])
                .putShort((short) (4 + name.length))
                .putShort((short) 1)
                .put(name);
        take(10 << 8 | 12, body.array());
    }

    private void generation(int number) {
        ByteBuffer body = ByteBuffer.allocate(12)
                .order(ByteOrder.nativeOrder())
                .putInt(0)
                .putShort((short) 8)
                .putShort((short) 1)
                .order(ByteOrder.BIG_ENDIAN)
                .putInt(number);
        take(10 << 8 | 15, body.array());
    }

    private void take(int type, byte[] body) {
        Message.split(FakeKernel.message(type, 0, 0, 0, body)).forEach(watch::take);
    }

    @Test
    void a_foreign_transaction_about_our_table_counts_once() {
        about(INET, "kuport");
        about(INET, "kuport");
        assertThat(foreign).as("before its end").isZero();
        generation(5);
        assertThat(foreign).isEqualTo(1);
        generation(6);
        assertThat(foreign).as("the next is another's").isEqualTo(1);
    }

    @Test
    void transactions_about_other_tables_never_count() {
        for (int number = 1; number < 1000; number++) {
            about(INET, "kube-proxy");
            about(2, "kuport");
            generation(number);
        }
        assertThat(foreign).isZero();
    }

    @Test
    void our_own_transaction_does_not_count_whether_it_is_seen_before_or_after_our_script_ends() {
        watch.begin();
        about(INET, "kuport");
        generation(5);
        watch.end(OptionalInt.of(5));
        watch.begin();
        watch.end(OptionalInt.of(6));
        about(INET, "kuport");
        generation(6);
        assertThat(foreign).isZero();
    }

    @Test
    void a_foreign_transaction_during_our_script_counts() {
        watch.begin();
        about(INET, "kuport");
        generation(5);
        about(INET, "kuport");
        generation(6);
        watch.end(OptionalInt.of(6));
        assertThat(foreign).isEqualTo(1);
    }

    @Test
    void when_it_cannot_be_told_whose_a_transaction_was_it_counts() {
        watch.begin();
        about(INET, "kuport");
        generation(5);
        watch.end(OptionalInt.empty());
        assertThat(foreign).isEqualTo(1);
    }
}
