package li.wlz.kuport.netlink;

import static li.wlz.kuport.netlink.Samples.DEVICES;
import static li.wlz.kuport.netlink.Samples.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Listener;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.Test;

class MessagesTest {
    @Test
    void a_vxlan_device_reads_as_it_was_written() {
        for (String local : List.of("100.64.0.1", "fd00::1")) {
            byte[] create = LinkMessages.create(Samples.createVxlan(local)).getFirst();
            Link link = LinkMessages.decode(message(create)).orElseThrow();
            assertThat(link)
                    .isEqualTo(new Link(
                            "kup0",
                            0,
                            "vxlan",
                            "",
                            1803,
                            1370,
                            0,
                            Samples.MAC,
                            -1,
                            new Link.Vxlan(4242, 4790, IpAddress.parse(local), false)));
        }
    }

    @Test
    void X1_outer_packets_have_a_checksum_in_ipv6_alone() {
        for (String local : List.of("100.64.0.1", "fd00::1")) {
            byte[] create = LinkMessages.create(Samples.createVxlan(local)).getFirst();
            Attributes data = message(create).attributes(16).nested(18).nested(2);
            assertThat(data.u8(18, -1)).isEqualTo(local.contains(":") ? 1 : 0);
        }
    }

    @Test
    void the_reverse_path_filter_of_a_device_is_the_eighth_value_of_its_ipv4_settings() {
        byte[] bytes = MessageWriter.request(LinkMessages.RTM_NEWLINK, 0)
                .zeros(16)
                .string(3, "eth0")
                .nested(
                        26,
                        spec -> spec.nested(
                                2,
                                inet -> inet.bytes(
                                        1,
                                        ByteBuffer.allocate(33 * 4)
                                                .order(ByteOrder.nativeOrder())
                                                .putInt(28, 2)
                                                .array())))
                .finish();
        assertThat(LinkMessages.decode(message(bytes)).orElseThrow().rpFilter()).isEqualTo(2);
    }

    @Test
    void addresses_read_as_they_were_written() {
        for (Address address : List.of(Samples.ADDRESS, Samples.ADDRESS6)) {
            assertThat(AddressMessages.decode(message(AddressMessages.add(address, DEVICES)), DEVICES))
                    .contains(address);
        }
    }

    @Test
    void an_address_with_a_peer_is_our_own_and_not_the_peers() {
        byte[] bytes = MessageWriter.request(20, 0)
                .bytes(new byte[] {2, 32, 0, 0})
                .u32(2)
                .address(1, IpAddress.parse("192.0.2.2"))
                .address(2, IpAddress.parse("192.0.2.1"))
                .finish();
        assertThat(AddressMessages.decode(message(bytes), DEVICES).orElseThrow().address())
                .isEqualTo(IpAddress.parse("192.0.2.1"));
    }

    @Test
    void neighbours_and_forwarding_entries_read_as_they_were_written_and_not_as_each_other() {
        Message neighbour = message(NeighbourMessages.add(Samples.NEIGHBOUR, DEVICES));
        Message forwarding = message(NeighbourMessages.add(Samples.FORWARDING, DEVICES));
        assertThat(NeighbourMessages.decodeNeighbour(neighbour, DEVICES)).contains(Samples.NEIGHBOUR);
        assertThat(NeighbourMessages.decodeForwarding(forwarding, DEVICES)).contains(Samples.FORWARDING);
        assertThat(NeighbourMessages.decodeNeighbour(forwarding, DEVICES)).isEmpty();
        assertThat(NeighbourMessages.decodeForwarding(neighbour, DEVICES)).isEmpty();
    }

    @Test
    void a_neighbour_that_the_kernel_learned_is_skipped() {
        byte[] learned = NeighbourMessages.add(Samples.NEIGHBOUR, DEVICES);
        learned[16 + 8] = 0x02;
        assertThat(NeighbourMessages.decodeNeighbour(message(learned), DEVICES)).isEmpty();
    }

    @Test
    void routes_read_as_they_were_written() {
        for (Route route : List.of(Samples.ROUTE, Samples.REFUSAL)) {
            assertThat(RouteMessages.decode(message(RouteMessages.add(route, DEVICES)), DEVICES))
                    .containsExactly(route);
        }
    }

    @Test
    void a_multipath_route_reads_as_one_route_for_each_next_hop() {
        Cidr destination = Cidr.parse("198.51.0.0/16");
        Route first = new Route(
                Route.TABLE_MAIN,
                Route.Type.UNICAST,
                destination,
                "eth0",
                IpAddress.parse("203.0.113.1"),
                false,
                20,
                4,
                0,
                null);
        Route second = new Route(
                Route.TABLE_MAIN,
                Route.Type.UNICAST,
                destination,
                "kup0",
                IpAddress.parse("203.0.113.2"),
                true,
                20,
                4,
                0,
                null);
        assertThat(RouteMessages.decode(message(Samples.multipath()), DEVICES)).containsExactly(first, second);
    }

