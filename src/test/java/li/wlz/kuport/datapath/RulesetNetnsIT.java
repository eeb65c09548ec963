package li.wlz.kuport.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.netlink.RoutingState;
import li.wlz.kuport.nft.Listing;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The table in a real kernel: it loads, it lists as it was meant to, and damage is found and repaired. */
class RulesetNetnsIT {
    private final String namespace = "rules-" + ProcessHandle.current().pid();
    private final Datapath datapath = new Datapath(Plans.SETTINGS);

    @BeforeEach
    void makeNamespace() {
        run("ip", "netns", "add", namespace);
    }

    @AfterEach
    void deleteNamespace() {
        run("ip", "netns", "delete", namespace);
    }

    private static String run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor())
                    .as("%s%n%s", String.join(" ", command), output)
                    .isZero();
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private String nft(String... arguments) {
        List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", namespace, "nft"));
        command.addAll(List.of(arguments));
        return run(command.toArray(String[]::new));
    }

    private void apply(String script) {
        try {
            Path file = Files.createTempFile("rules", ".nft");
            Files.writeString(file, script);
            nft("-c", "-f", file.toString());
            nft("-f", file.toString());
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Listing listing() {
        return Listing.parse(nft("-jnn", "list", "table", "inet", "kuport"));
    }

    private Changes changes(NodePlan plan, Listing listing) {
        return datapath.changes(datapath.wanted(plan), listing, RoutingState.NOTHING);
    }

    private void applied(NodePlan plan, Listing before) {
        apply(changes(plan, before).script().orElseThrow());
    }

    @Test
    void a_full_plan_loads_and_lists_as_it_was_meant_to() {
        applied(Plans.full(), Listing.NOTHING);
        assertThat(listing()).isEqualTo(datapath.wanted(Plans.full()).table().listing());
        assertThat(changes(Plans.full(), listing()).script()).isEmpty();
    }

    @Test
    void a_plan_of_nothing_loads() {
        applied(NodePlan.EMPTY, Listing.NOTHING);
        assertThat(changes(NodePlan.EMPTY, listing()).script()).isEmpty();
    }

    @Test
    void any_plan_follows_any_other() {
        List<NodePlan> plans = List.of(
                Plans.full(),
                NodePlan.EMPTY,
                Plans.with(
                        Plans.full(),
                        Plans.deliveries(Map.of("udp 203.0.113.9 10000-10010", "10.244.0.7 10000-10010"))),
                Plans.full(),
                Plans.accepting(Plans.deliveries(Map.of("tcp 203.0.113.9 25", ""))));
        Listing before = Listing.NOTHING;
        for (NodePlan plan : plans) {
            Changes changes = changes(plan, before);
            apply(changes.script().orElseThrow());
            before = listing();
            assertThat(before).isEqualTo(changes.listing());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "flush chain inet kuport steer",
                "insert rule inet kuport leave accept",
                "add rule inet kuport forward counter accept comment \"mine\"",
                "delete element inet kuport accept4 { 203.0.113.9 . udp . 3000 }",
                "add element inet kuport accepted4 { 198.51.100.1 . tcp . 1 : goto refused }",
                "delete element inet kuport accept-ranges4 { 203.0.113.9 . udp . 10000-20000 }",
                "delete element inet kuport uplink { \"eth0\" }",
                "flush map inet kuport peer",
                "add chain inet kuport mine { type filter hook input priority 5; policy drop; }",
                "add set inet kuport mine { type mark; }",
                "add counter inet kuport mine",
                "chain inet kuport input { policy drop; }",
                "table inet kuport { flags dormant; }",
                "delete table inet kuport; table inet kuport { chain steer { type filter hook input priority 0; }; }",
                "flush table inet kuport",
            })
    void damage_is_found_and_repaired(String damage) {
        applied(Plans.full(), Listing.NOTHING);
        Listing sound = listing();
        apply(damage.replace("; table", "\ntable") + "\n");
        assertThat(listing()).isNotEqualTo(sound);
        applied(Plans.full(), listing());
        assertThat(listing()).isEqualTo(sound);
    }

    @Test
    void F8_a_rule_deleted_by_hand_comes_back_once() {
        applied(Plans.full(), Listing.NOTHING);
        String handle = nft("-a", "list", "chain", "inet", "kuport", "from-link")
                .replaceAll("(?s).*# handle ([0-9]+)\n.*", "$1");
        nft("delete", "rule", "inet", "kuport", "from-link", "handle", handle);
        applied(Plans.full(), listing());
        assertThat(listing()).isEqualTo(datapath.wanted(Plans.full()).table().listing());
    }

    @Test
    void ten_thousand_mappings_load_and_one_more_is_one_element() {
        TreeMap<Dialled, Delivery> many = new TreeMap<>();
        for (int port = 1; port <= 10_000; port++) {
            many.put(Plans.dialled("udp 203.0.113.9 " + port), Delivery.to(Plans.target("240.0.0.2 " + port)));
        }
        applied(Plans.with(Plans.full(), many), Listing.NOTHING);
        Listing before = listing();
        assertThat(changes(Plans.with(Plans.full(), many), before).script()).isEmpty();
        many.put(Plans.dialled("udp 203.0.113.9 20000"), Delivery.to(Plans.target("240.0.0.2 20000")));
        Changes changes = changes(Plans.with(Plans.full(), many), before);
        assertThat(changes.script()).hasValue("""
                add element inet kuport accept4 { 203.0.113.9 . udp . 20000 : 240.0.0.2 . 20000 }
                add element inet kuport accepted4 { 203.0.113.9 . udp . 20000 : jump claim4 }
                """);
        apply(changes.script().orElseThrow());
        assertThat(listing()).isEqualTo(changes.listing());
    }
}
