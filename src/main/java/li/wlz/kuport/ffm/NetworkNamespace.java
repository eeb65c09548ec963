package li.wlz.kuport.ffm;

import java.nio.file.Path;

/** The network namespace of a thread (network_namespaces(7)): a property of the operating system's thread. */
public final class NetworkNamespace {
    private NetworkNamespace() {}

    /**
     * Moves the calling thread into a network namespace, for good: as {@code ip netns exec NAME} does.
     *
     * <p>Sockets opened by the thread from then on belong there, whichever thread uses them; so does what the thread reads below
     * {@code /proc/thread-self/net} and {@code /proc/sys/net}. Threads that it starts begin in the same namespace.
     *
     * @param namespace its file, such as {@code /run/netns/NAME} or {@code /proc/PID/ns/net}
     * @throws NativeException if there is no such file, it is no network namespace, or CAP_SYS_ADMIN is missing
     * @throws IllegalStateException on a virtual thread: it would leave a carrier thread behind in the namespace
     */
    public static void enter(Path namespace) {
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("a virtual thread cannot enter the network namespace " + namespace
                    + ": it shares its operating system thread; use a platform thread");
        }
        Native.requireAccess();
        String tried = "entering the network namespace " + namespace;
        int fd = Libc.open(namespace.toString(), tried);
        try {
            Libc.setns(fd, Layouts.CLONE_NEWNET, tried);
        } finally {
            Libc.close(fd, tried);
        }
    }
}
