package li.wlz.kuport.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import java.util.ArrayList;
import java.util.List;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapSpec;
import li.wlz.kuport.model.ObjectKey;
import org.junit.jupiter.api.Test;

class SliceStoreTest {
    private static final ObjectKey SERVICE = new ObjectKey("games", "s");

    private final List<ObjectKey> asked = new ArrayList<>();
    private final SliceStore store = new SliceStore(new Object(), () -> {}, asked::add);

    private static PortMap naming(String service) {
        PortMap portMap = new PortMap();
        portMap.setMetadata(
                new ObjectMetaBuilder().withNamespace("games").withName("m").build());
        portMap.setSpec(
                new PortMapSpec("c", "UDP", 1, null, null, new PortMapSpec.ServiceRef(service, new IntOrString("p"))));
        return portMap;
    }

    private static EndpointSlice slice(String name, String address) {
        return new EndpointSliceBuilder()
                .withNewMetadata()
                .withNamespace("games")
                .withName(name)
                .addToLabels(Slim.SERVICE_LABEL, "s")
                .endMetadata()
                .withAddressType("IPv4")
                .addNewEndpoint()
                .withAddresses(address)
                .endEndpoint()
                .build();
    }

    private List<String> kept() {
        return store.values()
                .map(s -> s.getMetadata().getName() + " "
                        + s.getEndpoints().getFirst().getAddresses().getFirst())
                .toList();
    }

    private void see(EndpointSlice slice) {
        store.put(store.getKey(slice), slice);
    }

    @Test
    void before_the_watch_begins_nothing_needs_to_be_asked_for() {
        store.portMapChanged(null, naming("s"));
        assertThat(asked).isEmpty();
        assertThat(store.complete()).isTrue();
    }

    @Test
    void a_Service_that_comes_to_be_named_is_asked_for_once() {
        store.watching();
        store.portMapChanged(null, naming("s"));
        store.portMapChanged(null, naming("s"));
        assertThat(asked).containsExactly(SERVICE);
        assertThat(store.complete()).isFalse();
        store.found(SERVICE, List.of(slice("s-1", "10.0.0.1")));
        assertThat(store.complete()).isTrue();
        assertThat(kept()).containsExactly("s-1 10.0.0.1");
    }

    @Test
    void what_the_watch_says_meanwhile_counts_more_than_the_answer() {
        store.watching();
        store.portMapChanged(null, naming("s"));
        see(slice("changed", "10.0.0.2"));
        store.remove("games/deleted");
        store.found(
                SERVICE,
                List.of(slice("changed", "10.0.0.1"), slice("deleted", "10.0.0.3"), slice("other", "10.0.0.4")));
        assertThat(kept()).containsExactly("changed 10.0.0.2", "other 10.0.0.4");
    }

    @Test
    void the_last_PortMap_that_leaves_a_Service_takes_its_slices_along() {
        store.portMapChanged(null, naming("s"));
        store.portMapChanged(null, naming("s"));
        see(slice("s-1", "10.0.0.1"));
        store.portMapChanged(naming("s"), naming("t"));
        assertThat(kept()).isNotEmpty();
        store.portMapChanged(naming("s"), null);
        assertThat(kept()).isEmpty();
        see(slice("s-1", "10.0.0.1"));
        assertThat(kept()).isEmpty();
    }

    @Test
    void an_answer_that_comes_when_nobody_names_the_Service_any_more_is_dropped() {
        store.watching();
        store.portMapChanged(null, naming("s"));
        store.portMapChanged(naming("s"), null);
        store.found(SERVICE, List.of(slice("s-1", "10.0.0.1")));
        assertThat(kept()).isEmpty();
        assertThat(store.complete()).isTrue();
    }
}
