package li.wlz.kuport.ffm;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** How this package binds C functions: found by name, errno captured at each call. */
final class Native {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup LIBC = LINKER.defaultLookup();

    /** What a call that captures errno takes as its first argument. */
    static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();

    private static final VarHandle ERRNO =
            CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno")).withInvokeExactBehavior();

    private Native() {}

    /**
     * Makes sure that this program may call C at all. Each door of the package asks this first, since a failure in a static
     * initializer would hide the reason.
     *
     * @throws IllegalStateException that names the JVM's flag
     */
    static void requireAccess() {
        try {
            LINKER.downcallHandle(LIBC.findOrThrow("getpid"), FunctionDescriptor.of(ValueLayout.JAVA_INT));
        } catch (IllegalCallerException e) {
            throw new IllegalStateException(
                    "this Java virtual machine was not allowed to call native code, which kuport needs to speak with the"
                            + " kernel: start it with --enable-native-access=ALL-UNNAMED",
                    e);
        }
    }

    /** A function of libc that does not set errno. */
    static MethodHandle libc(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(LIBC.findOrThrow(name), descriptor);
    }

    /** A function of libc whose first argument becomes a segment of {@link #CALL_STATE}. */
    static MethodHandle libcWithErrno(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(LIBC.findOrThrow(name), descriptor, Linker.Option.captureCallState("errno"));
    }

    /** A function of another library. */
    static MethodHandle function(SymbolLookup library, String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(library.findOrThrow(name), descriptor);
    }

    /** The errno that a call left. */
    static int errno(MemorySegment callState) {
        return (int) ERRNO.get(callState, 0L);
    }

    /** Whether a pointer that C returned is NULL; such a segment is never Java's null. */
    static boolean isNull(MemorySegment pointer) {
        return pointer.address() == 0;
    }

    /** Passes on what a method handle may throw; a checked exception cannot come from C. */
    static RuntimeException unexpected(Throwable thrown) {
        return switch (thrown) {
            case RuntimeException e -> e;
            case Error e -> throw e;
            default -> throw new AssertionError("C functions throw nothing", thrown);
        };
    }
}
