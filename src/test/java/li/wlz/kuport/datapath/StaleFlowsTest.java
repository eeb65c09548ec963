package li.wlz.kuport.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.netlink.Flow;
import org.junit.jupiter.api.Test;

class StaleFlowsTest {
    private static final int OURS = 0x6b7005ff;
    private static final int FOREIGN = 0x00004000;
    private static final String DIALLED = "203.0.113.9 3000";

    private static Flow flow(Protocol protocol, String dialled, String answers, int mark) {
        boolean translated = !dialled.equals(answers);
        var to = Plans.target(dialled);
        var from = Plans.target(answers);
        return new Flow(
                protocol.number(),
                new Flow.Tuple(
                        Plans.ip("198.51.100.7"),
                        to.address(),
                        40000,
                        to.ports().first()),
                new Flow.Tuple(
                        from.address(), Plans.ip("198.51.100.7"), from.ports().first(), 40000),
                mark,
                translated ? Flow.DST_NAT : 0,
                1);
    }

    private static Flow udp(String dialled, String answers, int mark) {
        return flow(Protocol.UDP, dialled, answers, mark);
    }

    private static Flow tcp(String dialled, String answers, int mark) {
        return flow(Protocol.TCP, dialled, answers, mark);
    }

    private static NodePlan plan(Map<String, String> accept) {
        return Plans.accepting(Plans.deliveries(accept));
    }

    private static final NodePlan PLAN = plan(Map.of(
            "udp " + DIALLED,
            "10.244.0.7 30000",
            "tcp " + DIALLED,
            "10.244.0.7 30000",
            "udp 203.0.113.9 10000-20000",
            "10.244.0.7 10000-20000"));

    private static boolean isStale(NodePlan plan, Flow flow) {
        return new Datapath(Plans.SETTINGS).stale(plan).test(flow);
    }

    @Test
    void U4_a_flow_that_leads_where_it_should_is_never_touched() {
        assertThat(isStale(PLAN, udp(DIALLED, "10.244.0.7 30000", OURS))).isFalse();
        assertThat(isStale(PLAN, tcp(DIALLED, "10.244.0.7 30000", OURS))).isFalse();
        assertThat(isStale(PLAN, udp("203.0.113.9 10000", "10.244.0.7 10000", OURS)))
                .isFalse();
        assertThat(isStale(PLAN, udp("203.0.113.9 20000", "10.244.0.7 20000", OURS)))
                .isFalse();
    }

    @Test
    void U1_a_flow_to_a_former_pod_is_stale() {
        assertThat(isStale(PLAN, udp(DIALLED, "10.244.0.8 30000", OURS))).isTrue();
        assertThat(isStale(PLAN, tcp(DIALLED, "10.244.0.8 30000", OURS))).isTrue();
        assertThat(isStale(PLAN, udp("203.0.113.9 15000", "10.244.0.8 15000", OURS)))
                .isTrue();
    }

    @Test
    void E8_pods_in_the_host_s_network_differ_by_port() {
        assertThat(isStale(PLAN, udp(DIALLED, "10.244.0.7 30001", OURS))).isTrue();
        NodePlan host = plan(Map.of("tcp 203.0.113.9 80", "203.0.113.9 80"));
        assertThat(isStale(host, tcp("203.0.113.9 80", "203.0.113.9 80", OURS))).isFalse();
        assertThat(isStale(host, tcp("203.0.113.9 80", "203.0.113.9 80", 0))).isFalse();
    }

    @Test
    void U10_tcp_stays_on_a_draining_pod_and_udp_does_not() {
        TreeMap<Dialled, Delivery> draining = new TreeMap<>();
        for (String protocol : List.of("tcp ", "udp ")) {
            draining.put(
                    Plans.dialled(protocol + DIALLED),
                    new Delivery(Plans.target("10.244.0.9 30000"), List.of(Plans.target("10.244.0.7 30000"))));
        }
        NodePlan plan = Plans.accepting(draining);
        assertThat(isStale(plan, tcp(DIALLED, "10.244.0.7 30000", OURS))).isFalse();
        assertThat(isStale(plan, udp(DIALLED, "10.244.0.7 30000", OURS))).isTrue();
        assertThat(isStale(plan, tcp(DIALLED, "10.244.0.8 30000", OURS))).isTrue();
    }

