package li.wlz.kuport.model;

/** The two families of internet addresses. */
public enum IpFamily {
    IPV4(4),
    IPV6(16);

    private final int bytes;

    IpFamily(int bytes) {
        this.bytes = bytes;
    }

    /** The length of an address, in bytes. */
    public int bytes() {
        return bytes;
    }

    /** The length of an address, in bits: the longest prefix. */
    public int bits() {
        return bytes * 8;
    }

    /** The digit that ends the names of this family's maps and sets: {@code 4} or {@code 6}. */
    public char digit() {
        return this == IPV4 ? '4' : '6';
    }
}
