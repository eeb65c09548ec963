package li.wlz.kuport.model;

import java.util.OptionalInt;

/**
 * The bits of packet and connection marks that are ours, and what we write there: {@code base | index}.
 *
 * <p>An index is one byte, the low byte of the mark. 0x01-0x7f are peers, 0x80-0xfe uplinks, {@value #NO_WAY_BACK} says "mapped,
 * with no way back of its own". Whoever reads or writes a mark masks it: the other bits belong to other software.
 *
 * @param base the bits that say "this flow is kuport's"; within the mask, and none of the index byte
 * @param mask all bits that are ours: those of the base's field and the index byte
 */
public record MarkSpace(int base, int mask) {
    /** The index of a mapped flow whose replies are routed as any other packet. */
    public static final int NO_WAY_BACK = 0xff;

    public static final int FIRST_PEER = 0x01;
    public static final int LAST_PEER = 0x7f;
    public static final int FIRST_UPLINK = 0x80;
    public static final int LAST_UPLINK = 0xfe;

    /** The bit of an index that tells uplinks from peers. */
    public static final int UPLINK_BIT = 0x80;

    private static final int INDEX_MASK = 0xff;

    public static final MarkSpace DEFAULT = new MarkSpace(0x6b700000, 0xfff000ff);

    public MarkSpace {
        if ((mask & INDEX_MASK) != INDEX_MASK) {
            throw new IllegalArgumentException(
                    "the mark mask must hold the low byte, which bears the index: " + Hex.of(mask));
        }
        if ((base & ~(mask & ~INDEX_MASK)) != 0 || base == 0) {
            throw new IllegalArgumentException("the mark base must be bits of the mask " + Hex.of(mask)
                    + " other than its low byte: " + Hex.of(base));
        }
    }

    /** The mask of the bits that hold {@link #base}. */
    public int baseMask() {
        return mask & ~INDEX_MASK;
    }

    /** The bits of others, kept by every write. */
    public int keepMask() {
        return ~mask;
    }

    /** The mark of an index. */
    public int mark(int index) {
        if (index < FIRST_PEER || index > NO_WAY_BACK) {
            throw new IllegalArgumentException("an index is 1 to 255, not " + index);
        }
        return base | index;
    }

    /** The index that a whole mark bears; empty if the mark is not ours. */
    public OptionalInt index(int mark) {
        return (mark & baseMask()) == base && (mark & INDEX_MASK) != 0
                ? OptionalInt.of(mark & INDEX_MASK)
                : OptionalInt.empty();
    }

    /** The id of the routing table that packets of this index are routed by: the same number as its mark. */
    public int table(int index) {
        return mark(index);
    }

    /** Formats marks, masks and table ids as tools print them. */
    public static final class Hex {
        private Hex() {}

        /** {@code 0x6b700001}: eight digits, as {@code nft} prints marks. */
        public static String of(int value) {
            return String.format("0x%08x", value);
        }
    }
}
