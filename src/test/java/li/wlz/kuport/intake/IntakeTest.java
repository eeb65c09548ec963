package li.wlz.kuport.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapClass;
import li.wlz.kuport.crd.PortMapClassSpec;
import li.wlz.kuport.crd.PortMapSpec;
import li.wlz.kuport.crd.Resources;
import li.wlz.kuport.crd.Resources.Sourced;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.World.Refusal;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class IntakeTest {
    private final Intake intake = new Intake(null);

    private static Sourced<PortMap> portMap(String origin, String name, int port) {
        PortMap object = new PortMap();
        object.setMetadata(new ObjectMetaBuilder()
                .withNamespace("games")
                .withName(name)
                .withGeneration(2L)
                .build());
        object.setSpec(new PortMapSpec(
                "public", "TCP", port, null, null, new PortMapSpec.ServiceRef("web", new IntOrString("http"))));
        return new Sourced<>(object, origin);
    }

    private static Sourced<PortMapClass> portMapClass(@Nullable LabelSelector namespaces) {
        PortMapClass object = new PortMapClass();
        object.setMetadata(new ObjectMetaBuilder().withName("public").build());
        object.setSpec(new PortMapClassSpec(
                Map.of("edge-a", new PortMapClassSpec.NodeOffer(List.of("eth0"), null, null)),
                null,
                null,
                null,
                null,
                namespaces,
                new PortMapClassSpec.ReturnPath("Vxlan", null)));
        return new Sourced<>(object, "class.yaml");
    }

    private static Resources resources(List<Sourced<PortMapClass>> classes, List<Sourced<PortMap>> portMaps) {
        return new Resources(portMaps, classes, List.of(), List.of(), List.of(), List.of(), List.of(), List.of());
    }

    private static ObjectKey key(String name) {
        return new ObjectKey("games", name);
    }

    @Test
    void an_object_that_is_the_same_instance_is_not_read_again() {
        Sourced<PortMap> one = portMap("a.yaml", "one", 80);
        PortRequest first = intake.read(resources(List.of(), List.of(one, portMap("a.yaml", "two", 81))), true)
                .world()
                .portMaps()
                .get(key("one"));
        Intake.Result second = intake.read(resources(List.of(), List.of(one, portMap("a.yaml", "two", 82))), true);
        assertThat(second.world().portMaps().get(key("one"))).isSameAs(first);
        assertThat(second.world().portMaps().get(key("two")))
                .extracting(r -> r.ports().first())
                .isEqualTo(82);
    }

    @Test
    void reading_again_gives_what_reading_anew_gives() {
        List<Resources> versions = List.of(
                resources(List.of(), List.of(portMap("a", "one", 80), portMap("b", "one", 81))),
                resources(List.of(portMapClass(null)), List.of(portMap("b", "one", 81), portMap("c", "two", 0))),
                resources(
                        List.of(portMapClass(new LabelSelectorBuilder()
                                .addToMatchLabels("a b", "c")
                                .build())),
                        List.of(portMap("c", "two", 9))),
                resources(List.of(), List.of()));
        for (Resources version : versions) {
            assertThat(intake.read(version, true)).isEqualTo(new Intake(null).read(version, true));
        }
    }

    @Test
    void of_two_objects_with_one_name_the_first_file_counts_in_whatever_order_they_come() {
        Intake.Result result = intake.read(
                resources(List.of(), List.of(portMap("b.yaml", "one", 81), portMap("a.yaml", "one", 80))), false);
        assertThat(result.world().portMaps().get(key("one")))
                .extracting(r -> r.ports().first())
                .isEqualTo(80);
        assertThat(result.problems())
                .extracting(Object::toString)
                .containsExactly(
                        "b.yaml: PortMap games/one: metadata.name: is taken by the one in a.yaml, which counts; remove or"
                                + " rename one of the two");
    }

    @Test
    void the_second_takes_over_when_the_first_goes() {
        Sourced<PortMap> second = portMap("b.yaml", "one", 81);
        intake.read(resources(List.of(), List.of(portMap("a.yaml", "one", 80), second)), false);
        Intake.Result result = intake.read(resources(List.of(), List.of(second)), false);
        assertThat(result.problems()).isEmpty();
        assertThat(result.world().portMaps().get(key("one")))
                .extracting(r -> r.ports().first())
                .isEqualTo(81);
    }

    @Test
    void P12_a_class_with_a_bad_restriction_permits_nothing_and_its_portmaps_are_told_why() {
        LabelSelector bad = new LabelSelectorBuilder()
                .addToMatchLabels("team", "no spaces please")
                .build();
        Intake.Result result =
                intake.read(resources(List.of(portMapClass(bad)), List.of(portMap("a.yaml", "one", 80))), true);
        assertThat(result.world().classes()).isEmpty();
        assertThat(result.world().portMaps()).isEmpty();
        assertThat(result.world().refused())
                .containsExactly(new Refusal(
                        key("one"),
                        2,
                        AcceptedReason.ClassNotFound,
                        "PortMapClass public cannot be used: spec.namespaceSelector.matchLabels[team]: \"no spaces please\" is not the"
                                + " value of a label; values have letters, digits, - _ and ., at most 63, and quotes where YAML needs"
                                + " them"));
    }

    @Test
    void a_refusal_names_the_field_and_the_generation() {
        Intake.Result result = intake.read(resources(List.of(), List.of(portMap("a.yaml", "one", 70000))), true);
        assertThat(result.world().refused())
                .containsExactly(new Refusal(
                        key("one"),
                        2,
                        AcceptedReason.InvalidPortRange,
                        "spec.port: 70000 is not a port; ports are 1 to 65535"));
    }

    @Test
    void F7_one_bad_object_among_a_hundred_leaves_ninety_nine() {
        List<Sourced<PortMap>> many = new ArrayList<>();
        for (int i = 1; i <= 100; i++) {
            many.add(portMap("all.yaml", "p" + i, i == 50 ? 0 : i));
        }
        Resources resources =
                new Resources(many, List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of());
        assertThat(intake.read(resources, true).world().portMaps()).hasSize(99).doesNotContainKey(key("p50"));
    }

    @Test
    void a_node_whose_own_entry_is_wrong_is_not_given_back_by_the_selector() {
        PortMapClass object = portMapClass(null).object();
        object.setSpec(new PortMapClassSpec(
                Map.of("edge-a", new PortMapClassSpec.NodeOffer(null, List.of("not an address"), null)),
                new LabelSelectorBuilder().addToMatchLabels("role", "edge").build(),
                List.of("eth0"),
                null,
                null,
                null,
                new PortMapClassSpec.ReturnPath("Vxlan", null)));
        Intake.Result result = intake.read(resources(List.of(new Sourced<>(object, "")), List.of()), true);
        assertThat(result.world().classes().get("public")).satisfies(read -> {
            assertThat(read).isNotNull();
            assertThat(read.nodes().get("edge-a"))
                    .isNotNull()
                    .satisfies(offer -> assertThat(offer.interfaces()).isEmpty());
        });
    }
}
