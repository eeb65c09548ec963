package li.wlz.kuport.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * The nft program as a library, in this process (libnftables(3), nft(8)).
 *
 * <p>It works in the network namespace of the thread that opened it, and must be used by that thread alone.
 */
public final class Nftables implements AutoCloseable {
    private static final String LIBRARY = "libnftables.so.1";

    /** NFT_CTX_OUTPUT_* of nftables/libnftables.h. */
    private static final int STATELESS = 1 << 2;

    private static final int JSON = 1 << 4;
    private static final int NUMERIC = 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10;

    /** The longest output that is read: a listing of a million elements has half of it. */
    private static final long LONGEST = 256L * 1024 * 1024;

    /** How much of libnftables' words an exception holds: it quotes each refused line of a script. */
    private static final int LONGEST_ERROR = 4000;

    private final Functions functions;
    private final MemorySegment context;
    private boolean closed;

    /** The library's functions, found when the first context is made, since the library may be missing. */
    private static final class Functions {
        private final MethodHandle contextNew;
        private final MethodHandle contextFree;
        private final MethodHandle bufferOutput;
        private final MethodHandle bufferError;
        private final MethodHandle setFlags;
        private final MethodHandle setDryRun;
        private final MethodHandle run;
        private final MethodHandle output;
        private final MethodHandle error;
        private final MethodHandle strnlen;

        Functions(SymbolLookup library) {
            contextNew = Native.function(library, "nft_ctx_new", FunctionDescriptor.of(ADDRESS, JAVA_INT));
            contextFree = Native.function(library, "nft_ctx_free", FunctionDescriptor.ofVoid(ADDRESS));
            bufferOutput = Native.function(library, "nft_ctx_buffer_output", FunctionDescriptor.of(JAVA_INT, ADDRESS));
            bufferError = Native.function(library, "nft_ctx_buffer_error", FunctionDescriptor.of(JAVA_INT, ADDRESS));
            setFlags =
                    Native.function(library, "nft_ctx_output_set_flags", FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT));
            setDryRun =
                    Native.function(library, "nft_ctx_set_dry_run", FunctionDescriptor.ofVoid(ADDRESS, JAVA_BOOLEAN));
            run = Native.function(
                    library, "nft_run_cmd_from_buffer", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
            output = Native.function(library, "nft_ctx_get_output_buffer", FunctionDescriptor.of(ADDRESS, ADDRESS));
            error = Native.function(library, "nft_ctx_get_error_buffer", FunctionDescriptor.of(ADDRESS, ADDRESS));
            strnlen = Native.libc("strnlen", FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_LONG));
        }
    }

    private Nftables(Functions functions, MemorySegment context) {
        this.functions = functions;
        this.context = context;
    }

    /**
     * Makes a context.
     *
     * @throws NftablesException if the library is missing, or has no memory or no netlink socket
     */
    public static Nftables open() {
        Native.requireAccess();
        Functions functions = new Functions(library());
        try {
            MemorySegment context = (MemorySegment) functions.contextNew.invokeExact(0);
            if (Native.isNull(context)) {
                throw new NftablesException("libnftables could not make a context (nft_ctx_new)");
            }
            int output = (int) functions.bufferOutput.invokeExact(context);
            int error = (int) functions.bufferError.invokeExact(context);
            if (output != 0 || error != 0) {
                throw new NftablesException("libnftables has no memory for its output (nft_ctx_buffer_output)");
            }
            return new Nftables(functions, context);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    private static SymbolLookup library() {
        try {
            return SymbolLookup.libraryLookup(LIBRARY, Arena.global());
        } catch (IllegalArgumentException e) {
            throw new NftablesException(
                    LIBRARY + " was not found: install libnftables 1 (Debian: apt-get install libnftables1)", e);
        }
    }

    /**
     * Carries out an nft script as one transaction: {@code nft -f -}.
     *
     * @return what it prints, empty for most
     * @throws NftablesException if any of it is refused; nothing is changed then
     */
    public String run(String script) {
        return command(script, STATELESS | NUMERIC, false);
    }

    /**
     * Lets the kernel judge a script without changing anything: {@code nft --check -f -}.
     *
     * @throws NftablesException if any of it would be refused
     */
    public void check(String script) {
        command(script, STATELESS | NUMERIC, true);
    }

    /**
     * Runs a command that lists, such as {@code list table inet NAME}: as {@code nft -j -s -nn}, JSON without counters' values.
     *
     * @throws NftablesException if it is refused, so when the table does not exist
     */
    public String list(String command) {
        return command(command, JSON | STATELESS | NUMERIC, false);
    }

    /**
     * Runs a command that lists, as {@code nft -s} prints it for people, with names for states and protocols.
     *
     * @throws NftablesException if it is refused, so when there is no such thing
     */
    public String print(String command) {
        return command(command, STATELESS, false);
    }

    private String command(String script, int flags, boolean dryRun) {
        if (closed) {
            throw new IllegalStateException("libnftables was closed");
        }
        try (Arena arena = Arena.ofConfined()) {
            functions.setFlags.invokeExact(context, flags);
            functions.setDryRun.invokeExact(context, dryRun);
            int result = (int) functions.run.invokeExact(context, arena.allocateFrom(script));
            // Both are read whatever the result, since reading is what empties them.
            String output = text((MemorySegment) functions.output.invokeExact(context));
            String error = text((MemorySegment) functions.error.invokeExact(context));
            if (result != 0) {
                throw new NftablesException("nft: " + shortened(error.strip()));
            }
            return output;
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    private static String shortened(String error) {
        return error.length() <= LONGEST_ERROR ? error : error.substring(0, LONGEST_ERROR) + " ...";
    }

    private String text(MemorySegment pointer) throws Throwable {
        if (Native.isNull(pointer)) {
            return "";
        }
        long length = (long) functions.strnlen.invokeExact(pointer, LONGEST);
        if (length == LONGEST) {
            throw new NftablesException("libnftables printed more than " + LONGEST + " bytes");
        }
        return pointer.reinterpret(length + 1).getString(0);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            functions.contextFree.invokeExact(context);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }
}
