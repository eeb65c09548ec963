package li.wlz.kuport.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.Sorted;
import org.junit.jupiter.api.Test;

class OutsideTest {
    @Test
    void outside_is_what_is_public_and_not_the_clusters() {
        var cluster = Sorted.copyOf(List.of(Cidr.parse("203.0.113.77/32"), Cidr.parse("2001:db8:42::/56")));
        Map<String, Boolean> expected = Map.ofEntries(
                Map.entry("198.51.100.7", true),
                Map.entry("203.0.113.76", true),
                Map.entry("203.0.113.77", false),
                Map.entry("10.1.2.3", false),
                Map.entry("100.64.0.1", false),
                Map.entry("127.0.0.1", false),
                Map.entry("169.254.1.1", false),
                Map.entry("172.16.0.1", false),
                Map.entry("192.168.1.1", false),
                Map.entry("224.0.0.1", false),
                Map.entry("255.255.255.255", false),
                Map.entry("0.1.2.3", false),
                Map.entry("2001:db8:1::7", true),
                Map.entry("64:ff9b::c000:201", true),
                Map.entry("2001:db8:42::7", false),
                Map.entry("fd00::1", false),
                Map.entry("fe80::1", false),
                Map.entry("::1", false),
                Map.entry("ff02::1", false));
        expected.forEach((address, outside) -> assertThat(Outside.contains(IpAddress.parse(address), cluster))
                .as(address)
                .isEqualTo(outside));
    }
}
