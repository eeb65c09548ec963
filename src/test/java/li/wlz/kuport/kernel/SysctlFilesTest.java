package li.wlz.kuport.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Sysctls;
import li.wlz.kuport.reconcile.spi.NodeException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SysctlFilesTest {
    @TempDir
    Path net;

    private void set(String name, String value) throws IOException {
        Files.createDirectories(net.resolve(name).getParent());
        Files.writeString(net.resolve(name), value + "\n");
    }

    @BeforeEach
    void aKernelWithoutIpv6() throws IOException {
        set("ipv4/ip_forward", "1");
        set("ipv4/conf/all/rp_filter", "2");
        set("ipv4/ip_local_port_range", "32768\t60999");
    }

    @Test
    void a_kernel_without_ipv6_is_told_as_such() {
        assertThat(new SysctlFiles(net).read())
                .isEqualTo(new Sysctls(true, false, false, 2, new PortRange(32768, 60999)));
    }

    @Test
    void ipv6_counts_only_if_it_is_not_disabled_for_new_devices() throws IOException {
        set("ipv6/conf/all/forwarding", "1");
        set("ipv6/conf/default/disable_ipv6", "1");
        assertThat(new SysctlFiles(net).read().ipv6()).isFalse();
        set("ipv6/conf/default/disable_ipv6", "0");
        assertThat(new SysctlFiles(net).read())
                .isEqualTo(new Sysctls(true, true, true, 2, new PortRange(32768, 60999)));
    }

    @Test
    void a_missing_setting_is_named() throws IOException {
        Files.delete(net.resolve("ipv4/ip_forward"));
        assertThatThrownBy(() -> new SysctlFiles(net).read())
                .isInstanceOf(NodeException.class)
                .hasMessageContaining("ipv4/ip_forward");
    }
}
