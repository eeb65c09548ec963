package li.wlz.kuport.nft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.nft.ForeignPacket.Match;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Foreign firewalls as nft lists them, and what is certain about a mapped packet in them. */
class ForeignRulesetTest {
    /** From an uplink into the link. */
    private static final ForeignPacket INTO_LINK = packet("eth0", "kup0", "250.109.241.90");
    /** From the link to a pod. */
    private static final ForeignPacket TO_POD = packet("kup0", "cni0", "10.244.2.10");

    private static ForeignPacket packet(String in, String out, String destination) {
        return new ForeignPacket(IpFamily.IPV4, Protocol.UDP, in, out, null, IpAddress.parse(destination));
    }

    private static ForeignChain chain(String table, String name, String policy, String... rules) {
        Hook hook = policy.isEmpty() ? Hook.NONE : new Hook("filter", "forward", 0, policy);
        String text = "table x {\n\tchain y {\n\t\ttype filter hook forward priority 0; policy drop;\n\t\t"
                + String.join("\n\t\t", rules) + "\n\t}\n}\n";
        return new ForeignChain("ip", table, name, hook, List.of()).with(text);
    }

    private static boolean drops(ForeignPacket packet, ForeignChain... chains) {
        return new ForeignRuleset(List.of(chains)).drops(chains[0], packet);
    }

    private static final ForeignChain KUBE_FORWARD = chain(
            "filter",
            "KUBE-FORWARD",
            "",
            "ct state invalid counter drop",
            " meta mark & 0x00004000 == 0x00004000 counter accept",
            "ct state related,established counter accept");

    private static final ForeignChain[] DOCKER = {
        chain(
                "filter",
                "FORWARD",
                "drop",
                "counter jump KUBE-FORWARD",
                "counter jump DOCKER-USER",
                "oifname \"docker0\" ct state related,established counter accept",
                "oifname \"docker0\" counter jump DOCKER",
                "iifname \"docker0\" oifname != \"docker0\" counter accept",
                "iifname \"br-*\" counter accept"),
        KUBE_FORWARD,
        chain("filter", "DOCKER-USER", "", "counter return"),
        chain(
                "filter",
                "DOCKER",
                "",
                "iifname != \"docker0\" oifname \"docker0\" ip daddr 172.17.0.2 tcp dport 80 counter accept")
    };

    private static final ForeignChain[] UFW = {
        chain(
                "filter",
                "FORWARD",
                "drop",
                "counter jump ufw-before-forward",
                "counter jump ufw-after-logging-forward",
                "counter jump ufw-reject-forward"),
        chain(
                "filter",
                "ufw-before-forward",
                "",
                "ct state related,established counter accept",
                "meta l4proto icmp icmp type destination-unreachable counter accept",
                "meta l4proto icmp icmp type echo-request counter accept",
                "counter jump ufw-user-forward"),
        chain("filter", "ufw-user-forward", ""),
        chain(
                "filter",
                "ufw-after-logging-forward",
                "",
                "limit rate 3/minute burst 10 packets counter log prefix \"[UFW BLOCK] \""),
        chain("filter", "ufw-reject-forward", "")
    };

    /** One that flannel lets packets to and from pods through. */
    private static final ForeignChain[] FLANNEL = {
        chain("filter", "FORWARD", "drop", "counter jump KUBE-FORWARD", "counter jump FLANNEL-FWD"),
        KUBE_FORWARD,
        chain(
                "filter",
                "FLANNEL-FWD",
                "",
                "ip saddr 10.244.0.0/16 counter accept",
                "ip daddr 10.244.0.0/16 counter accept")
    };

    /** Its policies are in marks and sets, of which nothing is known. */
    private static final ForeignChain[] CALICO = {
        chain(
                "filter",
                "FORWARD",
                "accept",
                "counter jump cali-FORWARD",
                "meta mark & 0x00010000 == 0x00010000 counter accept"),
        chain(
                "filter",
                "cali-FORWARD",
                "",
                "counter meta mark set mark and 0xfff1ffff",
                "meta mark & 0x00010000 == 0x00000000 counter jump cali-from-hep-forward",
                "iifname \"cali*\" counter jump cali-from-wl-dispatch",
                "oifname \"cali*\" counter jump cali-to-wl-dispatch",
                "counter jump cali-to-hep-forward"),
        chain("filter", "cali-from-wl-dispatch", "", "counter drop"),
        chain("filter", "cali-to-wl-dispatch", "", "oifname \"cali1\" counter goto cali-tw-1", "counter drop"),
        chain(
                "filter",
                "cali-tw-1",
                "",
                "ct state related,established counter accept",
                "meta mark & 0x00010000 == 0x00010000 return",
                "counter drop")
    };

