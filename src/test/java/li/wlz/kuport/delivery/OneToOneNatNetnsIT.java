package li.wlz.kuport.delivery;

import static li.wlz.kuport.lab.Feature.ONE_TO_ONE_NAT;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import li.wlz.kuport.lab.AddressPlan;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NodeReason;
import li.wlz.kuport.model.PortMapReport.Published;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Edge has private IPv4 addresses behind a provider that translates public ones to them, as clouds do. */
class OneToOneNatNetnsIT {
    @RegisterExtension
    static final Stage STAGE = new Stage(Layout.plain().with(ONE_TO_ONE_NAT));

    private static final String PUBLIC = AddressPlan.A1.ipv4().toString();

    private final World world = STAGE.world();

    @BeforeAll
    static void serve() {
        Ways.serve(STAGE, "nodes: {edge: {interfaces: [eth0], external: {%s: %s}}}".formatted(local(), PUBLIC));
    }

    private static IpAddress local() {
        return STAGE.world().edge().uplinks().getFirst().addresses().getFirst().ipv4();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void D3_clients_dial_the_public_addresses(Protocol protocol) {
        for (IpFamily family : IpFamily.values()) {
            Ways.everyServerSees(
                    List.of(world.cli(), world.cli2()),
                    protocol,
                    List.of(AddressPlan.A1.of(family), AddressPlan.A2.of(family)));
        }
    }

    @Test
    void D3_the_public_address_is_published_and_the_local_one_reported() {
        Agent agent = STAGE.cluster().agent(world.edge());
        assertThat(agent.report("far-tcp").published())
                .singleElement()
                .extracting(Published::interfaceName, Published::address)
                .containsExactly("eth0", AddressPlan.A1.ipv4());
        assertThat(agent.outcome().decision().report().interfaces().get("eth0")).startsWith(local());
        assertThat(agent.problems()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void D3_clients_on_the_nodes_dial_the_public_address_too(Protocol protocol) {
        IpAddress dialled = AddressPlan.A1.ipv4();
        MeshNode edge = world.edge();
        MeshNode home = world.home1();
        Dial far = Dial.to(protocol, dialled, Ways.FAR).within(Visits.PATIENCE);
        Dial near = Dial.to(protocol, dialled, Ways.NEAR).within(Visits.PATIENCE);

        for (Namespace client : List.of(edge.namespace(), edge.pod(1).namespace())) {
            Visits.answered(client, far, "home1-pod1");
            Visits.answered(client, near, "edge-pod1");
        }
        Visits.seenAsItself(edge.pod(1).namespace(), far, "home1-pod1");
        Visits.answered(home.namespace(), far, "home1-pod1");
        Visits.seenAsItself(home.pod(2).namespace(), far, "home1-pod1");
        Visits.answered(home.pod(1).namespace(), far, "home1-pod1");
        Visits.answered(home.pod(2).namespace(), near, "edge-pod1");
    }

    @Test
    void D3_a_class_that_lists_the_public_address_as_the_nodes_own_is_told_so() {
        STAGE.cluster()
                .put("other", Manifests.portMapClass("other", "nodes: {edge: {addresses: [%s]}}".formatted(PUBLIC)));
        try {
            assertThat(STAGE.cluster()
                            .agent(world.edge())
                            .outcome()
                            .decision()
                            .report()
                            .problems())
                    .singleElement()
                    .satisfies(problem -> {
                        assertThat(problem.reason()).isEqualTo(NodeReason.AddressNotOnNode);
                        assertThat(problem.message()).contains(PUBLIC);
                    });
        } finally {
            STAGE.cluster().remove("other");
        }
    }
}
