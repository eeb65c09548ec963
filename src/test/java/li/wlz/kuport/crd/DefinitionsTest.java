package li.wlz.kuport.crd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** {@code scripts/mvn test -Dtest=DefinitionsTest -Dgolden=write} writes deploy/crds.yaml anew. */
class DefinitionsTest {
    private static final Path COMMITTED = Path.of("deploy/crds.yaml");

    @Test
    void committed_definitions_are_those_of_the_classes() throws IOException {
        String generated = Definitions.yaml();
        if ("write".equals(System.getProperty("golden"))) {
            Files.createDirectories(COMMITTED.getParent());
            Files.writeString(COMMITTED, generated);
        }
        assertThat(Files.readString(COMMITTED)).isEqualTo(generated);
    }

    @Test
    void P11_the_schema_admits_no_protocol_but_TCP_and_UDP() {
        assertThat(Definitions.yaml())
                .containsPattern("protocol:\n(.*\n){1,3} +enum:\n +- TCP\n +- UDP\n +type: string");
    }
}
