package li.wlz.kuport.nft;

import java.util.SortedMap;
import li.wlz.kuport.model.Sorted;

/**
 * The elements of a set or map, each as nft writes it.
 *
 * <p>The text is canonical: addresses as {@link li.wlz.kuport.model.IpAddress} prints them, protocols by name, marks with eight
 * hexadecimal digits, interfaces in quotes. So equal elements are equal strings.
 *
 * @param entries the data of each key, {@code 203.0.113.9 . udp . 3000} to {@code 10.244.0.7 . 30000}; the empty string in a set
 */
public record Elements(SortedMap<String, String> entries) {
    public static final Elements NONE = new Elements(Sorted.map());

    public Elements {
        entries = Sorted.copyOf(entries);
    }

    /** One element as nft reads it. */
    static String element(String key, String data) {
        return data.isEmpty() ? key : key + " : " + data;
    }
}