    @Test
    void rules_read_as_they_were_written() {
        assertThat(RuleMessages.decode(message(RuleMessages.add(Samples.RULE)))).contains(Samples.RULE);
    }

    @Test
    void a_rule_of_anybodys_reads_with_all_that_it_asks_for() {
        PolicyRule rule =
                RuleMessages.decodePolicy(message(Samples.policyRule(0))).orElseThrow();
        assertThat(rule)
                .isEqualTo(new PolicyRule(
                        IpFamily.IPV4,
                        88,
                        true,
                        Cidr.parse("10.244.0.0/16"),
                        Cidr.parse("198.51.100.0/24"),
                        "eth0",
                        "wg0",
                        0xca6c,
                        -1,
                        false,
                        PolicyRule.Action.LOOKUP,
                        51820,
                        0));
        assertThat(rule.text())
                .isEqualTo("not from 10.244.0.0/16 to 198.51.100.0/24 iif eth0 oif wg0 fwmark 0xca6c lookup 51820"
                        + " suppress_prefixlength 0");
        assertThat(RuleMessages.decodePolicy(message(Samples.policyRule(17)))
                        .orElseThrow()
                        .asksMore())
                .isTrue();
    }

    @Test
    void a_rule_of_ours_reads_as_anybodys_too() {
        PolicyRule rule = RuleMessages.decodePolicy(message(RuleMessages.add(Samples.RULE)))
                .orElseThrow();
        assertThat(rule.text()).isEqualTo("from all fwmark 0x6b700001/0xfff000ff lookup 1802502145");
        assertThat(rule.isMain()).isFalse();
    }

    @Test
    void a_flow_reads_with_both_tuples_mark_status_and_id() {
        Flow flow = ConntrackMessages.decode(message(Samples.flow(0))).orElseThrow();
        assertThat(flow)
                .isEqualTo(new Flow(
                        17,
                        new Flow.Tuple(IpAddress.parse("198.51.100.7"), IpAddress.parse("203.0.113.9"), 40000, 3000),
                        new Flow.Tuple(IpAddress.parse("10.244.1.5"), IpAddress.parse("198.51.100.7"), 7777, 40000),
                        0x6b700001,
                        Flow.DST_NAT | Samples.SEEN_REPLY,
                        0xcafe0001));
        assertThat(flow.translated()).isTrue();
    }

    @Test
    void a_flow_of_another_zone_is_skipped() {
        assertThat(ConntrackMessages.decode(message(Samples.flow(3)))).isEmpty();
    }

    @Test
    void listeners_read_with_family_port_device_and_v6only() {
        assertThat(listener(Samples.socket(10, 10, 443, new byte[16], 0, 1)))
                .isEqualTo(new Listener(Protocol.TCP, IpAddress.parse("::"), 443, true, null));
        assertThat(listener(Samples.socket(2, 10, 8080, new byte[] {127, 0, 0, 1}, 2, 0)))
                .isEqualTo(new Listener(Protocol.TCP, IpAddress.parse("127.0.0.1"), 8080, false, "eth0"));
        assertThat(listener(Samples.socket(
                        10, 10, 25, IpAddress.parse("::ffff:192.0.2.1").bytes(), 0, 0)))
                .as("bound to an IPv4 address through IPv6")
                .isEqualTo(new Listener(Protocol.TCP, IpAddress.parse("192.0.2.1"), 25, false, null));
    }

    private static Listener listener(byte[] bytes) {
        return SocketMessages.decode(message(bytes), Protocol.TCP, DEVICES).orElseThrow();
    }

    @Test
    void sockets_in_another_state_or_without_a_port_are_skipped() {
        assertThat(SocketMessages.decode(message(Samples.socket(2, 1, 443, new byte[4], 0, 0)), Protocol.TCP, DEVICES))
                .isEmpty();
        assertThat(SocketMessages.decode(message(Samples.socket(2, 7, 0, new byte[4], 0, 0)), Protocol.UDP, DEVICES))
                .isEmpty();
    }

    @Test
    void only_messages_about_the_named_table_of_family_inet_concern_it() {
        assertThat(NftablesMessages.concerns(message(Samples.tableEvent(1, "kuport")), "kuport"))
                .isTrue();
        assertThat(NftablesMessages.concerns(message(Samples.tableEvent(2, "kuport")), "kuport"))
                .isFalse();
        assertThat(NftablesMessages.concerns(message(Samples.tableEvent(1, "kube-proxy")), "kuport"))
                .isFalse();
        assertThat(NftablesMessages.concerns(message(Samples.generation(7)), "kuport"))
                .isFalse();
        assertThat(NftablesMessages.decodeGeneration(message(Samples.generation(7))))
                .hasValue(7);
    }

