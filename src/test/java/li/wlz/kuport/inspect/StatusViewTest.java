package li.wlz.kuport.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapNode;
import org.junit.jupiter.api.Test;

/** What {@code kuport status} makes of objects as the API server gives them. */
class StatusViewTest {
    private static final String SERVED = """
            metadata: {name: gameserver, namespace: games, generation: 1}
            spec: {className: public, protocol: UDP, port: 3000, serviceRef: {name: gameserver, port: game}}
            status:
              endpoint: {node: home1, pod: gameserver-0, address: 10.244.2.9}
              published: [{node: edge, interface: eth0, address: 203.0.113.9, address6: "2001:db8::9"}]
              observedGeneration: 1
              conditions:
                - {type: Accepted, status: "True", reason: Valid, message: ""}
                - {type: Programmed, status: "True", reason: AllNodesReady, message: ""}
            """;
    private static final String REFUSED = """
            metadata: {name: voice, namespace: games, generation: 2}
            spec: {className: public, protocol: UDP, port: 10000, endPort: 10009, serviceRef: {name: voice, port: 1}}
            status:
              observedGeneration: 2
              conditions:
                - {type: Programmed, status: "False", reason: NoReadyEndpoint, message: no pod is ready}
                - {type: Accepted, status: "False", reason: ServiceNotFound, message: there is no Service voice}
            """;
    private static final String NODE = """
            metadata: {name: home1}
            status: {problems: [{reason: ForwardingDisabled, message: forwarding is off}]}
            """;

    private static PortMap portMap(String text) {
        return Serialization.unmarshal(text, PortMap.class);
    }

    @Test
    void a_table_tells_each_mapping_and_each_node_with_a_problem() {
        StatusView view = StatusView.of(
                List.of(portMap(REFUSED), portMap(SERVED)), List.of(Serialization.unmarshal(NODE, PortMapNode.class)));
        assertThat(view.text()).isEqualTo("""
                MAPPING            PORT              ADDRESS                   POD            NODE    WHY NOT
                games/gameserver   3000/UDP          203.0.113.9,2001:db8::9   gameserver-0   home1
                games/voice        10000-10009/UDP   -                         -              -       ServiceNotFound: there is no Service voice

                NODE    PROBLEM
                home1   ForwardingDisabled: forwarding is off
                """);
        assertThat(view.allServed()).isFalse();
    }

    @Test
    void a_status_of_an_older_generation_or_none_is_pending() {
        StatusView changed =
                StatusView.of(List.of(portMap(SERVED.replace("generation: 1}", "generation: 2}"))), List.of());
        StatusView fresh = StatusView.of(List.of(portMap(SERVED.substring(0, SERVED.indexOf("status:")))), List.of());
        for (StatusView view : List.of(changed, fresh)) {
            assertThat(view.mappings()).singleElement().satisfies(mapping -> {
                assertThat(mapping.served()).isFalse();
                assertThat(mapping.reason()).isEqualTo("Pending");
            });
        }
        assertThat(StatusView.of(List.of(portMap(SERVED)), List.of()).allServed())
                .isTrue();
    }

    @Test
    void without_mappings_that_is_said() {
        assertThat(StatusView.of(List.of(), List.of()).text()).isEqualTo("There are no PortMaps.\n");
    }
}
