package li.wlz.kuport.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import li.wlz.kuport.ScratchNamespace;
import org.junit.jupiter.api.Test;

class NetworkNamespaceNetnsIT {
    @Test
    void only_the_calling_thread_moves() throws Exception {
        try (ScratchNamespace namespace = new ScratchNamespace()) {
            namespace.sh("ip link add only-inside type bridge");
            Path devices = Path.of("/proc/thread-self/net/dev");
            assertThat(namespace.call(() -> Files.readString(devices))).contains("only-inside");
            assertThat(Files.readString(devices)).doesNotContain("only-inside");
        }
    }

    @Test
    void a_virtual_thread_is_refused() throws Exception {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        NetworkNamespace.enter(Path.of("/proc/self/ns/net"));
                    } catch (IllegalStateException e) {
                        thrown.set(e);
                    }
                })
                .join();
        assertThat(thrown.get()).hasMessageContaining("platform thread");
    }

    @Test
    void a_missing_namespace_is_named() {
        assertThatThrownBy(() -> NetworkNamespace.enter(Path.of("/run/netns/nowhere")))
                .isInstanceOf(NativeException.class)
                .hasMessage(
                        "entering the network namespace /run/netns/nowhere: open: ENOENT (No such file or directory)");
    }

    @Test
    void a_namespace_of_another_kind_is_refused() {
        assertThatThrownBy(() -> NetworkNamespace.enter(Path.of("/proc/self/ns/uts")))
                .isInstanceOf(NativeException.class)
                .hasMessageContaining("setns: EINVAL");
    }
}
