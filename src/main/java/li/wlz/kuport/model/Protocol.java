package li.wlz.kuport.model;

import java.util.Locale;

/** The transport protocols that are delivered, with their numbers of IANA's protocol registry. */
public enum Protocol {
    TCP(6),
    UDP(17);

    private final int number;

    Protocol(int number) {
        this.number = number;
    }

    /** The number in the IP header. */
    public int number() {
        return number;
    }

    /** The name as nft writes it: {@code tcp}, {@code udp}. */
    public String lowerCase() {
        return name().toLowerCase(Locale.ROOT);
    }
}
