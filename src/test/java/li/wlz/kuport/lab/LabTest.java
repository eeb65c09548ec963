package li.wlz.kuport.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.Test;

/** What of the lab needs no namespaces. */
class LabTest {
    private static final Peer CLIENT = new Peer(AddressPlan.CLIENT.ipv6(), 40_000);

    @Test
    void an_answer_tells_the_sender_and_what_arrived() {
        byte[] request = Message.request(7, 100, 2_000);

        byte[] answer = Message.answer(Message.readRequest(request), CLIENT, "pod");

        assertThat(answer).hasSize(2_000);
        assertThat(Message.readAnswer(answer))
                .isEqualTo(new Message.Echo(7, 100, Message.checksum(request), CLIENT, "pod"));
    }

    @Test
    void an_answer_is_as_long_as_what_it_says_even_if_less_was_asked_for() {
        byte[] answer = Message.answer(Message.readRequest(Message.request(7, 16, 0)), CLIENT, "a long label");

        assertThat(Message.readAnswer(answer).label()).isEqualTo("a long label");
        assertThat(answer).hasSizeLessThan(70);
    }

    @Test
    void messages_changed_or_cut_on_their_way_are_told_from_whole_ones() {
        byte[] answer = Message.answer(Message.readRequest(Message.request(7, 16, 500)), CLIENT, "pod");
        byte[] changed = answer.clone();
        changed[499]++;

        assertThatThrownBy(() -> Message.readAnswer(changed))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("changed on its way");
        assertThatThrownBy(() -> Message.readAnswer(Arrays.copyOf(answer, 499)))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("not whole");
        assertThatThrownBy(() -> Message.readRequest(new byte[3])).isInstanceOf(LabException.class);
        assertThatThrownBy(() -> Message.request(7, 15, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_reply_to_another_request_is_none() {
        byte[] request = Message.request(7, 64, 64);
        byte[] other = Message.answer(Message.readRequest(Message.request(8, 64, 64)), CLIENT, "pod");

        assertThatThrownBy(() -> Sockets.reply(request, other, CLIENT, CLIENT))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("answered what was not sent");
    }

    @Test
    void no_address_of_the_plan_is_given_twice() throws IllegalAccessException {
        List<IpAddress> all = new ArrayList<>();
        for (var field : AddressPlan.class.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getType() == DualAddress.class) {
                all.addAll(((DualAddress) field.get(null)).both());
            }
            if (Modifier.isStatic(field.getModifiers()) && field.getType() == Segment.class) {
                all.addAll(((Segment) field.get(null)).gateway().both());
            }
        }
        // Edge's private network is another one in IPv4 alone; and the pods' first block begins where all pods' does.
        all.removeAll(AddressPlan.EDGE_PRIVATE.gateway().both());
        all.addAll(AddressPlan.EDGE.gateway().both().subList(1, 2));
        for (int node = 1; node <= 4; node++) {
            int number = node;
            IntStream.rangeClosed(1, 9)
                    .forEach(pod -> all.addAll(AddressPlan.pod(number, pod).both()));
        }

        assertThat(all).hasSizeGreaterThan(80).doesNotHaveDuplicates();
    }

    @Test
    void outside_addresses_mean_the_same_everywhere_and_inside_ones_do_not() {
        for (IpFamily family : IpFamily.values()) {
            assertThat(AddressPlan.A1.of(family).isGlobal()).isTrue();
            assertThat(AddressPlan.CLIENT.of(family).isGlobal()).isTrue();
            assertThat(AddressPlan.MESH.host(1).of(family).isGlobal()).isFalse();
            assertThat(AddressPlan.pod(1, 1).of(family).isGlobal()).isFalse();
            assertThat(AddressPlan.PODS
                            .of(family)
                            .contains(AddressPlan.pod(4, 9).of(family)))
                    .isTrue();
        }
    }

    @Test
    void a_layout_brings_what_its_features_need() {
        Layout layout = Layout.plain().with(Feature.POINT_TO_POINT_UPLINK, Feature.SECOND_PUBLIC_NODE);

        assertThat(layout.has(Feature.SECOND_UPLINK)).isTrue();
        assertThat(layout.podsOf("edge2")).isEqualTo(1);
        assertThat(layout.pods("home2", 3).podsOf("home2")).isEqualTo(3);
        assertThatThrownBy(() -> layout.pods("home3", 1)).hasMessageContaining("no node home3");
    }

    @Test
    void background_texts_have_no_gaps_left() {
        for (String name : List.of("edge", "home1")) {
            MeshNode node = new MeshNode(Namespace.named(name), World.HOME1, List.of(), List.of());

            assertThat(Background.node(node) + Background.ingressFirewall(node))
                    .contains("10.244.2.0/24", "fd10:244:0:2::/64", "wg-" + name)
                    .doesNotContainPattern("@[a-z0-9-]+@");
        }
    }

    @Test
    void an_isolated_process_is_known_by_the_mount_on_run() {
        String isolated = "68 45 0:40 / /run rw,relatime - tmpfs kuport-lab rw,mode=755\n";

        assertThat(Isolation.isIsolated("22 27 0:21 / /proc rw - proc proc rw\n" + isolated))
                .isTrue();
        assertThat(Isolation.isIsolated("68 45 0:40 / /run rw,relatime - tmpfs tmpfs rw\n"))
                .isFalse();
        assertThat(Isolation.isIsolated("68 45 0:40 / /mnt rw,relatime - tmpfs kuport-lab rw\n"))
                .isFalse();
        assertThat(Isolation.isIsolated("")).isFalse();
    }

    @Test
    void the_command_that_isolates_ends_with_the_one_to_run() {
        assertThat(Isolation.command(List.of("java", "-jar", "kuport.jar")))
                .startsWith("sh", "-c")
                .endsWith("java", "-jar", "kuport.jar");
    }

    @Test
    void a_world_outside_of_isolation_is_refused_with_what_to_do() {
        assertThatThrownBy(() -> World.build(Layout.plain()))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("scripts/isolated/bin/java");
    }

    @Test
    void a_snapshot_without_kuport_lacks_exactly_what_is_kuports() {
        Snapshot snapshot = new Snapshot(List.of(
                "link: 3: eth0: <UP> mtu 1500",
                "link: 9: kup0: <UP> mtu 1370",
                "rule4: 90:\tfrom all fwmark 0x6b700001/0xfff000ff lookup 1802502145 proto 109",
                "rule4: 91:\tfrom all fwmark 0x1 lookup 7 proto 1090",
                "route4: 240.0.0.2 dev kup0 proto 109 scope link",
                "route4: default via 203.0.113.1 dev eth0",
                "sysctl: /proc/sys/net/ipv4/conf/kup0/rp_filter:2",
                "sysctl: /proc/sys/net/ipv4/conf/eth0/rp_filter:2",
                "nft: table inet kuport { # handle 7",
                "nft: \tchain forward { # handle 1",
                "nft: \t}",
                "nft: }",
                "nft: table inet kuport-not { # handle 8",
                "nft: }"));

        assertThat(snapshot.withoutKuport().lines())
                .containsExactly(
                        "link: 3: eth0: <UP> mtu 1500",
                        "rule4: 91:\tfrom all fwmark 0x1 lookup 7 proto 1090",
                        "route4: default via 203.0.113.1 dev eth0",
                        "sysctl: /proc/sys/net/ipv4/conf/eth0/rp_filter:2",
                        "nft: table inet kuport-not { # handle 8",
                        "nft: }");
        assertThat(snapshot.hasKuport()).isTrue();
        assertThat(snapshot.withoutKuport().hasKuport()).isFalse();
        assertThat(snapshot.difference(snapshot.withoutKuport())).hasSize(7).allMatch(line -> line.startsWith("- "));
    }

    @Test
    void a_dial_says_what_it_is_in_a_message() {
        assertThat(Dial.to(Protocol.UDP, AddressPlan.A1.ipv6(), 3000)
                        .fromPort(40_000)
                        .bytes(1_400))
                .hasToString("udp [2001:db8:9::9]:3000 port 40000 with 1400 bytes");
    }
}
