package li.wlz.kuport.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SortedDifferenceTest {
    @Test
    void sets_differ_in_what_only_one_of_them_has() {
        SortedDifference<String> difference =
                SortedDifference.of(Sorted.copyOf(List.of("a", "b", "d")), Sorted.copyOf(List.of("b", "c", "e")));
        assertThat(difference.missing()).containsExactly("a", "d");
        assertThat(difference.surplus()).containsExactly("c", "e");
    }

    @Test
    void a_key_whose_value_differs_is_missing_and_surplus() {
        SortedDifference<Map.Entry<String, Integer>> difference = SortedDifference.of(
                Sorted.copyOf(Map.of("a", 1, "b", 2)), Sorted.copyOf(Map.of("a", 1, "b", 3, "c", 4)));
        assertThat(difference.missing()).containsExactly(Map.entry("b", 2));
        assertThat(difference.surplus()).containsExactly(Map.entry("b", 3), Map.entry("c", 4));
    }

    @Test
    void equal_collections_do_not_differ() {
        assertThat(SortedDifference.of(Sorted.copyOf(List.of(1, 2)), Sorted.copyOf(List.of(1, 2)))
                        .isEmpty())
                .isTrue();
        assertThat(SortedDifference.of(Sorted.copyOf(List.of(1)), Sorted.<Integer>set())
                        .isEmpty())
                .isFalse();
    }
}
