package li.wlz.kuport.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PodReason;
import li.wlz.kuport.model.PodReport;
import org.junit.jupiter.api.Test;

class PodNewsTest {
    private static final ObjectKey MX = new ObjectKey("mail", "mx");

    private final PodNews news = new PodNews();

    private static PodReport.Line line(int entry, PodReason reason) {
        return new PodReport.Line("entries[" + entry + "]", reason, "what is to say of it");
    }

    private static SortedMap<ObjectKey, PodReport> pod(String uid, List<PodReport.Line> lines) {
        TreeMap<ObjectKey, PodReport> pods = new TreeMap<>();
        pods.put(MX, new PodReport(MX, uid, lines));
        return pods;
    }

    private List<String> told(PodReport.Line... lines) {
        return news.of(pod("one", List.of(lines))).stream()
                .map(item -> item.reason() + " " + item.message())
                .toList();
    }

    @Test
    void what_was_told_is_told_again_when_it_changes_and_not_before() {
        assertThat(told(line(0, PodReason.AddressMissing)))
                .containsExactly("AddressMissing entries[0]: what is to say of it");
        assertThat(told(line(0, PodReason.AddressMissing))).isEmpty();
        assertThat(told(line(0, PodReason.Delivered))).containsExactly("Delivered entries[0]: what is to say of it");
        assertThat(told()).isEmpty();
        assertThat(told(line(0, PodReason.Delivered))).hasSize(1);
    }

    @Test
    void entries_of_one_reason_are_told_together_and_only_those_that_changed() {
        assertThat(told(line(0, PodReason.Delivered), line(1, PodReason.PortInUse), line(2, PodReason.Delivered)))
                .containsExactly(
                        "Delivered entries[0]: what is to say of it; entries[2]: what is to say of it",
                        "PortInUse entries[1]: what is to say of it");
        assertThat(told(line(0, PodReason.Delivered), line(1, PodReason.Delivered), line(2, PodReason.Delivered)))
                .containsExactly("Delivered entries[1]: what is to say of it");
    }

    @Test
    void of_thousands_of_entries_a_few_are_named_and_the_rest_is_counted() {
        List<PodReport.Line> many = IntStream.range(0, 4000)
                .mapToObj(entry -> line(entry, PodReason.Delivered))
                .toList();
        assertThat(news.of(pod("one", many)))
                .singleElement()
                .satisfies(item -> assertThat(item.message())
                        .startsWith("entries[0]: what is to say of it; entries[1]: ")
                        .endsWith("; entries[4]: what is to say of it; and 3995 more"));
    }

    @Test
    void long_sentences_leave_room_for_the_number_of_the_rest() {
        PodReport.Line wordy = new PodReport.Line("entries[0]", PodReason.PortConflict, "very ".repeat(150) + "long");
        PodReport.Line too = new PodReport.Line("entries[1]", PodReason.PortConflict, "very ".repeat(150) + "long");
        assertThat(news.of(pod("one", List.of(wordy, too))))
                .singleElement()
                .satisfies(item -> assertThat(item.message()).endsWith("long; and 1 more"));
    }

    @Test
    void a_pod_made_anew_under_the_same_name_is_another() {
        List<PodReport.Line> lines = List.of(line(0, PodReason.Delivered));
        assertThat(news.of(pod("one", lines))).hasSize(1);
        assertThat(news.of(pod("another", lines))).hasSize(1);
    }
}
