package li.wlz.kuport.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class NativeAccessTest {
    /** What a virtual machine without native access is told to run. */
    static final class Door {
        private Door() {}

        public static void main(String[] arguments) {
            switch (arguments[0]) {
                case "netlink" ->
                    NetlinkSocket.open(NetlinkSocket.NETLINK_ROUTE).close();
                case "nftables" -> Nftables.open().close();
                default -> NetworkNamespace.enter(Path.of("/proc/self/ns/net"));
            }
        }
    }

    @Test
    void every_door_names_the_flag_when_the_virtual_machine_denies_native_access() throws Exception {
        for (String door : new String[] {"netlink", "nftables", "namespace"}) {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "--illegal-native-access=deny",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Door.class.getName(),
                            door)
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(door).isEqualTo(1);
            assertThat(output)
                    .startsWith("Exception in thread \"main\" java.lang.IllegalStateException: ")
                    .contains("--enable-native-access=ALL-UNNAMED");
        }
    }
}
