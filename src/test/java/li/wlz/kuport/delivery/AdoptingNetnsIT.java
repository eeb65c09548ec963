package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Lasting;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.World;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is right already is left alone, by agents that go on as by those that start; what changes is changed alone. */
class AdoptingNetnsIT {
    private static final int HOME = 3000;
    private static final int EDGE = 3001;
    private static final int EXTRA = 3002;

    /** Everything of ours that could pile up, by kind. */
    private static final String INVENTORY = """
            nft --handle list table inet kuport | sed 's/^/table /'
            (ip rule; ip -6 rule) | grep 'proto 109' | sed 's/^/rule /'
            (ip -o route show table all; ip -6 -o route show table all) | grep 'proto 109' | sed 's/^/route /'
            (ip neigh show dev kup0 nud permanent; ip -6 neigh show dev kup0 nud permanent) | sed 's/^/neighbour /'
            bridge fdb show dev kup0 | sed 's/^/forwarding /'
            ip -o address show dev kup0 | sed 's/^/address /'
            """;

    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain());

    private final World world = STAGE.world();
    private final Cluster cluster = STAGE.cluster();

    @BeforeAll
    static void serve() {
        STAGE.world().nodes().forEach(node -> node.pods().forEach(STAGE::serve));
        STAGE.cluster().write("class", Manifests.portMapClass("public", "nodes: {edge: {interfaces: [eth0]}}"));
        STAGE.publish("home", "public", HOME, STAGE.endpoint("home1-pod1"));
        STAGE.publish("edge", "public", EDGE, STAGE.endpoint("edge-pod1"));
        STAGE.cluster().settle();
    }

    @Test
    void a_second_pass_and_a_restart_write_nothing_to_the_kernel() {
        try (Journals journals = new Journals(world)) {
            for (int round = 0; round < 3; round++) {
                cluster.settle();
            }
            world.nodes().forEach(node -> cluster.agent(node).restart());
            cluster.settle();

            journals.all.forEach((node, journal) -> {
                assertThat(journal.table()).as("nft on " + node).isEmpty();
                assertThat(journal.routing()).as("ip on " + node).isEmpty();
            });
        }
    }

    @Test
    void a_change_writes_what_changes_and_nothing_else() {
        cluster.write("extra", Manifests.workload("extra", Stage.POD_PORT, STAGE.endpoint("home1-pod1")))
                .settle();
        try (Journals journals = new Journals(world)) {
            cluster.put(
                    "extra-udp",
                    Manifests.portMap("extra-udp", "extra", "className: public\nprotocol: UDP\nport: " + EXTRA));
            assertThat(journals.of(world.home1()).table())
                    .as("one element of each family's map")
                    .hasSize(2)
                    .allMatch(line -> line.contains(" . udp . " + EXTRA + " : "))
                    .anyMatch(line -> line.startsWith("add element inet kuport deliver4 "))
                    .anyMatch(line -> line.startsWith("add element inet kuport deliver6 "));
            assertThat(journals.of(world.edge()).table())
                    .as("for each of four addresses, what to do and where to send")
                    .hasSize(8)
                    .allMatch(line -> line.startsWith("add element inet kuport accept"))
                    .allMatch(line -> line.contains(" . udp . " + EXTRA + " : "));
            assertThat(journals.of(world.home2()).table()).isEmpty();

            cluster.remove("extra-udp");
            assertThat(journals.of(world.home1()).table().stream().skip(2))
                    .hasSize(2)
                    .allMatch(line -> line.startsWith("delete element inet kuport deliver"))
                    .allMatch(line -> line.contains(" . udp . " + EXTRA));
            assertThat(journals.of(world.edge()).table().stream().skip(8))
                    .hasSize(8)
                    .allMatch(line -> line.startsWith("delete element inet kuport accept"));
            journals.all.forEach((node, journal) ->
                    assertThat(journal.routing()).as("ip on " + node).isEmpty());
        } finally {
            STAGE.withdraw("extra");
            cluster.settle();
        }
    }

    @Test
    void a_pod_that_moves_changes_its_elements_alone() {
        try (Journals journals = new Journals(world)) {
            STAGE.publish("home", "public", HOME, STAGE.endpoint("home1-pod2"));
            cluster.settle();
            assertThat(journals.of(world.edge()).table())
                    .as("edge sends to home1 as before")
                    .isEmpty();
            assertThat(journals.of(world.home1()).table())
                    .isNotEmpty()
                    .allMatch(line -> line.contains(" element inet kuport deliver")
                            || line.contains(" element inet kuport pods"));
            assertThat(journals.of(world.home2()).table()).isEmpty();
        } finally {
            STAGE.publish("home", "public", HOME, STAGE.endpoint("home1-pod1"));
            cluster.settle();
        }
    }

    @Test
    void U4_twenty_restarts_lose_no_packet_and_keep_every_connection() {
        try (Lasting lasting = Lasting.open(world.cli().namespace(), AddressPlan.A1, HOME, EDGE)) {
            Map<String, List<Integer>> before = Flows.ids(cluster, world.nodes(), lasting.clients());
            for (int restart = 0; restart < 20; restart++) {
                for (MeshNode node : world.nodes()) {
                    cluster.agent(node).restart().pass();
                }
                lasting.exchange();
            }
            assertThat(Flows.ids(cluster, world.nodes(), lasting.clients())).isEqualTo(before);
            assertThat(before.get("edge"))
                    .as("two ports, two protocols, two families")
                    .hasSize(8);
            lasting.lostNothing();
        }
    }

    @Test
    void F8_fifty_restarts_leave_as_many_rules_routes_and_neighbours_as_before() {
        String before = inventory();
        assertThat(before).contains("table ", "rule ", "route ", "neighbour ", "forwarding ", "address ");
        for (int restart = 0; restart < 50; restart++) {
            cluster.agent(world.edge()).restart().pass();
        }
        assertThat(inventory()).isEqualTo(before);
    }

    private String inventory() {
        return world.edge().namespace().run("sh", "-c", INVENTORY);
    }

    /** A journal of each node. */
    private record Journals(SortedMap<String, Journal> all) implements AutoCloseable {
        Journals(World world) {
            this(new TreeMap<>());
            world.nodes().forEach(node -> all.put(node.name(), Journal.start(node.namespace())));
        }

        Journal of(MeshNode node) {
            return all.getOrDefault(node.name(), all.firstEntry().getValue());
        }

        @Override
        public void close() {
            all.values().forEach(Journal::close);
        }
    }
}
