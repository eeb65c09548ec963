package li.wlz.kuport.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ErrnoTest {
    @Test
    void a_number_is_described_by_name_and_text() {
        assertThat(Errno.describe(Errno.EPERM)).isEqualTo("EPERM (Operation not permitted)");
        assertThat(Errno.describe(Errno.ENOBUFS)).isEqualTo("ENOBUFS (No buffer space available)");
    }

    @Test
    void a_number_that_libc_does_not_know_is_described_by_itself() {
        assertThat(Errno.describe(4711)).isEqualTo("errno 4711");
    }

    @Test
    void an_exception_names_what_was_tried_the_call_and_the_error() {
        NativeException e = new NativeException("bind", Errno.EPERM, "opening a door");
        assertThat(e).hasMessage("opening a door: bind: EPERM (Operation not permitted)");
        assertThat(e.errno()).isEqualTo(1);
    }
}
