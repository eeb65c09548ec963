package li.wlz.kuport.plan;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.Map;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MacAddress;

/**
 * What nodes call each other inside the link: addresses and MACs that every node computes alike from names, so that nothing is
 * agreed on and no number can shift.
 *
 * <p>The input is hashed by SHA-256: UTF-8 text, names separated by NUL, which no name holds. A link address is the range's
 * prefix followed by the first bits of the hash; a MAC is one byte that says "locally administered, unicast" followed by the
 * first 40 bits. Nodes of different releases must agree, so {@code link-addresses.txt} among the test resources fixes examples.
 */
final class LinkAddresses {
    private static final int MAC_PREFIX = 0x6a;
    private static final long LIMITED_BROADCAST = 0xffff_ffffL;

    private final Cidr range4;
    private final Cidr range6;
    private final Map<Name, Both> addresses = new HashMap<>();
    private final Map<String, MacAddress> macs = new HashMap<>();

    private record Name(String from, String to, String entryPoint) {}

    private record Both(IpAddress v4, IpAddress v6) {}

    LinkAddresses(Cidr range4, Cidr range6) {
        this.range4 = range4;
        this.range6 = range6;
    }

    /** What the accepting node {@code from} sends to node {@code to} for what was dialled at an entry point of {@code from}. */
    IpAddress towards(IpFamily family, String from, String to, String entryPoint) {
        Both both = addresses.computeIfAbsent(new Name(from, to, entryPoint), this::compute);
        return family == IpFamily.IPV4 ? both.v4 : both.v6;
    }

    /** The address that a node's link device holds. */
    IpAddress own(IpFamily family, String node) {
        return towards(family, node, node, "");
    }

    /** The next hop of replies that {@code from} sends back to {@code to}. */
    IpAddress gateway(IpFamily family, String from, String to) {
        return towards(family, from, to, "");
    }

    /** The MAC address of a node's link device. */
    MacAddress mac(String node) {
        return macs.computeIfAbsent(node, name -> {
            byte[] digest = sha256(name.getBytes(StandardCharsets.UTF_8));
            return MacAddress.of(ByteBuffer.allocate(6)
                    .put((byte) MAC_PREFIX)
                    .put(digest, 0, 5)
                    .array());
        });
    }

    private Both compute(Name name) {
        byte[] input = (name.from + '\0' + name.to + '\0' + name.entryPoint).getBytes(StandardCharsets.UTF_8);
        byte[] digest = sha256(input);
        return new Both(usable(range4, digest), usable(range6, digest));
    }

    private static IpAddress usable(Cidr range, byte[] digest) {
        byte[] bits = digest;
        IpAddress address = within(range, bits);
        while (address.equals(range.network())
                || (address.family() == IpFamily.IPV4 && address.low() == LIMITED_BROADCAST)) {
            bits = sha256(bits);
            address = within(range, bits);
        }
        return address;
    }

    private static IpAddress within(Cidr range, byte[] bits) {
        int prefix = range.prefixLength();
        ByteBuffer hash = ByteBuffer.wrap(bits);
        if (range.family() == IpFamily.IPV4) {
            long host = Integer.toUnsignedLong(hash.getInt(0)) >>> prefix;
            return new IpAddress(IpFamily.IPV4, 0, range.network().low() | host);
        }
        long first = hash.getLong(0);
        long second = hash.getLong(8);
        long high = prefix < 64 ? first >>> prefix : 0;
        long low = prefix == 0
                ? second
                : prefix < 64 ? first << (64 - prefix) | second >>> prefix : first >>> (prefix - 64);
        return new IpAddress(
                IpFamily.IPV6, range.network().high() | high, range.network().low() | low);
    }

    private static byte[] sha256(byte[] input) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(input);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
