package li.wlz.kuport.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the API server refuses by the schemas in deploy/crds.yaml, and what it admits. */
class DefinitionsApiIT {
    private final KubernetesClient admin = ApiServer.shared().admin();

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {protocol: UDP, port: 3000, serviceRef: {name: s, port: p}}                                      | spec.className
            {className: '', protocol: UDP, port: 3000, serviceRef: {name: s, port: p}}                       | spec.className
            {className: c, port: 3000, serviceRef: {name: s, port: p}}                                       | spec.protocol
            {className: c, protocol: SCTP, port: 3000, serviceRef: {name: s, port: p}}                       | spec.protocol
            {className: c, protocol: udp, port: 3000, serviceRef: {name: s, port: p}}                        | spec.protocol
            {className: c, protocol: UDP, serviceRef: {name: s, port: p}}                                    | spec.port
            {className: c, protocol: UDP, port: 0, serviceRef: {name: s, port: p}}                           | spec.port
            {className: c, protocol: UDP, port: -1, serviceRef: {name: s, port: p}}                          | spec.port
            {className: c, protocol: UDP, port: 65536, serviceRef: {name: s, port: p}}                       | spec.port
            {className: c, protocol: UDP, port: "3000", serviceRef: {name: s, port: p}}                      | spec.port
            {className: c, protocol: UDP, port: 30.5, serviceRef: {name: s, port: p}}                        | spec.port
            {className: c, protocol: UDP, port: 3000, endPort: 2999, serviceRef: {name: s, port: p}}         | spec.endPort
            {className: c, protocol: UDP, port: 3000, endPort: 65536, serviceRef: {name: s, port: p}}        | spec.endPort
            {className: c, protocol: UDP, port: 3000, interfaces: eth0, serviceRef: {name: s, port: p}}      | spec.interfaces
            {className: c, protocol: UDP, port: 3000, interfaces: [''], serviceRef: {name: s, port: p}}      | spec.interfaces[0]
            {className: c, protocol: UDP, port: 3000, interfaces: ['a b'], serviceRef: {name: s, port: p}}   | spec.interfaces[0]
            {className: c, protocol: UDP, port: 3000, interfaces: [sixteencharacter], serviceRef: {name: s, port: p}} | spec.interfaces[0]
            {className: c, protocol: UDP, port: 3000}                                                        | spec.serviceRef
            {className: c, protocol: UDP, port: 3000, serviceRef: {port: p}}                                 | spec.serviceRef.name
            {className: c, protocol: UDP, port: 3000, serviceRef: {name: '', port: p}}                       | spec.serviceRef.name
            {className: c, protocol: UDP, port: 3000, serviceRef: {name: s}}                                 | spec.serviceRef.port
            {className: c, protocol: UDP, port: 3000, serviceRef: {name: s, port: [p]}}                      | spec.serviceRef.port
            """)
    void a_bad_PortMap_is_refused_by_name_of_the_field(String spec, String field) {
        assertThatThrownBy(() -> portMap(spec).create())
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining(field);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {returnPath: {mode: Vxlan}}                                                                      | nodes
            {nodes: {}, returnPath: {mode: Vxlan}}                                                           | nodes
            {nodes: {a: {}}, returnPath: {mode: Vxlan}}                                                      | spec.nodes
            {nodes: {a: {interfaces: []}}, returnPath: {mode: Vxlan}}                                        | spec.nodes
            {nodes: {a: {interfaces: ['a/b']}}, returnPath: {mode: Vxlan}}                                   | spec.nodes.a.interfaces[0]
            {nodes: {a: {addresses: [example.com]}}, returnPath: {mode: Vxlan}}                              | spec.nodes.a.addresses[0]
            {nodes: {a: {interfaces: [e], external: {192.168.7.2: host}}}, returnPath: {mode: Vxlan}}        | spec.nodes.a.external
            {nodeSelector: {matchLabels: {role: edge}}, returnPath: {mode: Vxlan}}                           | spec.interfaces
            {nodes: {a: {interfaces: [e]}}}                                                                  | spec.returnPath
            {nodes: {a: {interfaces: [e]}}, returnPath: {}}                                                  | spec.returnPath.mode
            {nodes: {a: {interfaces: [e]}}, returnPath: {mode: Geneve}}                                      | spec.returnPath.mode
            {nodes: {a: {interfaces: [e]}}, servingMode: Both, returnPath: {mode: None}}                     | spec.servingMode
            {nodes: {a: {interfaces: [e]}}, ports: {min: 0}, returnPath: {mode: None}}                       | spec.ports.min
            {nodes: {a: {interfaces: [e]}}, ports: {max: 65536}, returnPath: {mode: None}}                   | spec.ports.max
            {nodes: {a: {interfaces: [e]}}, ports: {min: 2000, max: 1000}, returnPath: {mode: None}}         | spec.ports.min
            {nodes: {a: {interfaces: [e]}}, returnPath: {mode: Vxlan, vxlan: {vni: 0}}}                      | spec.returnPath.vxlan.vni
            {nodes: {a: {interfaces: [e]}}, returnPath: {mode: Vxlan, vxlan: {vni: 16777216}}}               | spec.returnPath.vxlan.vni
            {nodes: {a: {interfaces: [e]}}, returnPath: {mode: Vxlan, vxlan: {port: 0}}}                     | spec.returnPath.vxlan.port
            {nodes: {a: {interfaces: [e]}}, returnPath: {mode: Vxlan, vxlan: {subnet: 169.254.77.0}}}        | spec.returnPath.vxlan.subnet
            {nodes: {a: {interfaces: [e]}}, returnPath: {mode: Vxlan, vxlan: {subnet6: 169.254.77.0/24}}}    | spec.returnPath.vxlan.subnet6
            {nodes: {a: {interfaces: [e]}}, namespaceSelector: all, returnPath: {mode: None}}                | spec.namespaceSelector
            """)
    void a_bad_PortMapClass_is_refused_by_name_of_the_field(String spec, String field) {
        assertThatThrownBy(() -> portMapClass(spec).create())
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining(field);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {className: public, protocol: UDP, port: 3000, serviceRef: {name: gameserver, port: game}}
            {className: public, protocol: TCP, port: 1, endPort: 65535, interfaces: [], serviceRef: {name: s, port: p}}
            {className: public, protocol: TCP, port: 25, endPort: 25, interfaces: [enp1s0, wt0.5, veth@x], serviceRef: {name: s, port: 25}}
            """)
    void a_good_PortMap_is_admitted(String spec) {
        assertThat(portMap(spec).create().getMetadata().getUid()).isNotEmpty();
    }

    /** The second is as the older implementation of this API documented it. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {nodes: {edge-a: {interfaces: [enp1s0, wt0], addresses: [203.0.113.9], external: {192.168.7.2: 203.0.113.9}}}, returnPath: {mode: Vxlan}}
            {nodes: {edge-a: {interfaces: [enp1s0]}}, servingMode: Multi, ports: {min: 1024, max: 65535, reserved: [8080]}, namespaceSelector: {}, returnPath: {mode: Vxlan, vxlan: {vni: 4242, port: 4790, subnet: 169.254.77.0/24, subnet6: "fd64:f5ac:e961::/112"}}}
            {nodeSelector: {matchLabels: {role: edge}}, interfaces: [enp1s0], ports: {reserved: [8080, 9000-9100], allowProtected: [22]}, returnPath: {mode: None}}
            {nodes: {a: {interfaces: [e]}}, namespaceSelector: {matchExpressions: [{key: team, operator: In, values: [games]}]}, returnPath: {mode: None}}
            """)
    void a_good_PortMapClass_is_admitted(String spec) {
        assertThat(portMapClass(spec).create().getMetadata().getUid()).isNotEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {className: d, protocol: UDP, port: 3000, endPort: 3009, serviceRef: {name: s, port: p}} | spec.className
            {className: c, protocol: TCP, port: 3000, endPort: 3009, serviceRef: {name: s, port: p}} | spec.protocol
            {className: c, protocol: UDP, port: 3001, endPort: 3009, serviceRef: {name: s, port: p}} | spec.port
            {className: c, protocol: UDP, port: 3000, endPort: 3010, serviceRef: {name: s, port: p}} | spec.endPort
            {className: c, protocol: UDP, port: 3000, serviceRef: {name: s, port: p}}                | spec.endPort
            """)
    void what_clients_dial_cannot_be_changed_later(String spec, String field) {
        GenericKubernetesResource made = portMap(
                        "{className: c, protocol: UDP, port: 3000, endPort: 3009, serviceRef: {name: s, port: p}}")
                .create();
        assertThatThrownBy(() -> resource(made, spec).update())
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining(field)
                .hasMessageContaining("immutable");
    }

    @Test
    void service_and_interfaces_can_be_changed_later() {
        GenericKubernetesResource made = portMap(
                        "{className: c, protocol: UDP, port: 3000, serviceRef: {name: s, port: p}}")
                .create();
        String spec = "{className: c, protocol: UDP, port: 3000, interfaces: [e], serviceRef: {name: t, port: 5}}";
        assertThat(resource(made, spec).update().getMetadata().getGeneration()).isEqualTo(2);
    }

    private Resource<GenericKubernetesResource> portMap(String spec) {
        return resource("kind: PortMap\nmetadata: {name: " + ApiServer.unique("m") + ", namespace: default}", spec);
    }

    private Resource<GenericKubernetesResource> portMapClass(String spec) {
        return resource("kind: PortMapClass\nmetadata: {name: " + ApiServer.unique("c") + "}", spec);
    }

    private Resource<GenericKubernetesResource> resource(String head, String spec) {
        String yaml = "apiVersion: kuport.wlz.li/v1alpha1\n" + head + "\nspec: " + spec + "\n";
        return admin.resource(admin.getKubernetesSerialization().unmarshal(yaml, GenericKubernetesResource.class));
    }

    private Resource<GenericKubernetesResource> resource(GenericKubernetesResource made, String spec) {
        GenericKubernetesResource changed =
                admin.getKubernetesSerialization().unmarshal("spec: " + spec, GenericKubernetesResource.class);
        made.setAdditionalProperty("spec", changed.getAdditionalProperties().get("spec"));
        return admin.resource(made);
    }
}
