package li.wlz.kuport.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Functions of libc, one method each. All throw {@link NativeException} where the function fails. */
final class Libc {
    private static final MethodHandle SOCKET =
            Native.libcWithErrno("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle BIND =
            Native.libcWithErrno("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle GETSOCKNAME =
            Native.libcWithErrno("getsockname", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle SETSOCKOPT = Native.libcWithErrno(
            "setsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle GETSOCKOPT = Native.libcWithErrno(
            "getsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle SENDTO = Native.libcWithErrno(
            "sendto", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle RECVFROM = Native.libcWithErrno(
            "recvfrom", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle POLL =
            Native.libcWithErrno("poll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle EVENTFD =
            Native.libcWithErrno("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle EVENTFD_WRITE =
            Native.libcWithErrno("eventfd_write", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle OPEN =
            Native.libcWithErrno("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle CLOSE = Native.libcWithErrno("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle SETNS =
            Native.libcWithErrno("setns", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

    private Libc() {}

    /** socket(2): the descriptor of a new socket. */
    static int socket(int domain, int type, int protocol, String tried) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Native.CALL_STATE);
            int result = (int) SOCKET.invokeExact(state, domain, type, protocol);
            return (int) checked(result, "socket", state, tried);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /** bind(2) to an address that lies in the segment. */
    static void bind(int fd, MemorySegment address, String tried) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Native.CALL_STATE);
            int result = (int) BIND.invokeExact(state, fd, address, (int) address.byteSize());
            checked(result, "bind", state, tried);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /** getsockname(2), into the segment. */
    static void getsockname(int fd, MemorySegment address, String tried) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Native.CALL_STATE);
            MemorySegment length = arena.allocateFrom(JAVA_INT, (int) address.byteSize());
            int result = (int) GETSOCKNAME.invokeExact(state, fd, address, length);
            checked(result, "getsockname", state, tried);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /** setsockopt(2) of an option that is an int. */
    static void setsockopt(int fd, int level, int option, int value, String tried) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Native.CALL_STATE);
            MemorySegment pointer = arena.allocateFrom(JAVA_INT, value);
            int result = (int) SETSOCKOPT.invokeExact(state, fd, level, option, pointer, Integer.BYTES);
            checked(result, "setsockopt", state, tried);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /** getsockopt(2) of an option that fills the segment. */
    static void getsockopt(int fd, int level, int option, MemorySegment value, String tried) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Native.CALL_STATE);
            MemorySegment length = arena.allocateFrom(JAVA_INT, (int) value.byteSize());
            int result = (int) GETSOCKOPT.invokeExact(state, fd, level, option, value, length);
            checked(result, "getsockopt", state, tried);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /** sendto(2) of the whole segment. */
    static void sendto(int fd, MemorySegment bytes, MemorySegment address, String tried) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Native.CALL_STATE);
            long result =
                    (long) SENDTO.invokeExact(state, fd, bytes, bytes.byteSize(), 0, address, (int) address.byteSize());
            checked(result, "sendto", state, tried);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /** recvfrom(2) of one datagram: its length, which is greater than the segment if it was cut (MSG_TRUNC). Never waits. */
    static long recvfrom(int fd, MemorySegment bytes, MemorySegment address, String tried) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Native.CALL_STATE);
            MemorySegment length = arena.allocateFrom(JAVA_INT, (int) address.byteSize());
            int flags = Layouts.MSG_TRUNC | Layouts.MSG_DONTWAIT;
            long result = (long) RECVFROM.invokeExact(state, fd, bytes, bytes.byteSize(), flags, address, length);
            return checked(result, "recvfrom", state, tried);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /** poll(2) of an array of {@link Layouts#POLLFD}: how many have something, 0 when the time ran out; -1 waits for ever. */
    static int poll(MemorySegment descriptors, int milliseconds, String tried) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Native.CALL_STATE);
            long count = descriptors.byteSize() / Layouts.POLLFD.byteSize();
            int result = (int) POLL.invokeExact(state, descriptors, count, milliseconds);
            return (int) checked(result, "poll", state, tried);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /** eventfd(2): a descriptor that another thread wakes a poll by. */
    static int eventfd(String tried) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Native.CALL_STATE);
            int result = (int) EVENTFD.invokeExact(state, 0, Layouts.EFD_CLOEXEC);
            return (int) checked(result, "eventfd", state, tried);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /** eventfd_write(3). */
    static void eventfdWrite(int fd, String tried) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Native.CALL_STATE);
            int result = (int) EVENTFD_WRITE.invokeExact(state, fd, 1L);
            checked(result, "eventfd_write", state, tried);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /** open(2) for reading. */
    static int open(String path, String tried) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Native.CALL_STATE);
            int flags = Layouts.O_RDONLY | Layouts.O_CLOEXEC;
            int result = (int) OPEN.invokeExact(state, arena.allocateFrom(path), flags);
            return (int) checked(result, "open", state, tried);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /** close(2). */
    static void close(int fd, String tried) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Native.CALL_STATE);
            int result = (int) CLOSE.invokeExact(state, fd);
            checked(result, "close", state, tried);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /** setns(2) of the calling thread. */
    static void setns(int fd, int kind, String tried) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Native.CALL_STATE);
            int result = (int) SETNS.invokeExact(state, fd, kind);
            checked(result, "setns", state, tried);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    private static long checked(long result, String call, MemorySegment state, String tried) {
        if (result < 0) {
            throw new NativeException(call, Native.errno(state), tried);
        }
        return result;
    }
}
