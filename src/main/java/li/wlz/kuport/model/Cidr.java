package li.wlz.kuport.model;

import java.util.Comparator;
import java.util.Optional;

/**
 * A block of addresses, {@code 10.244.0.0/16} or {@code fd6b:7570:77::/48}.
 *
 * @param network the block's first address; bits behind the prefix are zero
 * @param prefixLength in bits
 */
public record Cidr(IpAddress network, int prefixLength) implements Comparable<Cidr> {
    private static final Comparator<Cidr> ORDER =
            Comparator.comparing(Cidr::network).thenComparingInt(Cidr::prefixLength);

    public Cidr {
        if (prefixLength < 0 || prefixLength > network.family().bits()) {
            throw new IllegalArgumentException("a prefix of " + network.family() + " has 0 to "
                    + network.family().bits() + " bits, not " + prefixLength);
        }
        if (!masked(network, prefixLength).equals(network)) {
            throw new IllegalArgumentException(network + "/" + prefixLength + " has bits behind the prefix; meant is "
                    + masked(network, prefixLength) + "/" + prefixLength);
        }
    }

    /** The block of the given length that the address lies in. */
    public static Cidr containing(IpAddress address, int prefixLength) {
        return new Cidr(masked(address, prefixLength), prefixLength);
    }

    /**
     * Reads {@code address/length}.
     *
     * @throws IllegalArgumentException if it is not of that form, or has bits behind the prefix
     */
    public static Cidr parse(String text) {
        int slash = text.indexOf('/');
        Optional<IpAddress> address = slash < 0 ? Optional.empty() : IpAddress.tryParse(text.substring(0, slash));
        if (address.isEmpty() || !text.substring(slash + 1).matches("[0-9]{1,3}")) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not an address block such as 10.0.0.0/8 or fd00::/8");
        }
        return new Cidr(address.get(), Integer.parseInt(text.substring(slash + 1)));
    }

    public IpFamily family() {
        return network.family();
    }

    public boolean contains(IpAddress address) {
        return address.family() == network.family()
                && masked(address, prefixLength).equals(network);
    }

    /** Whether one of the two blocks contains the other. */
    public boolean overlaps(Cidr other) {
        return prefixLength <= other.prefixLength ? contains(other.network) : other.contains(network);
    }

    private static IpAddress masked(IpAddress address, int prefixLength) {
        int drop = address.family().bits() - prefixLength;
        long low = drop >= 64 ? 0 : address.low() & -1L << drop;
        long high = drop <= 64 ? address.high() : drop >= 128 ? 0 : address.high() & -1L << (drop - 64);
        return new IpAddress(address.family(), high, low);
    }

    @Override
    public int compareTo(Cidr other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return network + "/" + prefixLength;
    }
}
