package li.wlz.kuport.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PodAnnotations;
import li.wlz.kuport.model.PodEntry;
import li.wlz.kuport.model.PodRequest;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Sorted;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PodReaderTest {
    private static final String ENTRY = "{\"entries\":[{\"srcPort\":25,\"dstPort\":2525}]}";

    private static Pod pod(UnaryOperator<PodBuilder> change) {
        return change.apply(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace("mail")
                        .withName("mx-0")
                        .withUid("u1")
                        .withCreationTimestamp("2026-01-01T00:00:10Z")
                        .addToAnnotations("bln.space/podnat", ENTRY)
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName("edge")
                        .endSpec()
                        .withNewStatus()
                        .withPhase("Running")
                        .addNewPodIP("10.244.1.10")
                        .addNewPodIP("fd10:244::10")
                        .addNewCondition()
                        .withType("Ready")
                        .withStatus("True")
                        .endCondition()
                        .endStatus())
                .build();
    }

    private static Reading<PodRequest> reading(UnaryOperator<PodBuilder> change) {
        return new PodReader(PodAnnotations.DEFAULT).read(pod(change), "");
    }

    private static @Nullable PodRequest read(UnaryOperator<PodBuilder> change) {
        return reading(change).value();
    }

    @Test
    void a_pod_is_read_with_all_that_counts() {
        assertThat(read(p -> p))
                .isEqualTo(new PodRequest(
                        new ObjectKey("mail", "mx-0"),
                        "u1",
                        1767225610,
                        "edge",
                        Sorted.copyOf(Map.of(
                                IpFamily.IPV4,
                                IpAddress.parse("10.244.1.10"),
                                IpFamily.IPV6,
                                IpAddress.parse("fd10:244::10"))),
                        true,
                        false,
                        false,
                        List.of(new PodEntry(null, 25, 2525, Protocol.TCP)),
                        null));
    }

    @Test
    void pods_without_the_annotation_or_a_node_and_finished_ones_are_nothing() {
        assertThat(read(p ->
                        p.editMetadata().withAnnotations(Map.of("other", ENTRY)).endMetadata()))
                .isNull();
        assertThat(read(p -> p.editMetadata().withAnnotations(null).endMetadata()))
                .isNull();
        assertThat(read(p -> p.editSpec().withNodeName(null).endSpec())).isNull();
        assertThat(read(p -> p.withSpec(null))).isNull();
        assertThat(read(p -> p.editStatus().withPhase("Succeeded").endStatus())).isNull();
        assertThat(read(p -> p.editStatus().withPhase("Failed").endStatus())).isNull();
    }

    @Test
    void what_the_status_leaves_out_is_taken_as_it_is_meant() {
        assertThat(read(p -> p.withStatus(null))).isNotNull().satisfies(r -> {
            assertThat(r.addresses()).isEmpty();
            assertThat(r.ready()).isTrue();
        });
        assertThat(read(p -> p.editStatus()
                        .withPodIPs(List.of())
                        .withPodIP("10.244.1.11")
                        .endStatus()))
                .isNotNull()
                .satisfies(r -> assertThat(r.addresses())
                        .containsExactly(Map.entry(IpFamily.IPV4, IpAddress.parse("10.244.1.11"))));
        for (String notReady : List.of("False", "Unknown")) {
            assertThat(read(p -> p.editStatus()
                            .withConditions()
                            .addNewCondition()
                            .withType("Ready")
                            .withStatus(notReady)
                            .endCondition()
                            .endStatus()))
                    .isNotNull()
                    .satisfies(r -> assertThat(r.ready()).isFalse());
        }
    }

    @Test
    void deletion_and_the_hosts_network_are_told() {
        assertThat(read(p -> p.editMetadata()
                        .withDeletionTimestamp("2026-01-02T00:00:00Z")
                        .endMetadata()
                        .editSpec()
                        .withHostNetwork(true)
                        .endSpec()))
                .isNotNull()
                .satisfies(r -> {
                    assertThat(r.ending()).isTrue();
                    assertThat(r.hostNetwork()).isTrue();
                });
    }

    @Test
    void a_broken_annotation_is_a_problem_that_names_the_pod_and_hurts_no_other() {
        Reading<PodRequest> reading = reading(
                p -> p.editMetadata().addToAnnotations("bln.space/podnat", "{").endMetadata());
        assertThat(reading.value()).isNotNull().satisfies(r -> {
            assertThat(r.entries()).isEmpty();
            assertThat(r.mistake()).startsWith("is not JSON");
        });
        assertThat(reading.problems())
                .singleElement()
                .asString()
                .startsWith("Pod mail/mx-0: metadata.annotations[bln.space/podnat]: is not JSON: ");
    }
}
