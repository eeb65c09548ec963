package li.wlz.kuport.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import li.wlz.kuport.ScratchNamespace;
import li.wlz.kuport.ffm.NetlinkSocket;
import li.wlz.kuport.ffm.NetlinkSocket.Datagram;
import li.wlz.kuport.ffm.Nftables;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.InterfaceAddress;
import li.wlz.kuport.model.InterfaceRoute;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Listener;
import li.wlz.kuport.model.MacAddress;
import li.wlz.kuport.model.NetworkInterface;
import li.wlz.kuport.model.Ours;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.netlink.Address;
import li.wlz.kuport.netlink.Flow;
import li.wlz.kuport.netlink.ForwardingEntry;
import li.wlz.kuport.netlink.Link;
import li.wlz.kuport.netlink.Message;
import li.wlz.kuport.netlink.Neighbour;
import li.wlz.kuport.netlink.Request;
import li.wlz.kuport.netlink.Route;
import li.wlz.kuport.netlink.RoutingState;
import li.wlz.kuport.netlink.Rule;
import li.wlz.kuport.nft.Listing;
import li.wlz.kuport.reconcile.spi.Node;
import li.wlz.kuport.reconcile.spi.Node.Observation;
import li.wlz.kuport.reconcile.spi.NodeException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KernelNodeNetnsIT {
    private static final MacAddress MAC = MacAddress.parse("0a:00:00:00:00:0a");
    private static final MacAddress PEER = MacAddress.parse("0a:00:00:00:00:0b");
    private static final int TABLE = 0x6b700001;

    private static final Request.CreateVxlan CREATE = new Request.CreateVxlan(
            "kup0", "kuport", Ours.LINK_GROUP, MAC, 1370, 4242, 4790, IpAddress.parse("100.64.0.1"));
    private static final Address ADDRESS = new Address("kup0", IpAddress.parse("240.0.0.1"), 32, 0, Address.PERMANENT);
    private static final Address ADDRESS6 =
            new Address("kup0", IpAddress.parse("fd6b:7570:77::1"), 128, 0, Address.PERMANENT | Address.NODAD);
    private static final Neighbour NEIGHBOUR = new Neighbour("kup0", IpAddress.parse("240.0.0.2"), PEER);
    private static final Neighbour NEIGHBOUR6 = new Neighbour("kup0", IpAddress.parse("fd6b:7570:77::2"), PEER);
    private static final ForwardingEntry FORWARDING = new ForwardingEntry("kup0", PEER, IpAddress.parse("100.64.0.2"));
    private static final Route HOST_ROUTE = route("240.0.0.2/32", Route.TABLE_MAIN, "kup0", null, false, 0, 1300);
    private static final Route HOST_ROUTE6 =
            route("fd6b:7570:77::2/128", Route.TABLE_MAIN, "kup0", null, false, 1024, 1290);
    private static final Route DEFAULT = route("0.0.0.0/0", TABLE, "kup0", "240.0.0.2", true, 10, 0);
    private static final Route DEFAULT6 = route("::/0", TABLE, "kup0", "fd6b:7570:77::2", true, 10, 0);
    private static final Route REFUSAL = refusing(Route.Type.UNREACHABLE, "0.0.0.0/0", 0xffff);
    private static final Route REFUSAL6 = refusing(Route.Type.UNREACHABLE, "::/0", 0xffff);
    private static final Route THROW = refusing(Route.Type.THROW, "10.244.1.5/32", 1);
    private static final Route THROW6 = refusing(Route.Type.THROW, "fd00::5/128", 1);
    private static final Rule RULE = new Rule(IpFamily.IPV4, 90, TABLE, 0xfff000ff, TABLE, Ours.ROUTE_PROTOCOL);
    private static final Rule RULE6 = new Rule(IpFamily.IPV6, 90, TABLE, 0xfff000ff, TABLE, Ours.ROUTE_PROTOCOL);

    private static final List<Request> EVERYTHING = List.of(
            CREATE,
            new Request.SetRpFilter("kup0", 2),
            new Request.SetUp("kup0"),
            new Request.AddAddress(ADDRESS),
            new Request.AddAddress(ADDRESS6),
            new Request.AddNeighbour(NEIGHBOUR),
            new Request.AddNeighbour(NEIGHBOUR6),
            new Request.AddForwardingEntry(FORWARDING),
            new Request.AddRoute(HOST_ROUTE),
            new Request.AddRoute(HOST_ROUTE6),
            new Request.AddRoute(DEFAULT),
            new Request.AddRoute(DEFAULT6),
            new Request.AddRoute(REFUSAL),
            new Request.AddRoute(REFUSAL6),
            new Request.AddRoute(THROW),
            new Request.AddRoute(THROW6),
            new Request.AddRule(RULE),
            new Request.AddRule(RULE6));

    private static final List<Request> NOTHING_LEFT = List.of(
            new Request.DeleteRule(RULE),
            new Request.DeleteRule(RULE6),
            new Request.DeleteRoute(THROW),
            new Request.DeleteRoute(THROW6),
            new Request.DeleteRoute(REFUSAL),
            new Request.DeleteRoute(REFUSAL6),
            new Request.DeleteRoute(DEFAULT),
            new Request.DeleteRoute(DEFAULT6),
            new Request.DeleteRoute(HOST_ROUTE),
            new Request.DeleteRoute(HOST_ROUTE6),
            new Request.DeleteForwardingEntry(FORWARDING),
            new Request.DeleteNeighbour(NEIGHBOUR),
            new Request.DeleteNeighbour(NEIGHBOUR6),
            new Request.DeleteAddress(ADDRESS),
            new Request.DeleteAddress(ADDRESS6));

    private ScratchNamespace namespace = new ScratchNamespace();
    private final AtomicInteger dirty = new AtomicInteger();

    private static Route route(
            String destination,
            int table,
            String device,
            @Nullable String gateway,
            boolean onlink,
            int metric,
            int mtu) {
        return new Route(
                table,
                Route.Type.UNICAST,
                Cidr.parse(destination),
                device,
                gateway == null ? null : IpAddress.parse(gateway),
                onlink,
                metric,
                Ours.ROUTE_PROTOCOL,
                mtu,
                null);
    }

    private static Route refusing(Route.Type type, String destination, int metric) {
        return new Route(TABLE, type, Cidr.parse(destination), null, null, false, metric, Ours.ROUTE_PROTOCOL, 0, null);
    }

    @BeforeEach
    void anUplink() {
        namespace.sh("ip link add eth0 type veth peer name far0; ip link set eth0 up; ip link set far0 up;"
                + "ip address add 203.0.113.9/24 dev eth0; ip address add 203.0.113.10/24 dev eth0;"
                + "ip address add 2001:db8::9/64 dev eth0 nodad;"
                + "ip address add 2001:db8::a/64 dev eth0 nodad preferred_lft 0 valid_lft 900;"
                + "ip route add default via 203.0.113.1");
    }

    @AfterEach
    void closeNamespace() {
        namespace.close();
    }

    /** Runs a test on a thread inside, with a node that is not watched. */
    private void inside(Consumer<KernelNode> test) throws Exception {
        namespace.call(() -> {
            try (KernelNode node = KernelNode.open(Settings.defaults("edge-a"))) {
                test.accept(node);
            }
            return true;
        });
    }

    /** As {@link #inside}, watched, and read once. */
    private void watched(Consumer<KernelNode> test) throws Exception {
        inside(node -> {
            node.start(dirty::incrementAndGet);
            node.observe();
            // What the kernel still does of itself with a new device (duplicate address detection, carrier) is news
            // too.
            Awaitility.await().until(this::settled);
            dirty.set(0);
            test.accept(node);
        });
    }

    private boolean settled() throws InterruptedException {
        int before = dirty.get();
        Thread.sleep(400);
        return dirty.get() == before;
    }

    private void awaitDirty(int atLeast) {
        Awaitility.await().until(() -> dirty.get() >= atLeast);
    }

    @Test
    void this_kernel_has_all_that_is_needed_and_nothing_of_ours() throws Exception {
        inside(node -> {
            Observation seen = node.observe();
            assertThat(seen.facts().problems()).isEmpty();
            assertThat(seen.table()).isEqualTo(Listing.NOTHING);
            assertThat(seen.routing().rules()).isEmpty();
            assertThat(seen.routing().routes()).isEmpty();
            assertThat(seen.markedFlows()).isEmpty();
        });
        assertThat(namespace.sh("nft list ruleset")).as("what the probes left").isEmpty();
    }

    @Test
    void interfaces_are_seen_with_their_addresses_in_the_kernels_order() throws Exception {
        inside(node -> {
            NetworkInterface eth0 =
                    node.observe().facts().networkInterface("eth0").orElseThrow();
            assertThat(eth0.up()).isTrue();
            assertThat(eth0.mtu()).isEqualTo(1500);
            assertThat(eth0.addresses())
                    .filteredOn(address -> !address.address().isLinkLocal())
                    .containsExactly(
                            InterfaceAddress.of("203.0.113.9", 24),
                            InterfaceAddress.of("203.0.113.10", 24),
                            new InterfaceAddress(IpAddress.parse("2001:db8::a"), 64, false, true, false, true),
                            InterfaceAddress.of("2001:db8::9", 64));
            NetworkInterface lo = node.observe().facts().networkInterface("lo").orElseThrow();
            assertThat(lo.loopback()).isTrue();
            assertThat(lo.holds(IpAddress.parse("::1"))).isTrue();
        });
    }

    @Test
    void routes_of_table_main_are_seen_each_next_hop_as_one() throws Exception {
        namespace.sh("ip route add 198.51.100.0/24 nexthop via 203.0.113.2 nexthop via 203.0.113.3 onlink dev eth0;"
                + "ip route add 192.0.2.0/24 via 203.0.113.2 metric 30 src 203.0.113.10;"
                + "ip route add blackhole 10.9.0.0/16; ip route add 10.8.0.0/16 dev eth0 table 77;"
                + "ip route add 2001:db8:1::/48 via 2001:db8::1");
        inside(node -> assertThat(node.observe().facts().routes())
                .filteredOn(route -> !route.destination().network().isLinkLocal()
                        && !route.destination().network().isMulticast())
                .containsExactlyInAnyOrder(
                        leaving("0.0.0.0/0", "203.0.113.1", false, 0, null),
                        leaving("192.0.2.0/24", "203.0.113.2", false, 30, "203.0.113.10"),
                        leaving("198.51.100.0/24", "203.0.113.2", false, 0, null),
                        leaving("198.51.100.0/24", "203.0.113.3", true, 0, null),
                        leaving("203.0.113.0/24", null, false, 0, "203.0.113.9"),
                        leaving("2001:db8::/64", null, false, 256, null),
                        leaving("2001:db8:1::/48", "2001:db8::1", false, 1024, null)));
    }

    @Test
    void a_block_that_a_route_makes_local_is_seen() throws Exception {
        namespace.sh("ip route add local 203.0.113.64/28 dev lo; ip -6 route add local 2001:db8:5::/64 dev lo");
        inside(node -> assertThat(node.observe().facts().routes())
                .filteredOn(route -> route.device().equals("lo"))
                .extracting(InterfaceRoute::destination)
                .containsExactlyInAnyOrder(Cidr.parse("203.0.113.64/28"), Cidr.parse("2001:db8:5::/64")));
    }

    private static InterfaceRoute leaving(
            String destination, @Nullable String gateway, boolean onlink, int metric, @Nullable String source) {
        return new InterfaceRoute(
                "eth0",
                Cidr.parse(destination),
                gateway == null ? null : IpAddress.parse(gateway),
                onlink,
                metric,
                source == null ? null : IpAddress.parse(source));
    }

    @Test
    void bound_sockets_are_seen_connected_ones_are_not() throws Exception {
        inside(node -> {
            try (ServerSocket any = new ServerSocket(8080);
                    ServerSocket one = new ServerSocket(8081, 1, InetAddress.ofLiteral("203.0.113.9"));
                    DatagramSocket udp = new DatagramSocket(new InetSocketAddress("2001:db8::9", 53));
                    DatagramSocket connected = new DatagramSocket(54)) {
                connected.connect(InetAddress.ofLiteral("203.0.113.10"), 9);
                assertThat(List.of(any, one, udp, connected)).doesNotContainNull();
                assertThat(node.observe().facts().listeners())
                        .containsExactlyInAnyOrder(
                                new Listener(Protocol.TCP, IpAddress.parse("::"), 8080, false, null),
                                new Listener(Protocol.TCP, IpAddress.parse("203.0.113.9"), 8081, false, null),
                                new Listener(Protocol.UDP, IpAddress.parse("2001:db8::9"), 53, true, null));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    void sysctls_are_those_of_the_namespace() throws Exception {
        String inside = namespace.sh("sysctl -n net.ipv4.ip_forward net.ipv4.conf.all.rp_filter");
        inside(node -> {
            var sysctls = node.observe().facts().sysctls();
            assertThat((sysctls.forwarding4() ? 1 : 0) + "\n" + sysctls.rpFilterAll() + "\n")
                    .isEqualTo(inside);
            assertThat(sysctls.ipv6()).isTrue();
            assertThat(sysctls.ephemeralPorts().first()).isPositive();
        });
    }

    @Test
    void every_request_is_carried_out_and_reads_back_as_it_was_asked() throws Exception {
        inside(node -> {
            node.send(EVERYTHING);
            RoutingState routing = node.observe().routing();
            Link link = routing.link("kup0").orElseThrow();
            assertThat(link.vxlan()).isEqualTo(new Link.Vxlan(4242, 4790, IpAddress.parse("100.64.0.1"), false));
            assertThat(List.of(link.alias(), link.kind())).containsExactly("kuport", "vxlan");
            assertThat(List.of(link.group(), link.mtu(), link.rpFilter())).containsExactly(Ours.LINK_GROUP, 1370, 2);
            assertThat(link.mac()).isEqualTo(MAC);
            assertThat(link.up()).isTrue();
            assertThat(routing.addresses()).containsExactly(ADDRESS, ADDRESS6);
            assertThat(routing.neighbours()).containsExactly(NEIGHBOUR, NEIGHBOUR6);
            assertThat(routing.forwarding()).containsExactly(FORWARDING);
            assertThat(routing.routes())
                    .isEqualTo(new TreeSet<>(
                            List.of(HOST_ROUTE, HOST_ROUTE6, DEFAULT, DEFAULT6, REFUSAL, REFUSAL6, THROW, THROW6)));
            assertThat(routing.rules()).containsExactly(RULE, RULE6);
        });
        assertThat(namespace.sh("ip -d link show kup0"))
                .contains("mtu 1370", "group " + Ours.LINK_GROUP, "alias kuport", "addrgenmode none")
                .contains("vxlan id 4242 local 100.64.0.1", "dstport 4790 nolearning");
        assertThat(namespace.sh("ip -6 address show kup0")).doesNotContain("fe80");
        assertThat(namespace.sh("ip neigh show dev kup0 nud permanent"))
                .contains("240.0.0.2 lladdr " + PEER + " PERMANENT proto 109");
        assertThat(namespace.sh("bridge fdb show dev kup0")).isEqualTo(PEER + " dst 100.64.0.2 self permanent\n");
        assertThat(namespace.sh("ip route show table " + TABLE).lines().map(String::strip))
                .containsExactly(
                        "default via 240.0.0.2 dev kup0 proto 109 metric 10 onlink",
                        "unreachable default proto 109 metric 65535",
                        "throw 10.244.1.5 proto 109 metric 1");
        assertThat(namespace.sh("ip route show 240.0.0.2")).contains("mtu lock 1300");
        assertThat(namespace.sh("ip rule show pref 90"))
                .isEqualTo("90:\tfrom all fwmark 0x6b700001/0xfff000ff lookup 1802502145 proto 109\n");
    }

    @Test
    void asking_twice_changes_nothing_and_is_no_error() throws Exception {
        inside(node -> {
            node.send(EVERYTHING);
            RoutingState first = node.observe().routing();
            node.send(EVERYTHING);
            assertThat(node.observe().routing()).isEqualTo(first);
        });
    }

    @Test
    void everything_can_be_deleted_twice() throws Exception {
        inside(node -> {
            RoutingState before = node.observe().routing();
            node.send(EVERYTHING);
            node.send(NOTHING_LEFT);
            RoutingState emptied = node.observe().routing();
            assertThat(emptied.addresses()).isEmpty();
            assertThat(emptied.neighbours()).isEmpty();
            assertThat(emptied.forwarding()).isEmpty();
            assertThat(emptied.routes()).isEmpty();
            assertThat(emptied.rules()).isEmpty();
            node.send(NOTHING_LEFT);
            node.send(List.of(new Request.DeleteLink("kup0")));
            node.send(List.of(new Request.DeleteLink("kup0")));
            node.send(NOTHING_LEFT);
            assertThat(node.observe().routing()).isEqualTo(before);
        });
    }

    @Test
    void a_device_is_changed_in_place() throws Exception {
        inside(node -> {
            node.send(EVERYTHING);
            int index = node.observe().routing().link("kup0").orElseThrow().index();
            ForwardingEntry moved = new ForwardingEntry("kup0", PEER, IpAddress.parse("100.64.0.3"));
            Route thinner = route("240.0.0.2/32", Route.TABLE_MAIN, "kup0", null, false, 0, 1200);
            node.send(List.of(
                    new Request.SetVxlanLocal("kup0", IpAddress.parse("100.64.0.7")),
                    new Request.SetMtu("kup0", 1340),
                    new Request.AddForwardingEntry(moved),
                    new Request.AddRoute(thinner)));
            RoutingState routing = node.observe().routing();
            Link link = routing.link("kup0").orElseThrow();
            assertThat(link.index()).isEqualTo(index);
            assertThat(link.mtu()).isEqualTo(1340);
            assertThat(link.vxlan()).isEqualTo(new Link.Vxlan(4242, 4790, IpAddress.parse("100.64.0.7"), false));
            assertThat(routing.forwarding()).containsExactly(moved);
            assertThat(routing.routes()).contains(thinner).doesNotContain(HOST_ROUTE);
        });
    }

    @Test
    void a_device_too_thin_for_ipv6_is_made_without_it() throws Exception {
        inside(node -> {
            node.send(List.of(new Request.CreateVxlan(
                    "kup0", "kuport", Ours.LINK_GROUP, MAC, 1000, 4242, 4790, IpAddress.parse("fd00::1"))));
            Link link = node.observe().routing().link("kup0").orElseThrow();
            assertThat(link.alias()).isEqualTo("kuport");
            assertThat(link.vxlan()).isEqualTo(new Link.Vxlan(4242, 4790, IpAddress.parse("fd00::1"), false));
        });
    }

    @Test
    void a_device_that_cannot_be_marked_as_ours_is_not_left_behind() throws Exception {
        inside(node -> {
            assertThatThrownBy(() -> node.send(List.of(new Request.CreateVxlan(
                            "kup0", "x".repeat(300), 1, MAC, 1370, 1, 4790, IpAddress.parse("100.64.0.1")))))
                    .isInstanceOf(NodeException.class);
            assertThat(node.observe().routing().link("kup0")).isEmpty();
        });
    }

    @Test
    void a_foreign_device_of_our_name_is_left_alone() throws Exception {
        namespace.sh("ip link add kup0 type vxlan id 9 dstport 9999 nolearning; ip address add 192.0.2.1/24 dev kup0");
        inside(node -> {
            node.send(List.of(CREATE));
            RoutingState routing = node.observe().routing();
            assertThat(routing.link("kup0").orElseThrow().alias()).isEmpty();
            assertThat(routing.addresses()).isEmpty();
        });
    }

    @Test
    void each_request_is_tried_and_each_refusal_named() throws Exception {
        inside(node -> assertThatThrownBy(() -> node.send(List.of(
                        new Request.SetMtu("nowhere", 1000),
                        new Request.AddRoute(route("10.0.0.0/8", TABLE, "eth0", "192.0.2.77", false, 0, 0)),
                        new Request.AddAddress(ADDRESS),
                        new Request.AddRule(RULE))))
                .isInstanceOf(NodeException.class)
                .hasMessageContaining("SetMtu[name=nowhere, mtu=1000]: ENODEV (No such device)")
                .hasMessageContaining("ENETUNREACH (Network is unreachable): Nexthop has invalid gateway")
                .hasMessageContaining("there is no device kup0"));
        assertThat(namespace.sh("ip rule show pref 90")).as("the last one").contains("0x6b700001");
    }

    private static List<Flow> all(Node node) {
        Node.FoundFlows flows = node.flows(flow -> true, Integer.MAX_VALUE);
        assertThat(flows.some()).hasSize(flows.all());
        return flows.some();
    }

    @Test
    void tracked_connections_are_listed_by_mark_and_forgotten_one_by_one() throws Exception {
        namespace.sh(
                "conntrack -I -p udp -s 198.51.100.7 -d 203.0.113.9 --sport 4000 --dport 3000 -t 100 -m 0x6b700001;"
                        + "conntrack -I -p tcp -s 2001:db8::7 -d 2001:db8::9 --sport 4000 --dport 80 --state ESTABLISHED"
                        + " -t 100 -m 0x6b710081;"
                        + "conntrack -I -p udp -s 198.51.100.8 -d 203.0.113.9 --sport 53 --dport 53 -t 100 -m 7");
        inside(node -> {
            assertThat(node.observe().markedFlows()).containsExactly(0x6b700001, 0x6b710081);
            List<Flow> flows = all(node);
            assertThat(flows).hasSize(3);
            Flow game = flows.stream()
                    .filter(flow -> flow.mark() == 0x6b700001)
                    .findFirst()
                    .orElseThrow();
            assertThat(game.original())
                    .isEqualTo(new Flow.Tuple(
                            IpAddress.parse("198.51.100.7"), IpAddress.parse("203.0.113.9"), 4000, 3000));
            assertThat(game.protocol()).isEqualTo(17);
            node.forget(List.of(game));
            node.forget(List.of(game));
            assertThat(node.observe().markedFlows()).containsExactly(0x6b710081);
            Flow web = all(node).stream()
                    .filter(flow -> flow.protocol() == 6)
                    .findFirst()
                    .orElseThrow();
            node.forget(List.of(web));
        });
        assertThat(namespace.sh("conntrack -L; conntrack -L -f ipv6"))
                .contains("src=198.51.100.8")
                .doesNotContain("198.51.100.7", "2001:db8::7");
    }

    @Test
    void an_entry_of_the_same_connection_with_another_id_is_not_forgotten() throws Exception {
        namespace.sh("conntrack -I -p udp -s 198.51.100.7 -d 203.0.113.9 --sport 4000 --dport 3000 -t 100");
        inside(node -> {
            Flow current = all(node).getFirst();
            Flow replaced = new Flow(
                    current.protocol(),
                    current.original(),
                    current.reply(),
                    current.mark(),
                    current.status(),
                    current.id() ^ 1);
            node.forget(List.of(replaced));
            assertThat(all(node)).containsExactly(current);
        });
    }

    @Test
    void our_table_is_listed_and_a_script_is_run_as_one_transaction() throws Exception {
        inside(node -> {
            node.run("add table inet kuport\nadd set inet kuport s { type mark; }\n", Listing.NOTHING);
            assertThat(node.observe().table().present()).isTrue();
            assertThat(node.observe().table().sets()).containsOnlyKeys("s");
            assertThatThrownBy(() -> node.run(
                            "add set inet kuport t { type mark; }\nadd rule inet kuport nowhere accept\n",
                            Listing.NOTHING))
                    .isInstanceOf(NodeException.class)
                    .hasMessageContaining("nft: Error");
            assertThat(node.observe().table().sets()).containsOnlyKeys("s");
        });
    }

    @Test
    void what_was_written_is_kept_and_not_read_back() throws Exception {
        watched(node -> {
            Listing told = Listing.parse("{\"nftables\": [{\"table\": {\"family\": \"inet\", \"name\": \"kuport\"}}]}");
            node.run("add table inet kuport\nadd set inet kuport s { type mark; }\n", told);
            assertThat(node.observe().table()).isSameAs(told);
            node.distrust();
            assertThat(node.observe().table().sets()).containsOnlyKeys("s");
        });
    }

    @Test
    void our_own_changes_are_no_news() throws Exception {
        watched(node -> {
            node.run("add table inet kuport\nadd set inet kuport s { type mark; }\n", Listing.NOTHING);
            node.run("add element inet kuport s { 1, 2, 3 }\n", Listing.NOTHING);
            node.run("delete element inet kuport s { 1 }\n", Listing.NOTHING);
            namespace.sh("nft add element inet kuport s '{ 9 }'");
            awaitDirty(1);
            Route own = route("10.0.0.0/8", TABLE, "eth0", "203.0.113.1", false, 0, 0);
            node.send(List.of(
                    new Request.AddRule(RULE),
                    new Request.AddRoute(own),
                    new Request.DeleteRoute(own),
                    new Request.DeleteRule(RULE)));
            namespace.sh("ip rule add pref 5000 lookup 77");
            awaitDirty(2);
            assertThat(dirty).as("two foreign changes").hasValue(2);
        });
    }

    @Test
    void changes_of_other_tables_are_no_news() throws Exception {
        watched(node -> {
            node.run("add table inet kuport\nadd set inet kuport s { type mark; }\n", Listing.NOTHING);
            namespace.sh("nft add table ip kube-proxy; nft add table ip6 kuport; nft add chain ip kube-proxy c;"
                    + "for i in 1 2 3 4 5 6 7 8 9; do nft add rule ip kube-proxy c counter; done;"
                    + "nft delete table ip kube-proxy;"
                    + "ip route add 10.7.0.0/16 dev eth0 table 77; ip neigh add 203.0.113.77 lladdr " + PEER
                    + " dev eth0");
            namespace.sh("nft add element inet kuport s '{ 9 }'");
            awaitDirty(1);
            namespace.sh("ip rule add pref 5000 lookup 77");
            awaitDirty(2);
            assertThat(dirty).hasValue(2);
        });
    }

    @Test
    void a_foreign_flush_of_all_tables_is_noticed() throws Exception {
        watched(node -> {
            node.run("add table inet kuport\n", Listing.NOTHING);
            namespace.sh("nft flush ruleset");
            awaitDirty(1);
            assertThat(node.observe().table()).isEqualTo(Listing.NOTHING);
        });
    }

    @Test
    void a_foreign_deletion_of_anything_of_ours_is_noticed() throws Exception {
        watched(node -> {
            for (String deletion : List.of(
                    "ip route del default table " + TABLE + " metric 10",
                    "ip -6 route del unreachable default table " + TABLE,
                    "ip route del 240.0.0.2",
                    "ip rule del pref 90",
                    "ip -6 rule del pref 90",
                    "ip neigh del 240.0.0.2 dev kup0",
                    "bridge fdb del " + PEER + " dev kup0",
                    "ip address del 240.0.0.1/32 dev kup0",
                    "ip link set kup0 down",
                    "ip link set kup0 mtu 1300",
                    "ip link del kup0")) {
                node.send(EVERYTHING);
                RoutingState whole = node.observe().routing();
                quiet();
                namespace.sh(deletion);
                awaitDirty(1);
                assertThat(node.observe().routing()).as(deletion).isNotEqualTo(whole);
            }
        });
    }

    /** Waits for the kernel's own consequences of our requests; a sentinel of somebody else's comes after them. */
    private void quiet() {
        dirty.set(0);
        namespace.sh("ip rule add pref 5000 lookup 77; ip rule del pref 5000");
        awaitDirty(2);
        dirty.set(0);
    }

    @Test
    void a_switched_setting_is_noticed() throws Exception {
        watched(node -> {
            boolean before = node.observe().facts().sysctls().forwarding4();
            namespace.sh("sysctl -w net.ipv4.ip_forward=" + (before ? 0 : 1));
            awaitDirty(1);
            assertThat(node.observe().facts().sysctls().forwarding4()).isNotEqualTo(before);
        });
    }

    @Test
    void an_address_that_comes_or_goes_is_noticed() throws Exception {
        watched(node -> {
            namespace.sh("ip address add 203.0.113.44/24 dev eth0");
            awaitDirty(1);
            assertThat(node.observe().facts().holderOf(IpAddress.parse("203.0.113.44")))
                    .isPresent();
            dirty.set(0);
            namespace.sh("ip address del 203.0.113.44/24 dev eth0");
            awaitDirty(1);
            assertThat(node.observe().facts().holderOf(IpAddress.parse("203.0.113.44")))
                    .isEmpty();
        });
    }

    @Test
    void F6_a_missing_part_of_nftables_is_named() throws Exception {
        namespace.call(() -> {
            try (Nftables nftables = Nftables.open()) {
                List<ExpressionProbe.Part> parts = new ArrayList<>(ExpressionProbe.NEEDED);
                parts.add(new ExpressionProbe.Part(
                        "warp drives (nft_warp)", "add rule inet kuport-probe c warp engage\n"));
                assertThat(new ExpressionProbe(nftables).missing(parts))
                        .singleElement()
                        .asString()
                        .startsWith("warp drives (nft_warp): nft: Error");
            }
            return true;
        });
    }

    /** What a process without NET_ADMIN is told to run. */
    static final class WithoutPermission {
        private WithoutPermission() {}

        public static void main(String[] arguments) {
            try (KernelNode node = KernelNode.open(Settings.defaults("edge-a"))) {
                node.start(() -> {});
                Observation seen = node.observe();
                System.out.println(seen.facts().problems());
                System.out.println(seen.facts().networkInterface("eth0").isPresent());
            }
        }
    }

    @Test
    void without_the_permission_to_change_anything_the_facts_say_so() throws Exception {
        Process process = new ProcessBuilder(
                        "ip",
                        "netns",
                        "exec",
                        namespace.path().getFileName().toString(),
                        "setpriv",
                        "--bounding-set=-net_admin",
                        "--inh-caps=-net_admin",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        WithoutPermission.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("PermissionMissing", "NET_ADMIN").endsWith("true\n");
    }

    @Test
    void a_dump_that_changes_interrupt_still_holds_all_that_was_there_all_the_time() throws Exception {
        StringBuilder devices = new StringBuilder();
        for (int i = 0; i < 150; i++) {
            devices.append("link add steady").append(i).append(" type bridge\n");
        }
        namespace.sh("ip -batch - <<'END'\n" + devices + "END");
        Process churn =
                namespace.start("sh", "-c", "while :; do ip link add churn type bridge; ip link del churn; done");
        try {
            namespace.call(() -> {
                AtomicInteger interruptions = new AtomicInteger();
                try (Conversation conversation =
                        new Conversation(() -> new CountingChannel(routeSocket(), interruptions))) {
                    long end = System.nanoTime() + 30_000_000_000L;
                    do {
                        assertThat(Routing.read(conversation).links())
                                .filteredOn(link -> link.name().startsWith("steady"))
                                .hasSize(150);
                    } while (interruptions.get() == 0 && System.nanoTime() < end);
                }
                assertThat(interruptions).hasPositiveValue();
                return true;
            });
        } finally {
            churn.destroy();
            churn.waitFor();
        }
    }

    private static Channel routeSocket() {
        return Channel.of(NetlinkSocket.open(NetlinkSocket.NETLINK_ROUTE));
    }

    /** Counts the datagrams that say that their dump was interrupted. */
    private record CountingChannel(Channel real, AtomicInteger interruptions) implements Channel {
        @Override
        public void send(byte[] message) {
            real.send(message);
        }

        @Override
        public Optional<Datagram> receive(int milliseconds) {
            var datagram = real.receive(milliseconds);
            if (datagram.isPresent()
                    && Message.split(datagram.get().bytes()).stream()
                            .anyMatch(message -> message.has(Message.NLM_F_DUMP_INTR))) {
                interruptions.incrementAndGet();
            }
            return datagram;
        }

        @Override
        public int portId() {
            return real.portId();
        }

        @Override
        public boolean isClosed() {
            return real.isClosed();
        }

        @Override
        public void close() {
            real.close();
        }
    }
}
