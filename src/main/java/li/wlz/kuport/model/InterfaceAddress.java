package li.wlz.kuport.model;

/**
 * An address that an interface holds.
 *
 * @param temporary a privacy address (RFC 8981), gone within days
 * @param deprecated past its preferred lifetime: still answers, should not be handed out
 * @param tentative still under duplicate address detection, or failed it: does not answer
 * @param dynamic with a limited lifetime (DHCP, router advertisements)
 */
public record InterfaceAddress(
        IpAddress address,
        int prefixLength,
        boolean temporary,
        boolean deprecated,
        boolean tentative,
        boolean dynamic) {
    /** A permanent address. */
    public static InterfaceAddress of(String address, int prefixLength) {
        return new InterfaceAddress(IpAddress.parse(address), prefixLength, false, false, false, false);
    }
}
