package li.wlz.kuport.xtables;

/**
 * A change of one place: each table of it as one transaction.
 *
 * @param script for {@code iptables-restore --noflush}
 */
public record Restore(Place place, String script) {}
