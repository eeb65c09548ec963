package li.wlz.kuport.kernel;

import static li.wlz.kuport.kernel.FakeKernel.datagram;
import static li.wlz.kuport.kernel.FakeKernel.done;
import static li.wlz.kuport.kernel.FakeKernel.item;
import static li.wlz.kuport.kernel.FakeKernel.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import li.wlz.kuport.ffm.Errno;
import li.wlz.kuport.ffm.NativeException;
import li.wlz.kuport.ffm.NetlinkSocket.Datagram;
import li.wlz.kuport.netlink.LinkMessages;
import li.wlz.kuport.netlink.MalformedMessageException;
import li.wlz.kuport.netlink.Message;
import li.wlz.kuport.reconcile.spi.NodeException;
import org.junit.jupiter.api.Test;

class ConversationTest {
    private final FakeKernel kernel = new FakeKernel();

    private List<Integer> dump() {
        try (Conversation conversation = new Conversation(kernel.opener())) {
            return conversation.dump(
                    LinkMessages.dump(),
                    "things",
                    message -> List.of((int) message.body().get(0)));
        }
    }

    private FakeKernel wholeAnswer() {
        return kernel.answers(
                s -> datagram(item(s, 1, 0), item(s, 2, 0)), s -> datagram(item(s, 3, 0)), s -> datagram(done(s, 0)));
    }

    @Test
    void a_dump_is_read_over_all_its_parts() {
        wholeAnswer();
        assertThat(dump()).containsExactly(1, 2, 3);
        assertThat(kernel.asked).isEqualTo(1);
    }

    @Test
    void a_dump_that_a_change_interrupted_is_asked_for_again() {
        kernel.answers(
                s -> datagram(item(s, 7, 0)),
                s -> datagram(item(s, 8, Message.NLM_F_DUMP_INTR)),
                s -> datagram(done(s, 0)));
        kernel.answers(s -> datagram(item(s, 9, 0), done(s, Message.NLM_F_DUMP_INTR)));
        wholeAnswer();
        assertThat(dump()).containsExactly(1, 2, 3);
        assertThat(kernel.asked).isEqualTo(3);
        assertThat(kernel.opened).as("the socket is in step").isEqualTo(1);
    }

    @Test
    void a_dump_with_a_part_lost_is_asked_for_again_over_a_new_socket() {
        kernel.answers(s -> datagram(item(s, 7, 0)), s -> {
            throw new NativeException("recvfrom", Errno.ENOBUFS, "receiving");
        });
        wholeAnswer();
        assertThat(dump()).containsExactly(1, 2, 3);
        assertThat(kernel.opened).isEqualTo(2);
    }

    @Test
    void a_dump_that_was_cut_short_is_asked_for_again_over_a_new_socket() {
        kernel.answers(s -> new Datagram(item(s, 7, 0), 0, true));
        wholeAnswer();
        assertThat(dump()).containsExactly(1, 2, 3);
        assertThat(kernel.opened).isEqualTo(2);
    }

    @Test
    void a_dump_that_never_ends_is_asked_for_again_over_a_new_socket() {
        kernel.answers(s -> datagram(item(s, 7, 0)));
        wholeAnswer();
        assertThat(dump()).containsExactly(1, 2, 3);
        assertThat(kernel.opened).isEqualTo(2);
    }

    @Test
    void an_answer_to_another_question_is_never_taken() {
        kernel.answers(s -> datagram(item(s - 1, 7, 0)), s -> datagram(done(s - 1, 0)));
        wholeAnswer();
        assertThat(dump()).containsExactly(1, 2, 3);
        assertThat(kernel.opened).isEqualTo(2);
    }

    @Test
    void malformed_parts_are_asked_for_again() {
        kernel.answers(s -> new Datagram(new byte[] {1, 2, 3}, 0, false));
        wholeAnswer();
        assertThat(dump()).containsExactly(1, 2, 3);
        assertThat(kernel.opened).isEqualTo(2);
    }

    @Test
    void what_another_process_sends_is_ignored() {
        kernel.answers(
                s -> new Datagram(item(s, 66, 0), 1234, false),
                s -> datagram(item(s, 1, 0)),
                s -> datagram(done(s, 0)));
        assertThat(dump()).containsExactly(1);
        assertThat(kernel.asked).isEqualTo(1);
    }

    @Test
    void a_dump_that_is_never_whole_ends_in_an_exception_that_says_so() {
        for (int attempt = 0; attempt < 20; attempt++) {
            kernel.answers(s -> datagram(item(s, 7, Message.NLM_F_DUMP_INTR), done(s, 0)));
        }
        assertThatThrownBy(this::dump)
                .isInstanceOf(NodeException.class)
                .hasMessage(
                        "reading things: no whole answer in 20 attempts; at last the dump was interrupted by a change");
    }

    @Test
    void a_decoder_that_meets_malformed_content_makes_it_ask_again_and_keeps_nothing() {
        wholeAnswer();
        wholeAnswer();
        int[] calls = {0};
        try (Conversation conversation = new Conversation(kernel.opener())) {
            List<Integer> read = conversation.dump(LinkMessages.dump(), "things", message -> {
                if (++calls[0] == 2) {
                    throw new MalformedMessageException("short");
                }
                return List.of((int) message.body().get(0));
            });
            assertThat(read).containsExactly(1, 2, 3);
        }
        assertThat(kernel.opened).isEqualTo(2);
    }

    @Test
    void a_refused_dump_names_subject_and_error() {
        kernel.answers(s -> datagram(refusal(s, Errno.EPERM)));
        assertThatThrownBy(this::dump)
                .isInstanceOf(NativeException.class)
                .hasMessage("reading things: netlink: EPERM (Operation not permitted)");
    }

    @Test
    void a_change_is_asked_for_once_even_if_its_answer_is_lost() {
        kernel.answers();
        try (Conversation conversation = new Conversation(kernel.opener())) {
            assertThatThrownBy(() -> conversation.request(LinkMessages.dump()))
                    .isInstanceOf(NodeException.class)
                    .hasMessageContaining("lost");
            kernel.answers(s -> datagram(refusal(s, 0)));
            assertThat(conversation.request(LinkMessages.dump()).errno()).isZero();
        }
        assertThat(kernel.asked).isEqualTo(2);
    }
}
