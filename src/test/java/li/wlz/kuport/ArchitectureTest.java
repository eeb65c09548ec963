package li.wlz.kuport;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The plan of the house: the table of docs/architecture.md as an allow-list. */
class ArchitectureTest {
    private static final String ROOT = "li.wlz.kuport.";

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("li.wlz.kuport");

    private static final List<String> JSON = List.of("tools.jackson..", "com.fasterxml.jackson.annotation..");
    private static final List<String> FABRIC8 = List.of("io.fabric8..");

    /** What a room may use: rooms of ours, and libraries beside the JDK. */
    private record Room(List<String> rooms, List<String> libraries) {}

    private static final Map<String, Room> HOUSE = new LinkedHashMap<>();

    private static void room(String name, String rooms, List<String> libraries) {
        HOUSE.put(name, new Room(rooms.isEmpty() ? List.of() : List.of(rooms.split(" ")), libraries));
    }

    static {
        List<String> none = List.of();
        List<String> log = List.of("org.slf4j..");
        room("model", "", none);
        room("ffm", "", none);
        room("crd", "", with(FABRIC8, JSON));
        room("netlink", "model", none);
        room("nft", "model", JSON);
        room("intake", "crd model", with(FABRIC8, JSON));
        // Apart from the adapters, which may not import each other and write the same statuses, each to its own place.
        room("status", "crd model", FABRIC8);
        room("xtables", "nft model", none);
        room("plan", "model", none);
        room("datapath", "xtables nft netlink model", none);
        room("reconcile.spi", "xtables nft netlink crd model", none);
        room("reconcile", "reconcile.spi intake plan datapath nft netlink crd model", log);
        room("kernel", "xtables nft netlink ffm model reconcile.spi", log);
        room(
                "manifest",
                "status crd model reconcile.spi",
                with(with(FABRIC8, JSON), with(log, List.of("org.snakeyaml.engine.."))));
        room("k8s", "status crd model reconcile.spi", with(with(FABRIC8, JSON), log));
        room("observe", "model reconcile.spi", with(log, List.of("io.prometheus..", "com.sun.net.httpserver..")));
        room("inspect", "status intake plan datapath nft netlink crd model", with(FABRIC8, JSON));
        room("lab", "model ffm", log);
        room(
                "cli",
                "lab k8s observe manifest inspect kernel status reconcile reconcile.spi datapath plan intake xtables nft netlink crd ffm model",
                List.of("picocli..", "ch.qos.logback..", "org.slf4j..", "io.fabric8..", "tools.jackson.."));
    }

    private static List<String> with(List<String> some, List<String> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    @TestFactory
    Stream<DynamicTest> each_room_uses_only_what_the_table_allows() {
        return HOUSE.entrySet().stream()
                .map(entry -> DynamicTest.dynamicTest(entry.getKey(), () -> {
                    List<String> allowed = new ArrayList<>(List.of("java..", "javax..", "jdk..", "org.jspecify.."));
                    allowed.add(ROOT + entry.getKey());
                    entry.getValue().rooms().forEach(room -> allowed.add(ROOT + room));
                    allowed.addAll(entry.getValue().libraries());
                    classes()
                            .that(resideInAPackage(ROOT + entry.getKey()))
                            .should()
                            .onlyDependOnClassesThat(resideInAnyPackage(allowed.toArray(String[]::new))
                                    .or(JavaClass.Predicates.belongToAnyOf(Object.class))
                                    .or(new PrimitiveOrArray()))
                            .allowEmptyShould(true)
                            .check(CLASSES);
                }));
    }

    /** Arrays and primitives reside in the package {@code ""}. */
    private static final class PrimitiveOrArray extends com.tngtech.archunit.base.DescribedPredicate<JavaClass> {
        PrimitiveOrArray() {
            super("primitive or array of a primitive");
        }

        @Override
        public boolean test(JavaClass type) {
            return type.getBaseComponentType().isPrimitive();
        }
    }

    @Test
    void there_is_no_room_outside_the_table() {
        List<String> packages = CLASSES.stream()
                .map(c -> c.getPackageName())
                .distinct()
                .map(p -> p.substring(Math.min(p.length(), ROOT.length())))
                .toList();
        assertThat(HOUSE.keySet()).containsAll(packages);
    }

    @Test
    void it_saw_the_classes() {
        assertThat(CLASSES.size()).isGreaterThan(40);
        assertThat(CLASSES.stream()
                        .filter(c -> c.getSimpleName().equals("package-info"))
                        .toList())
                .hasSizeGreaterThan(10);
    }

    @Test
    void rooms_form_no_cycle() {
        slices().matching("li.wlz.kuport.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void only_ffm_knows_foreign_memory() {
        noClasses()
                .that(not(resideInAPackage(ROOT + "ffm")))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.lang.foreign..")
                .check(CLASSES);
    }

    @Test
    void the_middle_is_pure() {
        noClasses()
                .that(resideInAnyPackage(Stream.of("model", "intake", "status", "plan", "datapath", "nft", "netlink")
                        .map(p -> ROOT + p)
                        .toArray(String[]::new)))
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("java.io..", "java.nio.file..", "java.net.http..", "java.util.concurrent..")
                                .and(not(JavaClass.Predicates.assignableTo(java.io.Serializable.class))))
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.util.Random")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.Thread")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "getenv", String.class)
                .orShould()
                .callMethod(java.time.Instant.class, "now")
                .check(CLASSES);
    }

    @Test
    void every_room_is_null_marked() {
        for (String room : HOUSE.keySet()) {
            JavaPackage found = CLASSES.getPackage(ROOT + room);
            assertThat(found.isAnnotatedWith(NullMarked.class)).as(room).isTrue();
        }
    }
}
