package li.wlz.kuport.ffm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * A table of the older iptables (ip_tables) in the network namespace of the thread that asks.
 *
 * <p>{@code iptables-legacy-save} reads it through a raw socket, for which it needs CAP_NET_RAW. The kernel gives it through a
 * socket of any kind, and asks for CAP_NET_ADMIN alone.
 */
public final class LegacyTable {
    /** How often a table may be replaced by another between two calls. */
    private static final int TRIES = 10;

    private final int domain;
    private final int level;
    private final String name;

    private LegacyTable(int domain, int level, String name) {
        this.domain = domain;
        this.level = level;
        this.name = name;
    }

    /** A table of iptables; to ask for one that is not there makes it. */
    public static LegacyTable ipv4(String name) {
        return new LegacyTable(Layouts.AF_INET, Layouts.SOL_IP, name);
    }

    /** A table of ip6tables; to ask for one that is not there makes it. */
    public static LegacyTable ipv6(String name) {
        return new LegacyTable(Layouts.AF_INET6, Layouts.SOL_IPV6, name);
    }

    /**
     * Whether a text occurs in it as it is: as the name of a chain or of a target, as a comment.
     *
     * @param text of ASCII letters
     * @throws NativeException if the kernel refuses
     */
    public boolean mentions(String text) {
        Native.requireAccess();
        String tried = "reading the table " + name + " of iptables-legacy";
        int fd = Libc.socket(domain, Layouts.SOCK_DGRAM | Layouts.SOCK_CLOEXEC, 0, tried);
        try {
            return new String(entries(fd, tried), StandardCharsets.ISO_8859_1).contains(text);
        } finally {
            Libc.close(fd, tried);
        }
    }

    private byte[] entries(int fd, String tried) {
        for (int left = TRIES; ; left--) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment info = arena.allocate(Layouts.IPT_GETINFO);
                info.setString(0, name);
                Libc.getsockopt(fd, level, Layouts.IPT_SO_GET_INFO, info, tried);
                int size = info.get(JAVA_INT, Layouts.INFO_SIZE);
                MemorySegment entries = arena.allocate(Layouts.IPT_GET_ENTRIES.byteSize() + size, 8);
                entries.setString(0, name);
                entries.set(JAVA_INT, Layouts.ENTRIES_SIZE, size);
                Libc.getsockopt(fd, level, Layouts.IPT_SO_GET_ENTRIES, entries, tried);
                return entries.toArray(JAVA_BYTE);
            } catch (NativeException e) {
                // It has another size by now.
                if (e.errno() != Errno.EAGAIN || left == 0) {
                    throw e;
                }
            }
        }
    }
}
