package li.wlz.kuport.lab;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts packets in a namespace by rules of nft, in a table of its own, {@code inet lab-tally}.
 *
 * <p>At {@link Hook#PREROUTING} packets are counted before they are put together from fragments and before any translation, at
 * {@link Hook#POSTROUTING} after the translation.
 */
public final class Tally implements AutoCloseable {
    private static final String TABLE = "lab-tally";

    private final Namespace namespace;

    private Tally(Namespace namespace) {
        this.namespace = namespace;
    }

    /** Where packets are counted. */
    public enum Hook {
        PREROUTING(-450),
        INPUT(300),
        FORWARD(300),
        OUTPUT(300),
        POSTROUTING(300);

        private final int priority;

        Hook(int priority) {
            this.priority = priority;
        }
    }

    /**
     * One thing to count.
     *
     * @param match nft's conditions: {@code iifname "edge" ip saddr 203.0.113.73}
     */
    public record Watch(String name, Hook hook, String match) {
        /** Fragments that come in by a device, the first ones included, of either family. */
        public static List<Watch> fragments(String device) {
            return List.of(
                    new Watch("fragments4", Hook.PREROUTING, "iifname \"" + device + "\" ip frag-off & 0x3fff != 0"),
                    new Watch("fragments6", Hook.PREROUTING, "iifname \"" + device + "\" exthdr frag exists"));
        }
    }

    /** Begins to count in a namespace, from nought. */
    public static Tally start(Namespace namespace, List<Watch> watches) {
        StringBuilder text = new StringBuilder("table inet " + TABLE + " {\n");
        for (Watch watch : watches) {
            text.append("counter %s {%n}%n".formatted(counter(watch.name())));
        }
        for (Watch watch : watches) {
            text.append("""
                    chain on-%s {
                        type filter hook %s priority %d
                        %s counter name %s
                    }
                    """.formatted(
                            watch.name(),
                            watch.hook().name().toLowerCase(Locale.ROOT),
                            watch.hook().priority,
                            watch.match(),
                            counter(watch.name())));
        }
        namespace.nft(text.append("}\n").toString());
        return new Tally(namespace);
    }

    /** No word that nft keeps for itself. */
    private static String counter(String watch) {
        return "watched-" + watch;
    }

    /** How many packets a watch has seen so far. */
    public long packets(String watch) {
        return packets(namespace, TABLE, counter(watch));
    }

    static long packets(Namespace namespace, String table, String counter) {
        String listing = namespace.run("nft", "list", "counter", "inet", table, counter);
        Matcher matcher = Pattern.compile("packets (\\d+)").matcher(listing);
        if (!matcher.find()) {
            throw new LabException("nft lists no packets for counter " + counter + " in " + namespace + ": " + listing);
        }
        return Long.parseLong(matcher.group(1));
    }

    /** Stops counting. */
    @Override
    public void close() {
        namespace.nft("delete table inet " + TABLE + "\n");
    }
}
