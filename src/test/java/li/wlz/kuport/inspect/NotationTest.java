package li.wlz.kuport.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.InterfaceAddress;
import li.wlz.kuport.model.InterfaceRoute;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.Listener;
import li.wlz.kuport.model.MacAddress;
import li.wlz.kuport.model.MarkIndices;
import li.wlz.kuport.model.NetworkInterface;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.Sysctls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NotationTest {
    private static final NodeFacts FACTS = new NodeFacts(
            List.of(new NetworkInterface(
                    "eth0", 2, 1500, true, false, 2, List.of(InterfaceAddress.of("203.0.113.9", 24)))),
            List.of(new InterfaceRoute(
                    "eth0", Cidr.parse("0.0.0.0/0"), IpAddress.parse("203.0.113.1"), false, 100, null)),
            List.of(new Listener(Protocol.TCP, IpAddress.parse("::"), 22, false, null)),
            new MarkIndices(
                    Sorted.copyOf(Map.of(MacAddress.parse("0a:00:00:00:00:01"), 1)),
                    Sorted.copyOf(Map.of("eth0", 0x80)),
                    Sorted.copyOf(Set.of(3))),
            Sorted.copyOf(Set.of(Dialled.parse("203.0.113.9:3000/udp"))),
            new Sysctls(true, true, true, 1, new PortRange(32768, 60999)),
            List.of(new NodeProblem(NodeReason.LinkDown, "kup0 is down")));

    private final Notation notation = new Notation();

    @ParameterizedTest
    @EnumSource
    void facts_are_read_as_they_are_written(Notation.Format format) {
        assertThat(notation.read(notation.write(format, FACTS), NodeFacts.class))
                .isEqualTo(FACTS);
    }

    @Test
    void values_are_written_as_people_write_them() {
        assertThat(notation.write(Notation.Format.yaml, FACTS))
                .contains("203.0.113.9:3000/udp")
                .contains("destination: 0.0.0.0/0")
                .contains("\"0a:00:00:00:00:01\": 1");
    }

    @Test
    void a_mistake_names_the_place_and_what_is_wrong() {
        String yaml = notation.write(Notation.Format.yaml, FACTS)
                .replace("203.0.113.1\"", "203.0.113.300\"")
                .replace("gateway: 203.0.113.1", "gateway: 203.0.113.300");
        assertThatThrownBy(() -> notation.read(yaml, NodeFacts.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("203.0.113.300")
                .hasMessageContaining("line");
    }

    @Test
    void a_misspelled_field_is_a_mistake_that_names_the_right_one() {
        String yaml = notation.write(Notation.Format.yaml, FACTS).replace("forwarding4", "forwrding4");
        assertThatThrownBy(() -> notation.read(yaml, NodeFacts.class))
                .hasMessageContaining("forwarding4")
                .hasMessageContaining("line");
    }
}
