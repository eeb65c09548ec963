package li.wlz.kuport.xtables;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.Target;
import li.wlz.kuport.xtables.Rules.ChainName;
import li.wlz.kuport.xtables.Rules.Jump;

/**
 * What {@code iptables-save} tells of one place, as far as it matters to us.
 *
 * @param chains our chains, with the comments of their rules
 * @param jumps what leads to them
 * @param delivered where our rules send what is dialled
 * @param foreign the commands that remove what the older pod NAT controller left; empty where there is nothing of it
 * @param rules how many rules there are of anybody's
 * @param kubernetes whether a kubelet has left its mark here, by which others choose this backend
 */
public record SaveListing(
        SortedMap<ChainName, List<String>> chains,
        List<FoundJump> jumps,
        SortedMap<Dialled, Target> delivered,
        List<String> foreign,
        int rules,
        boolean kubernetes) {
    /** A place without any table. */
    public static final SaveListing NOTHING =
            new SaveListing(Sorted.map(), List.of(), Sorted.map(), List.of(), 0, false);

    /** What the names of our chains begin with. */
    public static final String OURS = "KUPORT-";

    /** The built-in chains whose rules lead to ours. */
    private static final Set<String> LEADING = Set.of("PREROUTING", "OUTPUT", "POSTROUTING", "FORWARD");

    private static final Pattern COMMENT = Pattern.compile("--comment \"?(" + ChainRule.COMMENT + "[0-9a-f]+)\"?");
    private static final Pattern TRANSLATION = Pattern.compile(
            "-d (\\S+)/\\d+ .*-p (tcp|udp) .*--dport (\\d+) .*--to-destination (?:\\[(\\S+)]|([^\\s:]+)):(\\d+)");

    /** The marks that iptables-wrappers looks for, too: https://github.com/kubernetes-sigs/iptables-wrappers. */
    private static final Pattern KUBELET = Pattern.compile(":KUBE-(IPTABLES-HINT|KUBELET-CANARY) .*");

    /** The older controller's chains, whatever its resource prefix, by the comment of what leads to them. */
    private static final Pattern FOREIGN_JUMP =
            Pattern.compile("-A \\S+ .*--comment \"?[^\"]*\\[jump_to_chain]\"? .*-j (\\S+)");

    private static final Pattern FOREIGN_CHAIN = Pattern.compile("PODNAT_(PRE|POST|FORWARD)");

    /**
     * A rule of a built-in chain that leads to one of ours.
     *
     * @param position among the rules of its chain, from 1
     * @param line as iptables-save prints it
     */
    public record FoundJump(ChainName from, String to, int position, String line) {
        boolean leadsAs(Jump jump) {
            return from.equals(jump.from()) && to.equals(jump.to());
        }

        String deletion() {
            return "-D" + line.substring(2);
        }

        String comment() {
            Matcher comment = COMMENT.matcher(line);
            return comment.find() ? comment.group(1) : "";
        }
    }

    public SaveListing {
        SortedMap<ChainName, List<String>> copies = new TreeMap<>();
        chains.forEach((name, comments) -> copies.put(name, List.copyOf(comments)));
        chains = Sorted.copyOf(copies);
        jumps = List.copyOf(jumps);
        delivered = Sorted.copyOf(delivered);
        foreign = List.copyOf(foreign);
    }

    /** Whether a listing may be another once somebody has changed the chain of that name. */
    public static boolean dependsOn(String chain) {
        return chain.startsWith(OURS) || LEADING.contains(chain);
    }

    /** Reads what the program of the place printed; what is none of ours is counted and let pass. */
    public static SaveListing parse(Place place, String text) {
        return new Parser(place).parse(text);
    }

    private static final class Parser {
        private final String program;
        private final SortedMap<ChainName, List<String>> chains = new TreeMap<>();
        private final List<FoundJump> jumps = new ArrayList<>();
        private final SortedMap<Dialled, Target> delivered = new TreeMap<>();
        private final List<String> foreignJumps = new ArrayList<>();
        private final SortedMap<ChainName, Boolean> foreignChains = new TreeMap<>();
        private final Map<ChainName, Integer> positions = new HashMap<>();
        private String table = "";
        private int rules;
        private boolean kubernetes;

        Parser(Place place) {
            this.program = place.program();
        }

        SaveListing parse(String text) {
            text.lines().forEach(this::line);
            List<String> foreign = new ArrayList<>(foreignJumps);
            foreignChains.keySet().forEach(name -> foreign.add(command(name.table()) + "-F " + name.chain()));
            foreignChains.keySet().forEach(name -> foreign.add(command(name.table()) + "-X " + name.chain()));
            return new SaveListing(chains, jumps, delivered, foreign, rules, kubernetes);
        }

        private String command(String table) {
            return program + " -t " + table + " ";
        }

        private void line(String line) {
            if (line.startsWith("*")) {
                table = line.substring(1);
            } else if (line.startsWith(":")) {
                kubernetes |= KUBELET.matcher(line).matches();
                declaration(line.substring(1).replaceAll(" .*", ""));
            } else if (line.startsWith("-A ")) {
                rule(line);
            }
        }

        private void declaration(String chain) {
            if (chain.startsWith(OURS)) {
                chains.put(new ChainName(table, chain), new ArrayList<>());
            } else if (FOREIGN_CHAIN.matcher(chain).matches()) {
                foreignChains.put(new ChainName(table, chain), true);
            }
        }

        private void rule(String line) {
            rules++;
            String[] words = line.split(" ", 3);
            ChainName chain = new ChainName(table, words[1]);
            int position = positions.merge(chain, 1, Integer::sum);
            List<String> ours = chains.get(chain);
            if (ours != null) {
                Matcher comment = COMMENT.matcher(line);
                ours.add(comment.find() ? comment.group(1) : line);
                translation(line);
                return;
            }
            String target = line.substring(line.lastIndexOf(' ') + 1);
            Matcher foreign = FOREIGN_JUMP.matcher(line);
            if (target.startsWith(OURS)) {
                jumps.add(new FoundJump(chain, target, position, line));
            } else if (foreign.matches()) {
                foreignJumps.add(command(table) + "-D" + line.substring(2));
                foreignChains.put(new ChainName(table, foreign.group(1)), true);
            }
        }

        private void translation(String line) {
            Matcher found = TRANSLATION.matcher(line);
            if (found.find()) {
                read(found).ifPresent(e -> delivered.put(e.getKey(), e.getValue()));
            }
        }

        /** Empty for what somebody else put into our chain. */
        private static Optional<Map.Entry<Dialled, Target>> read(Matcher found) {
            String pod = found.group(4) == null ? found.group(5) : found.group(4);
            try {
                return Optional.of(Map.entry(
                        new Dialled(
                                IpAddress.parse(found.group(1)),
                                found.group(2).equals("tcp") ? Protocol.TCP : Protocol.UDP,
                                PortRange.parse(found.group(3))),
                        new Target(IpAddress.parse(pod), PortRange.parse(found.group(6)))));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }
    }
}
