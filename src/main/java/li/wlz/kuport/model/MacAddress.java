package li.wlz.kuport.model;

/**
 * A link-layer address of six bytes.
 *
 * @param bits the address as a 48-bit number, first byte highest
 */
public record MacAddress(long bits) implements Comparable<MacAddress> {
    public MacAddress {
        if (bits >>> 48 != 0) {
            throw new IllegalArgumentException("a MAC address has 48 bits");
        }
    }

    /**
     * Reads {@code 0a:1b:2c:3d:4e:5f}.
     *
     * @throws IllegalArgumentException if it is not of that form
     */
    public static MacAddress parse(String text) {
        if (!text.matches("[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")) {
            throw new IllegalArgumentException("\"" + text + "\" is not a MAC address");
        }
        return new MacAddress(Long.parseLong(text.replace(":", ""), 16));
    }

    /**
     * An address from its six bytes.
     *
     * @throws IllegalArgumentException if there are not six
     */
    public static MacAddress of(byte[] bytes) {
        if (bytes.length != 6) {
            throw new IllegalArgumentException("a MAC address has 6 bytes, not " + bytes.length);
        }
        long bits = 0;
        for (byte b : bytes) {
            bits = bits << 8 | (b & 0xff);
        }
        return new MacAddress(bits);
    }

    public byte[] bytes() {
        byte[] bytes = new byte[6];
        for (int i = 0; i < 6; i++) {
            bytes[i] = (byte) (bits >>> ((5 - i) * 8));
        }
        return bytes;
    }

    @Override
    public int compareTo(MacAddress other) {
        return Long.compare(bits, other.bits);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(17);
        for (int i = 5; i >= 0; i--) {
            text.append(Character.forDigit((int) (bits >>> (i * 8 + 4)) & 0xf, 16));
            text.append(Character.forDigit((int) (bits >>> (i * 8)) & 0xf, 16));
            if (i > 0) {
                text.append(':');
            }
        }
        return text.toString();
    }
}
