package li.wlz.kuport.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValuesTest {
    @ParameterizedTest
    @CsvSource({
        "10.244.0.0/16, 10.244.3.4, true",
        "10.244.0.0/16, 10.245.0.0, false",
        "0.0.0.0/0, 8.8.8.8, true",
        "192.0.2.1/32, 192.0.2.1, true",
        "fd6b:7570:77::/48, fd6b:7570:77:ffff::1, true",
        "fd6b:7570:77::/48, fd6b:7570:78::1, false",
        "2001:db8::/64, 2001:db8::1:0:0:1, true",
        "2001:db8::/65, 2001:db8::8000:0:0:1, false",
        "::/0, 10.0.0.1, false",
    })
    void a_block_contains_addresses_of_its_own_family_and_prefix(String block, String address, boolean contains) {
        assertThat(Cidr.parse(block).contains(IpAddress.parse(address))).isEqualTo(contains);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.0", "10.0.0.0/33", "10.0.0.1/24", "::/129", "10.0.0.0/-1", "x/8", "10.0.0.0/"})
    void what_is_no_block_is_refused(String text) {
        assertThatThrownBy(() -> Cidr.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void port_ranges_are_inclusive() {
        PortRange range = PortRange.parse("9000-9100");
        assertThat(range.contains(9000) && range.contains(9100)).isTrue();
        assertThat(range.contains(9101)).isFalse();
        assertThat(range.overlaps(PortRange.parse("9100-9200"))).isTrue();
        assertThat(range.overlaps(PortRange.of(8999))).isFalse();
        assertThat(PortRange.of(80)).hasToString("80");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "65536", "2-1", "-1", "", "a", "1-2-3", " 1"})
    void what_is_no_port_is_refused(String text) {
        assertThatThrownBy(() -> PortRange.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void K1_a_mark_keeps_the_bits_of_others() {
        MarkSpace marks = MarkSpace.DEFAULT;
        assertThat(marks.mark(0x81)).isEqualTo(0x6b700081);
        assertThat(marks.keepMask()).isEqualTo(0x000fff00);
        assertThat(marks.index(0x6b704081)).hasValue(0x81);
        assertThat(marks.index(0x00004000)).isEmpty();
        assertThat(marks.index(0x6b700000)).isEmpty();
    }

    @Test
    void K1_a_mark_space_that_cannot_hold_an_index_is_refused() {
        assertThatThrownBy(() -> new MarkSpace(0x6b700000, 0xfff00000)).hasMessageContaining("low byte");
        assertThatThrownBy(() -> new MarkSpace(0x6b7000ff, 0xfff000ff)).hasMessageContaining("mark base");
        assertThatThrownBy(() -> new MarkSpace(0x00010000, 0xfff000ff)).hasMessageContaining("mark base");
    }

    @Test
    void what_is_dialled_is_read_as_it_is_printed() {
        for (String text : List.of("203.0.113.9:3000/udp", "[2001:db8::9]:10000-20000/tcp")) {
            assertThat(Dialled.parse(text)).hasToString(text);
        }
        for (String text :
                List.of("203.0.113.9:3000", "3000/udp", "[::1]/udp", "203.0.113.9:0/udp", "1.2.3.4:1/sctp")) {
            assertThatThrownBy(() -> Dialled.parse(text)).as(text).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void a_listener_of_any_address_takes_its_own_family_and_ipv6_takes_both_unless_it_says_not() {
        Listener any6 = new Listener(Protocol.TCP, IpAddress.parse("::"), 80, false, null);
        Listener only6 = new Listener(Protocol.TCP, IpAddress.parse("::"), 80, true, null);
        IpAddress address = IpAddress.parse("203.0.113.9");
        assertThat(any6.takes(Protocol.TCP, address, 80)).isTrue();
        assertThat(only6.takes(Protocol.TCP, address, 80)).isFalse();
        assertThat(any6.takes(Protocol.UDP, address, 80)).isFalse();
        assertThat(any6.takes(Protocol.TCP, address, 81)).isFalse();
    }

    @Test
    void label_selectors_decide_as_kubernetes_does() {
        LabelSelector selector = new LabelSelector(
                Map.of("role", "edge"),
                List.of(new LabelSelector.Expression("zone", LabelSelector.Operator.NotIn, List.of("b"))));
        assertThat(selector.matches(Map.of("role", "edge"))).isTrue();
        assertThat(selector.matches(Map.of("role", "edge", "zone", "a"))).isTrue();
        assertThat(selector.matches(Map.of("role", "edge", "zone", "b"))).isFalse();
        assertThat(selector.matches(Map.of())).isFalse();
        assertThat(LabelSelector.EVERYTHING.matches(Map.of())).isTrue();
    }

    @Test
    void a_mac_address_is_read_as_it_is_printed() {
        assertThat(MacAddress.parse("0a:1B:2c:3d:4e:5f")).hasToString("0a:1b:2c:3d:4e:5f");
        assertThat(MacAddress.of(MacAddress.parse("0a:1b:2c:3d:4e:5f").bytes()))
                .isEqualTo(MacAddress.parse("0a:1b:2c:3d:4e:5f"));
        assertThatThrownBy(() -> MacAddress.parse("0a:1b")).isInstanceOf(IllegalArgumentException.class);
    }
}
