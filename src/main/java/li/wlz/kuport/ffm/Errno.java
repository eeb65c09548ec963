package li.wlz.kuport.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The kernel's error numbers (errno(3)): those that are told apart, and the names of all. */
public final class Errno {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int ESRCH = 3;
    public static final int EINTR = 4;
    public static final int ENXIO = 6;
    public static final int EAGAIN = 11;
    public static final int EEXIST = 17;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;
    public static final int EAFNOSUPPORT = 97;
    public static final int EADDRNOTAVAIL = 99;
    public static final int ENOBUFS = 105;
    public static final int EOPNOTSUPP = 95;

    /** Longer than any name or description that libc has. */
    private static final long LONGEST = 256;

    private static final FunctionDescriptor TEXT_OF_NUMBER = FunctionDescriptor.of(ADDRESS, JAVA_INT);
    private static final MethodHandle NAME = Native.libc("strerrorname_np", TEXT_OF_NUMBER);
    private static final MethodHandle DESCRIPTION = Native.libc("strerrordesc_np", TEXT_OF_NUMBER);

    private Errno() {}

    /** {@code EPERM (Operation not permitted)}; {@code errno 4711} for a number that libc doesn't know. */
    public static String describe(int errno) {
        String name = text(NAME, errno);
        return name.isEmpty() ? "errno " + errno : name + " (" + text(DESCRIPTION, errno) + ")";
    }

    private static String text(MethodHandle function, int errno) {
        try {
            MemorySegment text = (MemorySegment) function.invokeExact(errno);
            return Native.isNull(text) ? "" : text.reinterpret(LONGEST).getString(0);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }
}