    /** Zones decide in chains that are led to by sets of interfaces. */
    private static final ForeignChain[] FIREWALLD = {
        chain(
                "firewalld",
                "filter_FORWARD",
                "accept",
                "ct state { established, related } accept",
                "ct status dnat accept",
                "iifname \"lo\" accept",
                "ct state invalid drop",
                "jump filter_FORWARD_ZONES",
                "reject with icmpx admin-prohibited"),
        chain("firewalld", "filter_FORWARD_ZONES", "", "iifname \"eth0\" goto filter_FWD_public"),
        chain("firewalld", "filter_FWD_public", "", "reject with icmpx admin-prohibited")
    };

    @Test
    void F2_Docker_drops_what_goes_into_the_link_and_to_pods() {
        assertThat(drops(INTO_LINK, DOCKER)).isTrue();
        assertThat(drops(TO_POD, DOCKER)).isTrue();
    }

    @Test
    void F2_Docker_drops_nothing_for_certain_where_DOCKER_USER_is_not_known() {
        assertThat(drops(INTO_LINK, DOCKER[0], DOCKER[1], DOCKER[3])).isFalse();
    }

    @Test
    void F2_ufw_drops_what_its_routes_do_not_allow() {
        assertThat(drops(INTO_LINK, UFW)).isTrue();
        ForeignChain[] allowed = UFW.clone();
        allowed[2] = chain("filter", "ufw-user-forward", "", "iifname \"eth0\" oifname \"kup0\" counter accept");
        assertThat(drops(INTO_LINK, allowed)).isFalse();
    }

    @Test
    void F2_flannel_lets_pods_have_what_a_drop_policy_keeps_from_the_link() {
        assertThat(drops(INTO_LINK, FLANNEL)).isTrue();
        assertThat(drops(TO_POD, FLANNEL)).isFalse();
    }

    @Test
    void F2_Calico_and_firewalld_as_they_come_drop_nothing_for_certain() {
        assertThat(drops(INTO_LINK, CALICO)).isFalse();
        assertThat(drops(TO_POD, CALICO)).isFalse();
        assertThat(drops(packet("kup0", "cali1", "10.244.2.10"), CALICO)).isFalse();
        assertThat(drops(INTO_LINK, FIREWALLD)).isFalse();
    }

