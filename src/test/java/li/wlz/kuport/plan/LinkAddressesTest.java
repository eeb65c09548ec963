package li.wlz.kuport.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.MacAddress;
import li.wlz.kuport.model.Settings;
import org.junit.jupiter.api.Test;

class LinkAddressesTest {
    private static final LinkAddresses DEFAULT =
            new LinkAddresses(Settings.DEFAULT_LINK_RANGE4, Settings.DEFAULT_LINK_RANGE6);

    @Test
    void addresses_and_macs_are_those_of_every_other_release() throws IOException {
        LinkAddresses other = new LinkAddresses(Cidr.parse("198.18.0.0/24"), Cidr.parse("fd00::/16"));
        List<String> computed = golden().stream()
                .map(line -> line.split(" "))
                .map(field -> {
                    if (field[0].equals("mac")) {
                        return "mac " + field[1] + " " + DEFAULT.mac(field[1]);
                    }
                    String from = field[1];
                    String to = field[2];
                    String entry = field[3].equals("-") ? "" : field[3];
                    return String.join(
                            " ",
                            "link",
                            from,
                            to,
                            field[3],
                            DEFAULT.towards(IpFamily.IPV4, from, to, entry).toString(),
                            DEFAULT.towards(IpFamily.IPV6, from, to, entry).toString(),
                            other.towards(IpFamily.IPV4, from, to, entry).toString(),
                            other.towards(IpFamily.IPV6, from, to, entry).toString());
                })
                .toList();
        assertThat(computed).isEqualTo(golden()).hasSizeGreaterThan(15);
    }

    private static List<String> golden() throws IOException {
        try (InputStream file = LinkAddressesTest.class.getResourceAsStream("/plan/link-addresses.txt")) {
            return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
        }
    }

    @Test
    void names_that_join_alike_are_kept_apart() {
        assertThat(DEFAULT.towards(IpFamily.IPV6, "a", "bc", "d"))
                .isNotEqualTo(DEFAULT.towards(IpFamily.IPV6, "ab", "c", "d"))
                .isNotEqualTo(DEFAULT.towards(IpFamily.IPV6, "a", "b", "cd"));
    }

    @Test
    void the_two_directions_and_the_entry_points_have_addresses_of_their_own() {
        assertThat(Set.of(
                        DEFAULT.own(IpFamily.IPV4, "edge-a"),
                        DEFAULT.gateway(IpFamily.IPV4, "edge-a", "home1"),
                        DEFAULT.gateway(IpFamily.IPV4, "home1", "edge-a"),
                        DEFAULT.towards(IpFamily.IPV4, "edge-a", "home1", "eth0"),
                        DEFAULT.towards(IpFamily.IPV4, "edge-a", "home1", "eth1")))
                .hasSize(5);
    }

    @Test
    void every_address_lies_in_its_range_whatever_the_prefix() {
        for (int prefix = 0; prefix <= 24; prefix++) {
            Cidr range4 = Cidr.containing(IpAddress.parse("240.1.2.3"), prefix);
            for (int prefix6 : List.of(0, 1, 48, 63, 64, 65, 96)) {
                Cidr range6 = Cidr.containing(IpAddress.parse("fd6b:7570:77::1"), prefix6);
                LinkAddresses links = new LinkAddresses(range4, range6);
                assertThat(range4.contains(links.own(IpFamily.IPV4, "edge-a"))).isTrue();
                assertThat(range6.contains(links.own(IpFamily.IPV6, "edge-a"))).isTrue();
            }
        }
    }

    @Test
    void the_limited_broadcast_and_the_range_s_first_address_are_never_used() {
        LinkAddresses small = new LinkAddresses(Cidr.parse("255.255.255.0/24"), Cidr.parse("fd00::/96"));
        Set<String> seen = new HashSet<>();
        for (int node = 0; node < 5000; node++) {
            seen.add(small.own(IpFamily.IPV4, "node-" + node).toString());
        }
        assertThat(seen).hasSize(254).doesNotContain("255.255.255.0", "255.255.255.255");
    }

    @Test
    void a_mac_is_locally_administered_and_unicast() {
        MacAddress mac = DEFAULT.mac("edge-a");
        assertThat(mac.bytes()[0] & 0b11).isEqualTo(0b10);
        assertThat(mac).isNotEqualTo(DEFAULT.mac("edge-b"));
    }
}
