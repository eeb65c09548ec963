package li.wlz.kuport.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

/** Objects as the API server really writes them survive being made slim. */
class SlimTest {
    private static <T> T read(Class<T> type, String yaml) {
        return new KubernetesSerialization().unmarshal(yaml, type);
    }

    @Test
    void a_slice_whose_endpoints_are_null_has_none() {
        EndpointSlice slice = read(EndpointSlice.class, """
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: gameserver-x, namespace: games, labels: {kubernetes.io/service-name: gameserver}}
                addressType: IPv4
                endpoints: null
                ports: null
                """);
        assertThat(Slim.slice(slice).getEndpoints()).isEmpty();
    }

    @Test
    void a_Service_without_ports_has_none() {
        Service service = read(Service.class, """
                apiVersion: v1
                kind: Service
                metadata: {name: elsewhere, namespace: games}
                spec: {type: ExternalName, externalName: example.org}
                """);
        service.getSpec().setPorts(null);
        assertThat(Slim.service(service).getSpec().getPorts()).isEmpty();
    }
}
