package li.wlz.kuport.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import li.wlz.kuport.model.MarkSpace;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodePlan.Uplink;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.nft.Rule;
import li.wlz.kuport.nft.Table;
import org.junit.jupiter.api.Test;

/** The ruleset as text. What it does to packets is for the kernel tests. */
class RulesetTest {
    private static Table table(Settings settings, NodePlan plan) {
        return new Datapath(settings).wanted(plan).table();
    }

    private static Table table(NodePlan plan) {
        return table(Plans.SETTINGS, plan);
    }

    private static List<String> rules(Table table, String chain) {
        return Objects.requireNonNull(table.chains().get(chain), chain).rules().stream()
                .map(Rule::text)
                .toList();
    }

    private static Map<String, String> elements(Table table, String set) {
        return Objects.requireNonNull(table.sets().get(set), set).elements().entries();
    }

    @Test
    void a_node_with_everything_renders_to_full_nft() throws IOException {
        try (InputStream in = Objects.requireNonNull(RulesetTest.class.getResourceAsStream("full.nft"))) {
            String expected = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(table(Plans.full()).render()).isEqualTo(expected);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_port_with_a_target_is_claimed_and_translated() {
        Table table = table(Plans.accepting(Plans.deliveries(
                Map.of("udp 203.0.113.9 3000", "240.0.0.2 3000", "tcp 2001:db8::9 25", "fd00:10:244::7 2525"))));
        assertThat(elements(table, "accepted4")).isEqualTo(Map.of("203.0.113.9 . udp . 3000", "jump claim4"));
        assertThat(elements(table, "accept4")).isEqualTo(Map.of("203.0.113.9 . udp . 3000", "240.0.0.2 . 3000"));
        assertThat(elements(table, "accepted6")).isEqualTo(Map.of("2001:db8::9 . tcp . 25", "jump claim6"));
        assertThat(elements(table, "accept6")).isEqualTo(Map.of("2001:db8::9 . tcp . 25", "fd00:10:244::7 . 2525"));
    }

    @Test
    void P7_a_range_has_one_element_and_keeps_its_numbers() {
        Table table = table(
                Plans.accepting(Plans.deliveries(Map.of("udp 203.0.113.9 10000-60000", "240.0.0.2 10000-60000"))));
        assertThat(elements(table, "accepted-ranges4"))
                .isEqualTo(Map.of("203.0.113.9 . udp . 10000-60000", "jump claim4"));
        assertThat(elements(table, "accept-ranges4")).isEqualTo(Map.of("203.0.113.9 . udp . 10000-60000", "240.0.0.2"));
        assertThat(elements(table, "accepted4")).isEmpty();
    }

    @Test
    void E2_a_port_without_a_target_is_refused_by_the_client_s_way_back() {
        Table table = table(
                Plans.accepting(Plans.deliveries(Map.of("tcp 203.0.113.9 25", "", "udp 203.0.113.9 5000-5009", ""))));
        assertThat(elements(table, "accepted4")).isEqualTo(Map.of("203.0.113.9 . tcp . 25", "goto refused"));
        assertThat(elements(table, "accepted-ranges4"))
                .isEqualTo(Map.of("203.0.113.9 . udp . 5000-5009", "goto refused"));
        assertThat(elements(table, "accept4")).isEmpty();
        assertThat(rules(table, "refused")).containsExactly("jump entered", "goto refuse");
    }

    @Test
    void E8_a_pod_in_the_host_s_network_at_the_address_dialled_gets_no_stand_in() {
        Table table = table(Plans.accepting(Plans.deliveries(
                Map.of("tcp 203.0.113.9 80", "203.0.113.9 80", "tcp 203.0.113.9 81", "203.0.113.9 8081"))));
        assertThat(elements(table, "accepted4"))
                .isEqualTo(Map.of("203.0.113.9 . tcp . 80", "goto entered", "203.0.113.9 . tcp . 81", "jump claim4"));
        assertThat(elements(table, "accept4")).containsOnlyKeys("203.0.113.9 . tcp . 81");
    }

    @Test
    void what_peers_send_without_a_target_has_no_element() {
        NodePlan plan = new NodePlan(
                Plans.LINK,
                Sorted.map(),
                Sorted.map(),
                Sorted.map(),
                Plans.deliveries(Map.of("udp 240.0.0.1 1", "", "udp 240.0.0.1 2", "10.244.0.7 3")),
                Sorted.map(),
                Sorted.set(),
                NodePlan.Egress.NONE);
        assertThat(elements(table(plan), "deliver4")).isEqualTo(Map.of("240.0.0.1 . udp . 2", "10.244.0.7 . 3"));
    }

    @Test
    void K1_every_write_of_a_mark_keeps_the_bits_of_others() {
        MarkSpace marks = new MarkSpace(0x00a00000, 0x00f000ff);
        Settings settings = new Settings(
                "edge",
                marks,
                Settings.DEFAULT_VNI,
                Settings.DEFAULT_LINK_PORT,
                Plans.SETTINGS.underlayFamily(),
                Settings.DEFAULT_LINK_RANGE4,
                Settings.DEFAULT_LINK_RANGE6,
                List.of(),
                Settings.DEFAULT_NODE_PORTS,
                null);
        Table table = table(settings, Plans.full());
        assertThat(rules(table, "mark-01")).containsExactly("ct mark set ct mark & 0xff0fff00 | 0x00a00001");
        assertThat(rules(table, "route-81")).containsExactly("meta mark set meta mark & 0xff0fff00 | 0x00a00081");
        assertThat(rules(table, "leave-reply")).last().isEqualTo("meta mark set meta mark & 0xff0fff00");
        Stream<String> writes = table.chains().values().stream()
                .flatMap(c -> c.rules().stream())
                .map(Rule::text)
                .filter(text -> text.contains("mark set") && !text.startsWith("meta mark 0 "));
        assertThat(writes).isNotEmpty().allMatch(text -> text.contains("mark & 0xff0fff00"));
    }

    @Test
    void N1_the_source_of_the_link_s_outer_packets_is_kept_before_anything_else_is_asked() {
        assertThat(rules(table(Plans.full()), "keep-source"))
                .first()
                .isEqualTo("udp dport 4790 ip daddr @underlay snat ip to ip saddr");
    }

    @Test
    void A1_each_uplink_s_mark_leaves_by_that_uplink_only() {
        NodePlan plan =
                withUplinks(Map.of("eth0", new Uplink(0x81, Sorted.set()), "ppp0", new Uplink(0x85, Sorted.set())));
        assertThat(rules(table(plan), "leave-reply"))
                .contains(
                        "ct mark & 0x00000080 == 0 oifgroup != 1803 counter drop",
                        "ct mark & 0xfff000ff == 0x6b700081 oifname != \"eth0\" counter drop",
                        "ct mark & 0xfff000ff == 0x6b700085 oifname != \"ppp0\" counter drop");
        assertThat(elements(table(plan), "return-route"))
                .isEqualTo(Map.of("0x6b700081", "goto route-81", "0x6b700085", "goto route-85"));
    }

    @Test
    void an_interface_name_that_nft_would_read_otherwise_gets_no_rule() {
        NodePlan plan = withUplinks(
                Map.of("a\"; drop", new Uplink(0x81, Sorted.set()), "eth*", new Uplink(0x82, Sorted.set())));
        assertThat(elements(table(plan), "uplink")).isEmpty();
        assertThat(table(plan).render()).doesNotContain("a\";").doesNotContain("eth*");
    }

    private static NodePlan withUplinks(Map<String, Uplink> uplinks) {
        return new NodePlan(
                null,
                Sorted.map(),
                Sorted.copyOf(uplinks),
                Sorted.map(),
                Sorted.map(),
                Sorted.map(),
                Sorted.set(),
                NodePlan.Egress.NONE);
    }

    @Test
    void A3_the_link_port_is_guarded_in_input_and_forward_where_there_is_a_link() {
        assertThat(rules(table(Plans.full()), "forward"))
                .first()
                .isEqualTo("udp dport 4790 ip daddr @underlay goto link-guard");
        assertThat(rules(table(Plans.full()), "input"))
                .first()
                .isEqualTo("meta nfproto ipv4 udp dport 4790 goto link-guard");
        assertThat(elements(table(Plans.full()), "underlay")).containsOnlyKeys("100.64.0.1", "100.64.0.2");
        assertThat(table(NodePlan.EMPTY).render()).doesNotContain("4790");
    }

    @Test
    void M4_segments_are_clamped_to_the_link_s_mtu_by_family() {
        assertThat(rules(table(Plans.full()), "from-link"))
                .endsWith(
                        "meta nfproto ipv4 tcp flags syn tcp option maxseg size set 1330",
                        "meta nfproto ipv6 tcp flags syn tcp option maxseg size set 1310");
    }

    @Test
    void a_peer_that_accepts_nothing_is_known_but_has_no_mark() {
        NodePlan.Peer silent = new NodePlan.Peer(
                Plans.PEER_MAC,
                Plans.ip("100.64.0.2"),
                1370,
                null,
                Plans.ip("240.0.0.1"),
                Plans.ip("fd6b:7570:77::1"),
                Sorted.set());
        NodePlan plan = new NodePlan(
                Plans.LINK,
                Sorted.copyOf(Map.of("home", silent)),
                Sorted.map(),
                Sorted.map(),
                Sorted.map(),
                Sorted.map(),
                Sorted.set(),
                NodePlan.Egress.NONE);
        assertThat(elements(table(plan), "peer")).isEqualTo(Map.of("0a:00:00:00:00:0b", "accept"));
        assertThat(elements(table(plan), "return-route")).isEmpty();
    }
}