    @Test
    void F2_firewalld_without_its_rule_for_translated_packets_drops() {
        ForeignChain[] older = FIREWALLD.clone();
        older[0] = chain("firewalld", "filter_FORWARD", "accept", "jump filter_FORWARD_ZONES");
        assertThat(drops(INTO_LINK, older)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "iifname \"eth0\" accept | YES",
                "iifname != \"eth0\" accept | NO",
                "iifname { \"eth1\", \"eth0\" } accept | YES",
                "iifname \"eth*\" oifname \"kup0\" accept | YES",
                "iif 2 accept | MAYBE",
                "ip daddr 240.0.0.0/4 accept | YES",
                "ip daddr != 240.0.0.0/4 accept | NO",
                "ip daddr { 10.0.0.0/8, 192.168.0.0/16 } accept | NO",
                "ip daddr @allowed accept | MAYBE",
                "ip saddr 198.51.100.0/24 accept | MAYBE",
                "ip saddr 10.244.0.0/16 accept | NO",
                "ip saddr != 10.244.0.0/16 accept | YES",
                "ip6 daddr fd00::/8 accept | NO",
                "udp dport 3000 accept | MAYBE",
                "tcp dport 3000 accept | NO",
                "meta l4proto { tcp, udp } accept | YES",
                "meta l4proto icmp accept | NO",
                "ip protocol esp accept | NO",
                "ct state established,related accept | NO",
                "ct state new accept | YES",
                "ct state != new accept | NO",
                "ct status dnat counter accept | YES",
                "ct original ip daddr 10.0.0.1 accept | MAYBE",
                "meta mark & 0x00004000 == 0x00004000 accept | NO",
                "meta mark & 0x00004000 != 0 accept | NO",
                "meta mark & 0x00010000 == 0x00010000 accept | MAYBE",
                "meta mark 0x00000001 accept | MAYBE",
                "fib daddr type local counter accept | NO",
                "limit rate 3/minute drop | MAYBE",
                "counter packets 0 bytes 0 accept | MAYBE",
                "log prefix \"a drop\" accept | YES",
                "drop | YES"
            })
    void a_condition_holds_or_not_or_is_not_known(String rule, Match match) {
        assertThat(INTO_LINK.matches(ForeignRule.parse(rule))).isEqualTo(match);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "udp dport 4790 accept | YES",
                "udp dport { 53, 4000-5000 } accept | YES",
                "udp dport != 4790 accept | NO",
                "udp dport 51820 accept | NO",
                "udp dport @open accept | MAYBE",
                "udp sport 4790 accept | MAYBE",
                "tcp dport 4790 accept | NO",
                "oif \"lo\" accept | NO",
                "oif \"wg0\" accept | YES",
                "oif 2 accept | MAYBE",
                "iif \"lo\" accept | MAYBE",
                "ct status dnat accept | NO",
                "ct status confirmed accept | MAYBE",
                "ct state established accept | NO",
                "fib daddr type local accept | MAYBE",
                "ip saddr 100.64.0.1 ip daddr 100.64.0.0/24 accept | YES"
            })
    void of_an_outer_packet_the_port_is_known_and_that_it_was_not_translated(String rule, Match match) {
        ForeignPacket outer = new ForeignPacket(
                IpFamily.IPV4,
                Protocol.UDP,
                null,
                "wg0",
                IpAddress.parse("100.64.0.1"),
                IpAddress.parse("100.64.0.2"),
                4790);
        assertThat(outer.matches(ForeignRule.parse(rule))).isEqualTo(match);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "!=", "{", "\"", "ct", "ct state", "ip daddr", "iifname !=", "meta mark &", "jump", "vmap"})
    void what_is_cut_short_is_not_known_or_nothing(String rule) {
        ForeignChain chain = chain("filter", "FORWARD", "accept", rule);
        assertThat(drops(INTO_LINK, chain)).isFalse();
    }

    /** As iptables-restore-translate 1.8.9 prints them. */
    private static final String TRANSLATED = """
            # Translated by iptables-restore-translate v1.8.9 on Mon Nov 30 19:54:55 2026
            add table ip nat
            add chain ip nat POSTROUTING { type nat hook postrouting priority 100; policy accept; }
            add rule ip nat POSTROUTING ip saddr 10.0.0.0/8 counter masquerade fully-random
            add table ip filter
            add chain ip filter FORWARD { type filter hook forward priority 0; policy drop; }
            add chain ip filter DOCKER-USER
            add rule ip filter FORWARD counter jump DOCKER-USER
            add rule ip filter FORWARD mark and 0x4000 == 0x4000 counter accept comment "kube x"
            add rule ip filter DOCKER-USER iifname "docker0" counter accept
            # Completed on Mon Nov 30 19:54:55 2026
            """;

    @Test
    void F5_what_iptables_legacy_lists_reads_as_chains_that_are_known_as_its_own() {
        List<ForeignChain> chains = ForeignChain.translated(TRANSLATED);
        assertThat(chains)
                .extracting(ForeignChain::address, ForeignChain::hook)
                .containsExactly(
                        tuple("ip iptables-legacy nat POSTROUTING", Hook.accepting("nat", "postrouting", 100)),
                        tuple("ip iptables-legacy filter FORWARD", new Hook("filter", "forward", 0, "drop")),
                        tuple("ip iptables-legacy filter DOCKER-USER", Hook.NONE));
        assertThat(chains).allMatch(ForeignChain::isLegacy);
        assertThat(new ForeignRuleset(chains).drops(chains.get(1), INTO_LINK)).isTrue();
    }

    @Test
    void F5_a_rule_that_cannot_be_translated_may_let_anything_pass() {
        List<ForeignChain> chains = ForeignChain.translated(
                TRANSLATED + "# -t filter -A FORWARD -m physdev --physdev-in eth0 -j ACCEPT \n");
        assertThat(new ForeignRuleset(chains).drops(chains.get(1), INTO_LINK)).isFalse();
    }

    @Test
    void chains_that_lead_in_circles_come_to_an_end() {
        ForeignChain chain = chain("filter", "FORWARD", "drop", "jump FORWARD");
        assertThat(drops(INTO_LINK, chain)).isFalse();
    }

    @Test
    void chains_are_read_with_their_hooks_and_without_ours() {
        List<ForeignChain> chains = ForeignChain.headers("""
                {"nftables": [{"metainfo": {"version": "1.0.6"}},
                 {"chain": {"family": "ip", "table": "filter", "name": "FORWARD", "handle": 1, "type": "filter",
                  "hook": "forward", "prio": 0, "policy": "drop"}},
                 {"chain": {"family": "inet", "table": "kuport", "name": "leave", "handle": 1}},
                 {"chain": {"family": "ip", "table": "filter", "name": "DOCKER", "handle": 2}}]}
                """);
        assertThat(chains)
                .extracting(ForeignChain::address, ForeignChain::hook)
                .containsExactly(
                        tuple("ip filter FORWARD", new Hook("filter", "forward", 0, "drop")),
                        tuple("ip filter DOCKER", Hook.NONE));
    }
}
