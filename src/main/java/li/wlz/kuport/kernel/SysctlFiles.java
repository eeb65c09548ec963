package li.wlz.kuport.kernel;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Sysctls;
import li.wlz.kuport.reconcile.spi.NodeException;

/** The kernel's settings (ip-sysctl), read from /proc/sys/net, which shows those of the reading thread's network namespace. */
final class SysctlFiles {
    private static final int LONGEST = 4096;

    private final Path net;

    /** @param net {@code /proc/sys/net} */
    SysctlFiles(Path net) {
        this.net = net;
    }

    /**
     * Reads those that delivery depends on.
     *
     * @throws NodeException if one cannot be read
     */
    Sysctls read() {
        String[] ports = required("ipv4/ip_local_port_range").split("\\s+", 2);
        // The folder is missing where the kernel has no IPv6.
        Optional<String> disabled6 = text("ipv6/conf/default/disable_ipv6");
        return new Sysctls(
                required("ipv4/ip_forward").equals("1"),
                text("ipv6/conf/all/forwarding").orElse("0").equals("1"),
                disabled6.isPresent() && disabled6.get().equals("0"),
                Integer.parseInt(required("ipv4/conf/all/rp_filter")),
                new PortRange(Integer.parseInt(ports[0]), Integer.parseInt(ports[1])));
    }

    /**
     * A setting that is a number; 0 where the kernel has no such setting.
     *
     * @param name {@code netfilter/nf_conntrack_max}
     * @throws NodeException if it cannot be read
     */
    long number(String name) {
        return text(name).map(Long::parseLong).orElse(0L);
    }

    private String required(String name) {
        return text(name).orElseThrow(() -> new NodeException("there is no " + net.resolve(name)));
    }

    private Optional<String> text(String name) {
        Path file = net.resolve(name);
        try {
            return Optional.of(firstRead(file).strip());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new NodeException("reading " + file + ": " + e.getMessage(), e);
        }
    }

    /** The kernel tells a setting's value in the first read alone, cut to its length; JDK's readers begin with one byte. */
    private static String firstRead(Path file) throws IOException {
        byte[] buffer = new byte[LONGEST];
        try (InputStream in = Files.newInputStream(file)) {
            return new String(buffer, 0, Math.max(0, in.read(buffer)), StandardCharsets.US_ASCII);
        }
    }
}