    @Test
    void E3_without_a_target_nothing_goes_on() {
        NodePlan refusing = plan(Map.of("udp " + DIALLED, "", "tcp " + DIALLED, ""));
        assertThat(isStale(refusing, udp(DIALLED, "10.244.0.7 30000", OURS))).isTrue();
        assertThat(isStale(refusing, tcp(DIALLED, "10.244.0.7 30000", OURS))).isTrue();
        assertThat(isStale(refusing, tcp(DIALLED, DIALLED, 0))).isTrue();
    }

    @Test
    void a_mapping_that_is_gone_takes_its_flows_with_it() {
        assertThat(isStale(NodePlan.EMPTY, udp(DIALLED, "10.244.0.7 30000", OURS)))
                .isTrue();
        assertThat(isStale(PLAN, udp("203.0.113.9 9999", "10.244.0.7 9999", OURS)))
                .isTrue();
        assertThat(isStale(PLAN, udp("203.0.113.9 20001", "10.244.0.7 20001", OURS)))
                .isTrue();
        assertThat(isStale(PLAN, udp("203.0.113.10 3000", "10.244.0.7 30000", OURS)))
                .isTrue();
    }

    @Test
    void U2_a_flow_older_than_its_mapping_is_stale() {
        assertThat(isStale(PLAN, udp(DIALLED, DIALLED, 0))).isTrue();
        assertThat(isStale(PLAN, tcp(DIALLED, DIALLED, FOREIGN))).isTrue();
        assertThat(isStale(PLAN, udp("203.0.113.9 12345", "203.0.113.9 12345", 0)))
                .isTrue();
    }

    @Test
    void flows_of_others_are_never_touched() {
        assertThat(isStale(PLAN, udp("203.0.113.9 53", "203.0.113.9 53", 0))).isFalse();
        assertThat(isStale(PLAN, tcp("10.96.0.1 443", "192.168.1.5 6443", FOREIGN)))
                .isFalse();
        assertThat(isStale(PLAN, tcp(DIALLED, "10.244.9.9 80", FOREIGN))).isFalse();
        Flow ping = new Flow(
                1, udp(DIALLED, DIALLED, 0).original(), udp(DIALLED, DIALLED, 0).reply(), OURS, 0, 1);
        assertThat(isStale(PLAN, ping)).isFalse();
    }

    @Test
    void a_connection_that_a_helper_expected_is_left_to_it() {
        Flow data = tcp("203.0.113.9 51000", "10.244.0.7 51000", OURS);
        Flow expected = new Flow(data.protocol(), data.original(), data.reply(), OURS, Flow.DST_NAT | 1, 1);
        assertThat(isStale(NodePlan.EMPTY, expected)).isFalse();
    }

    @Test
    void what_peers_send_and_what_own_clients_dial_is_looked_up_too() {
        NodePlan plan = new NodePlan(
                null,
                Sorted.map(),
                Sorted.map(),
                Sorted.map(),
                Plans.deliveries(Map.of("udp 240.0.0.1 3000", "10.244.0.7 30000")),
                Plans.deliveries(Map.of("udp 203.0.114.9 3000", "10.244.0.7 30000")),
                Sorted.set(),
                NodePlan.Egress.NONE);
        assertThat(isStale(plan, udp("240.0.0.1 3000", "10.244.0.7 30000", 0x6b700001)))
                .isFalse();
        assertThat(isStale(plan, udp("240.0.0.1 3000", "10.244.0.8 30000", 0x6b700001)))
                .isTrue();
        assertThat(isStale(plan, udp("203.0.114.9 3000", "10.244.0.7 30000", OURS)))
                .isFalse();
        assertThat(isStale(plan, udp("203.0.114.9 3000", "203.0.114.9 3000", 0)))
                .isTrue();
    }
}
