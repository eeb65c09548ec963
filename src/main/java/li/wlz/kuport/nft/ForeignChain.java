package li.wlz.kuport.nft;

import java.util.ArrayList;
import java.util.List;
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

    /** How nft addresses it: {@code ip filter FORWARD}. */
    public String address() {
        return family + " " + table + " " + name;
    }
}
