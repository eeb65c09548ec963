package li.wlz.kuport.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import li.wlz.kuport.netlink.Message;
import org.junit.jupiter.api.Test;

class XtablesWatchTest {
    private static final int INET = 1;
    private static final int IPV4 = 2;
    private static final int IPV6 = 10;

    /** NFT_MSG_* of linux/netfilter/nf_tables.h, and the attribute with the chain's name. */
    private static final int DELETED_CHAIN = 5;

    private static final int CHAIN_NAME = 3;
    private static final int NEW_RULE = 6;
    private static final int DELETED_RULE = 8;
    private static final int RULE_CHAIN = 2;
    private static final int GENERATION = 15;

    private int changes;
    private final XtablesWatch watch = new XtablesWatch(() -> changes++);

    private void take(int type, int family, int attribute, byte[] value) {
        int padding = -value.length & 3;
        byte[] body = ByteBuffer.allocate(8 + value.length + padding)
                .order(ByteOrder.nativeOrder())
                .put((byte) family)
                .put(new byte[3])
                .putShort((short) (4 + value.length))
                .putShort((short) attribute)
                .put(value)
                .array();
        Message.split(FakeKernel.message(10 << 8 | type, 0, 0, 0, body)).forEach(watch::take);
    }

    private void about(int type, int family, int attribute, String chain) {
        take(type, family, attribute, Arrays.copyOf(chain.getBytes(StandardCharsets.UTF_8), chain.length() + 1));
    }

    private void end() {
        take(GENERATION, 0, 1, new byte[4]);
    }

    @Test
    void F1_a_transaction_about_our_chains_or_what_leads_to_them_counts_once_at_its_end() {
        about(DELETED_RULE, IPV4, RULE_CHAIN, "KUPORT-PRE");
        about(DELETED_RULE, IPV4, RULE_CHAIN, "KUPORT-PRE");
        assertThat(changes).as("before its end").isZero();
        end();
        assertThat(changes).isEqualTo(1);
        about(DELETED_CHAIN, IPV6, CHAIN_NAME, "KUPORT-OUT");
        end();
        about(NEW_RULE, IPV6, RULE_CHAIN, "POSTROUTING");
        end();
        assertThat(changes).isEqualTo(3);
    }

    @Test
    void what_kube_proxy_does_all_day_never_counts() {
        for (String chain : new String[] {"KUBE-SERVICES", "KUBE-POSTROUTING", "KUBE-SEP-A"}) {
            about(NEW_RULE, IPV4, RULE_CHAIN, chain);
            about(DELETED_CHAIN, IPV4, CHAIN_NAME, chain);
        }
        about(NEW_RULE, INET, RULE_CHAIN, "KUPORT-PRE");
        end();
        assertThat(changes).isZero();
    }
}
