package li.wlz.kuport.nft;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import li.wlz.kuport.model.Ours;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A chain of somebody else's table.
 *
 * @param family {@code ip}, {@code ip6} or {@code inet}
 * @param hook where packets enter it; {@link Hook#NONE} for a chain that is only jumped to
 */
public record ForeignChain(String family, String table, String name, Hook hook, List<ForeignRule> rules) {
    public ForeignChain {
        rules = List.copyOf(rules);
    }

    /** Begins the name of a table of iptables-legacy's, which nftables does not know. */
    private static final String LEGACY = "iptables-legacy ";

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    /**
     * The chains that {@code nft -j list chains} prints, without their rules and without our own.
     *
     * @throws ListingException if the text is no such listing
     */
    public static List<ForeignChain> headers(String json) {
        try {
            List<ForeignChain> chains = new ArrayList<>();
            for (JsonNode item : MAPPER.readTree(json).path("nftables")) {
                JsonNode chain = item.path("chain");
                String family = chain.path("family").asString("");
                String table = chain.path("table").asString("");
                if (!chain.isMissingNode() && !(family.equals("inet") && table.equals(Ours.TABLE))) {
                    String name = chain.path("name").asString("");
                    chains.add(new ForeignChain(family, table, name, ListingReader.hook(chain), List.of()));
                }
            }
            return chains;
        } catch (JacksonException e) {
            throw new ListingException("the nft listing cannot be read: " + e.getOriginalMessage(), e);
        }
    }

    /**
     * With the rules that {@code nft list chain} prints: each line between the chain's braces that is not its hook.
     *
     * @param text what was printed
     */
    public ForeignChain with(String text) {
        List<ForeignRule> read = text.lines()
                .filter(line -> line.startsWith("\t\t"))
                .map(String::strip)
                .filter(line -> !line.startsWith("type ") && !line.equals("}"))
                .map(ForeignRule::parse)
                .toList();
        return new ForeignChain(family, table, name, hook, read);
    }

    /** How nft addresses it, {@code ip filter FORWARD}; one of iptables-legacy's has that in front of its table. */
    public String address() {
        return family + " " + table + " " + name;
    }

    /** Whether it is one of iptables-legacy's. */
    public boolean isLegacy() {
        return table.startsWith(LEGACY);
    }

    /** The table's name as iptables has it. */
    public String xtable() {
        return isLegacy() ? table.substring(LEGACY.length()) : table;
    }

    /**
     * The chains of iptables-legacy's tables, from what {@code iptables-restore-translate} makes of their listing. A rule that it
     * cannot translate is one that may let packets pass.
     */
    public static List<ForeignChain> translated(String text) {
        Map<String, ForeignChain> headers = new LinkedHashMap<>();
        Map<String, List<ForeignRule>> rules = new HashMap<>();
        for (String line : text.lines().toList()) {
            String[] words = line.split(" ", 6);
            if (line.startsWith("add chain ") && words.length >= 5) {
                Hook hook = words.length == 6 ? translatedHook(words[5]) : Hook.NONE;
                headers.put(
                        words[3] + " " + words[4],
                        new ForeignChain(words[2], LEGACY + words[3], words[4], hook, List.of()));
            } else if (line.startsWith("add rule ") && words.length == 6) {
                rules.computeIfAbsent(words[3] + " " + words[4], key -> new ArrayList<>())
                        .add(ForeignRule.parse(
                                words[5].startsWith("mark and ") ? "meta mark & " + words[5].substring(9) : words[5]));
            } else if (line.startsWith("# -t ") && words.length == 6) {
                rules.computeIfAbsent(words[2] + " " + words[4], key -> new ArrayList<>())
                        .add(new ForeignRule(List.of("untranslated"), List.of("accept")));
            }
        }
        return headers.entrySet().stream()
                .map(entry -> entry.getValue().having(rules.getOrDefault(entry.getKey(), List.of())))
                .toList();
    }

    private ForeignChain having(List<ForeignRule> read) {
        return new ForeignChain(family, table, name, hook, read);
    }

    /** {@code { type filter hook forward priority 0; policy drop; }}. */
    private static Hook translatedHook(String declaration) {
        String[] words = declaration.replace(";", "").split(" ", -1);
        return new Hook(words[2], words[4], Integer.parseInt(words[6]), words[8]);
    }
}