    @Test
    void a_refusal_reads_with_its_number_and_the_kernels_words() {
        assertThat(message(Samples.refusal(17, "File exists")).answer())
                .isEqualTo(new Message.Answer(17, "File exists"));
    }

    @Test
    void unknown_kinds_families_devices_and_attributes_are_skipped() {
        byte[] unknownFamily = RouteMessages.add(Samples.ROUTE, DEVICES);
        unknownFamily[16] = 28;
        byte[] unknownType = RouteMessages.add(Samples.ROUTE, DEVICES);
        unknownType[16 + 7] = 99;
        byte[] unknownAttribute = MessageWriter.request(20, 0)
                .bytes(new byte[] {2, 24, 0, 0})
                .u32(2)
                .address(2, IpAddress.parse("192.0.2.1"))
                .string(999, "what will be")
                .finish();
        assertThat(RouteMessages.decode(message(unknownFamily), DEVICES)).isEmpty();
        assertThat(RouteMessages.decode(message(unknownType), DEVICES)).isEmpty();
        assertThat(RouteMessages.decode(message(RouteMessages.add(Samples.ROUTE, DEVICES)), NumberedDevices.of()))
                .isEmpty();
        assertThat(AddressMessages.decode(message(unknownAttribute), DEVICES)).isPresent();
    }

    @Test
    void a_request_for_a_device_that_is_not_there_names_it() {
        assertThatThrownBy(
                        () -> RequestMessages.encode(new Request.AddAddress(Samples.ADDRESS), NumberedDevices.of("lo")))
                .isInstanceOf(NoSuchDeviceException.class)
                .hasMessage("there is no device kup0");
    }

    @Test
    void every_request_is_one_whole_message_for_each_step_that_asks_for_an_answer() {
        List<Request> requests = List.of(
                Samples.createVxlan("100.64.0.1"),
                new Request.DeleteLink("kup0"),
                new Request.SetMtu("kup0", 1300),
                new Request.SetUp("kup0"),
                new Request.SetRpFilter("kup0", 2),
                new Request.SetVxlanLocal("kup0", IpAddress.parse("fd00::1")),
                new Request.AddAddress(Samples.ADDRESS),
                new Request.DeleteAddress(Samples.ADDRESS),
                new Request.AddNeighbour(Samples.NEIGHBOUR),
                new Request.DeleteNeighbour(Samples.NEIGHBOUR),
                new Request.AddForwardingEntry(Samples.FORWARDING),
                new Request.DeleteForwardingEntry(Samples.FORWARDING),
                new Request.AddRoute(Samples.ROUTE),
                new Request.DeleteRoute(Samples.ROUTE),
                new Request.AddRule(Samples.RULE),
                new Request.DeleteRule(Samples.RULE));
        assertThat(requests.stream().map(Request::getClass).distinct())
                .as("all kinds")
                .hasSize(Request.class.getPermittedSubclasses().length);
        for (Request request : requests) {
            for (byte[] step : RequestMessages.encode(request, DEVICES)) {
                List<Message> messages = Message.split(step);
                assertThat(messages).as("%s", request).hasSize(1);
                assertThat(messages.getFirst().has(Message.NLM_F_REQUEST)).isTrue();
                assertThat(messages.getFirst().has(Message.NLM_F_ACK)).isTrue();
            }
        }
    }

    @Test
    void dumps_ask_for_a_dump() {
        List<byte[]> dumps = List.of(
                LinkMessages.dump(),
                AddressMessages.dump(),
                NeighbourMessages.dumpNeighbours(3),
                NeighbourMessages.dumpForwarding(3),
                RouteMessages.dumpTable(IpFamily.IPV4, 254),
                RouteMessages.dumpProtocol(IpFamily.IPV6, 109),
                RuleMessages.dump(IpFamily.IPV4),
                ConntrackMessages.dump(),
                ConntrackMessages.dump(0x6b700000, 0xfff00000),
                SocketMessages.dump(Protocol.UDP, IpFamily.IPV6));
        for (byte[] dump : dumps) {
            assertThat(message(dump).flags()).isEqualTo(Message.NLM_F_REQUEST | Message.NLM_F_DUMP);
        }
    }

    @Test
    void a_message_that_is_longer_than_its_datagram_is_malformed() {
        byte[] whole = RuleMessages.add(Samples.RULE);
        for (int length = 1; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> Message.split(cut)).isInstanceOf(MalformedMessageException.class);
        }
        assertThat(Message.split(new byte[0])).isEmpty();
    }

    @Test
    void a_message_whose_length_is_nothing_is_malformed_and_does_not_hang() {
        assertThatThrownBy(() -> Message.split(new byte[64])).isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void the_sequence_number_is_written_into_a_request() {
        byte[] request = LinkMessages.dump();
        Message.number(request, 4711);
        assertThat(message(request).sequence()).isEqualTo(4711);
    }
}
