package li.wlz.kuport.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTest {
    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 192.0.2.1",
        "255.255.255.255, 255.255.255.255",
        "2001:DB8::9, 2001:db8::9",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "2001:0db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "0:0:0:0:0:0:0:0, ::",
        "0:0:0:0:0:0:0:1, ::1",
        "1:0:0:0:0:0:0:0, 1::",
        "::ffff:192.0.2.1, ::ffff:192.0.2.1",
        "fe80::1, fe80::1",
    })
    void is_printed_as_rfc_5952_has_it(String text, String printed) {
        assertThat(IpAddress.parse(text)).hasToString(printed);
        assertThat(IpAddress.parse(printed)).isEqualTo(IpAddress.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1",
                "1.2.3",
                "1.2.3.4.5",
                "1.2.3.256",
                "01.2.3.4",
                "1.2.3.4 ",
                "1..3.4",
                "localhost",
                "example.com",
                ":",
                ":::",
                "fe80::1%eth0",
                "[::1]",
                "2001:db8::g",
                "12345::",
                "1:2:3:4:5:6:7:8:9",
                "::1/64"
            })
    void what_is_no_address_is_refused(String text) {
        assertThat(IpAddress.tryParse(text)).isEmpty();
    }

    @Test
    void bytes_and_text_agree_with_the_jdk() throws Exception {
        Random random = new Random(1);
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = new byte[random.nextBoolean() ? 4 : 16];
            random.nextBytes(bytes);
            for (int zero = random.nextInt(bytes.length); zero > 0; zero--) {
                bytes[random.nextInt(bytes.length)] = 0;
            }
            IpAddress address = IpAddress.of(bytes);
            assertThat(address.bytes()).isEqualTo(bytes);
            assertThat(IpAddress.parse(address.toString())).isEqualTo(address);
            assertThat(address.toInetAddress()).isEqualTo(InetAddress.getByAddress(bytes));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3, false",
        "172.16.0.1, false",
        "172.32.0.1, true",
        "192.168.0.1, false",
        "100.64.0.1, false",
        "100.128.0.1, true",
        "169.254.1.1, false",
        "127.0.0.1, false",
        "240.0.0.1, false",
        "224.0.0.1, false",
        "203.0.113.9, true",
        "0.0.0.0, false",
        "2001:db8::1, true",
        "fd00::1, false",
        "fc00::1, false",
        "fe80::1, false",
        "febf::1, false",
        "fec0::1, true",
        "ff02::1, false",
        "::1, false",
        "::, false"
    })
    void global_is_what_means_the_same_host_everywhere(String text, boolean global) {
        assertThat(IpAddress.parse(text).isGlobal()).isEqualTo(global);
    }

    @Test
    void sorts_by_family_then_by_number() {
        assertThat(IpAddress.parse("9.0.0.0")).isLessThan(IpAddress.parse("200.0.0.0"));
        assertThat(IpAddress.parse("255.0.0.0")).isLessThan(IpAddress.parse("::1"));
        assertThat(IpAddress.parse("fd00::1")).isGreaterThan(IpAddress.parse("2001:db8::1"));
    }
}
