package li.wlz.kuport.model;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * An IPv4 or IPv6 address without a zone.
 *
 * <p>Printed as RFC 5952 has it, so equal addresses print alike. IPv4 sorts before IPv6, within a family numerically.
 *
 * @param high the upper 64 bits of an IPv6 address; 0 for IPv4
 * @param low the lower 64 bits of an IPv6 address; an IPv4 address as an unsigned 32-bit number
 */
public record IpAddress(IpFamily family, long high, long low) implements Comparable<IpAddress> {
    public IpAddress {
        if (family == IpFamily.IPV4 && (high != 0 || low >>> 32 != 0)) {
            throw new IllegalArgumentException("an IPv4 address has 32 bits");
        }
    }

    /**
     * Reads an address in text form; never asks DNS.
     *
     * @throws IllegalArgumentException if the text is no IPv4 address in dotted decimal and no IPv6 address, or has a zone
     */
    public static IpAddress parse(String text) {
        return tryParse(text)
                .orElseThrow(() -> new IllegalArgumentException("\"" + text + "\" is not an IPv4 or IPv6 address"));
    }

    /** As {@link #parse}, empty where the text is no address. */
    public static Optional<IpAddress> tryParse(String text) {
        return text.indexOf(':') >= 0 ? parse6(text) : parse4(text);
    }

    /**
     * An address from its bytes in network order.
     *
     * @throws IllegalArgumentException if there are not 4 or 16
     */
    public static IpAddress of(byte[] bytes) {
        return switch (bytes.length) {
            case 4 -> new IpAddress(IpFamily.IPV4, 0, number(bytes, 0, 4));
            case 16 -> new IpAddress(IpFamily.IPV6, number(bytes, 0, 8), number(bytes, 8, 8));
            default -> throw new IllegalArgumentException("an address has 4 or 16 bytes, not " + bytes.length);
        };
    }

    private static long number(byte[] bytes, int offset, int length) {
        long value = 0;
        for (int i = offset; i < offset + length; i++) {
            value = value << 8 | (bytes[i] & 0xff);
        }
        return value;
    }

    /** The address's bytes in network order: 4 or 16. */
    public byte[] bytes() {
        byte[] bytes = new byte[family.bytes()];
        for (int i = 0; i < bytes.length; i++) {
            int fromEnd = bytes.length - 1 - i;
            bytes[i] = (byte) ((fromEnd < 8 ? low : high) >>> (fromEnd % 8 * 8));
        }
        return bytes;
    }

    private static Optional<IpAddress> parse4(String text) {
        long value = 0;
        int at = 0;
        for (int part = 0; part < 4; part++) {
            int start = at;
            int number = 0;
            while (at < text.length() && at - start < 4 && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
                number = number * 10 + text.charAt(at++) - '0';
            }
            // A leading zero means octal to some readers and decimal to others.
            if (at == start || number > 255 || (at - start > 1 && text.charAt(start) == '0')) {
                return Optional.empty();
            }
            if (part < 3 && (at == text.length() || text.charAt(at++) != '.')) {
                return Optional.empty();
            }
            value = value << 8 | number;
        }
        return at == text.length() ? Optional.of(new IpAddress(IpFamily.IPV4, 0, value)) : Optional.empty();
    }

    private static Optional<IpAddress> parse6(String text) {
        if (text.indexOf('%') >= 0 || text.indexOf('[') >= 0 || text.length() > 45) {
            return Optional.empty();
        }
        try {
            byte[] bytes = InetAddress.ofLiteral(text).getAddress();
            if (bytes.length == 4) {
                // The JDK turns ::ffff:192.0.2.1 into IPv4; on the wire and in the kernel it is an IPv6 address.
                return Optional.of(new IpAddress(IpFamily.IPV6, 0, 0xffff_0000_0000L | number(bytes, 0, 4)));
            }
            return Optional.of(of(bytes));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** {@code 0.0.0.0} or {@code ::}. */
    public static IpAddress unspecified(IpFamily family) {
        return new IpAddress(family, 0, 0);
    }

    public boolean isUnspecified() {
        return high == 0 && low == 0;
    }

    /** Whether the address lies in 127/8 or is {@code ::1}. */
    public boolean isLoopback() {
        return family == IpFamily.IPV4 ? low >>> 24 == 127 : high == 0 && low == 1;
    }

    /** Whether the address lies in 169.254/16 or fe80::/10. */
    public boolean isLinkLocal() {
        return family == IpFamily.IPV4 ? low >>> 16 == 0xa9fe : high >>> 54 == 0x3fa;
    }

    /** Whether the address lies in 224/4 or ff00::/8. */
    public boolean isMulticast() {
        return family == IpFamily.IPV4 ? low >>> 28 == 0xe : high >>> 56 == 0xff;
    }

    /** Whether the address is meant for a private network: RFC 1918 or a unique local address (RFC 4193). */
    public boolean isPrivate() {
        return family == IpFamily.IPV4
                ? low >>> 24 == 10 || low >>> 20 == 0xac1 || low >>> 16 == 0xc0a8
                : high >>> 57 == 0x7e;
    }

    /** Whether the address lies in the shared address space 100.64/10 (RFC 6598), where many meshes live. */
    public boolean isShared() {
        return family == IpFamily.IPV4 && low >>> 22 == 0x191;
    }

    /** Whether the address means the same host everywhere; those set aside for documentation count. */
    public boolean isGlobal() {
        return !(isUnspecified()
                || isLoopback()
                || isLinkLocal()
                || isMulticast()
                || isPrivate()
                || isShared()
                || (family == IpFamily.IPV4 && (low >>> 24 == 0 || low >>> 28 == 0xf)));
    }

    @Override
    public int compareTo(IpAddress other) {
        int byFamily = family.compareTo(other.family);
        if (byFamily != 0) {
            return byFamily;
        }
        int byHigh = Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }

    @Override
    public String toString() {
        return family == IpFamily.IPV4 ? text4(low) : text6();
    }

    private static String text4(long value) {
        return (value >>> 24 & 0xff) + "." + (value >>> 16 & 0xff) + "." + (value >>> 8 & 0xff) + "." + (value & 0xff);
    }

    private String text6() {
        if (high == 0 && low >>> 32 == 0xffff) {
            return "::ffff:" + text4(low & 0xffff_ffffL);
        }
        int[] groups = new int[8];
        for (int i = 0; i < 8; i++) {
            groups[i] = (int) ((i < 4 ? high : low) >>> ((3 - i % 4) * 16)) & 0xffff;
        }
        // RFC 5952: the first longest run of two or more zero groups becomes "::".
        int runStart = -1;
        int runLength = 1;
        for (int i = 0; i < 8; i++) {
            int end = i;
            while (end < 8 && groups[end] == 0) {
                end++;
            }
            if (end - i > runLength) {
                runStart = i;
                runLength = end - i;
            }
            i = Math.max(i, end - 1);
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            if (i == runStart) {
                text.append("::");
                i += runLength - 1;
                continue;
            }
            if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
                text.append(':');
            }
            text.append(Integer.toHexString(groups[i]));
        }
        return text.toString();
    }

    /** The JDK's form of this address. */
    public InetAddress toInetAddress() {
        try {
            return InetAddress.getByAddress(bytes());
        } catch (UnknownHostException e) {
            throw new AssertionError("4 or 16 bytes are always an address", e);
        }
    }
}
