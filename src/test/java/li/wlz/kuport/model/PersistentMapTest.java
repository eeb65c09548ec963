package li.wlz.kuport.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class PersistentMapTest {
    /** Counts how often it was compared. */
    private record Counted(int number, AtomicInteger comparisons) implements Comparable<Counted> {
        @Override
        public int compareTo(Counted other) {
            comparisons.incrementAndGet();
            return Integer.compare(number, other.number);
        }

        @Override
        public boolean equals(Object other) {
            comparisons.incrementAndGet();
            return other instanceof Counted counted && counted.number == number;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    @RepeatedTest(20)
    void whatever_is_put_in_and_taken_out_it_holds_what_a_tree_map_holds(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        int keys = 1 + random.nextInt(300);
        TreeMap<Integer, Integer> expected = new TreeMap<>();
        PersistentMap<Integer, Integer> map = PersistentMap.empty();
        for (int i = 0; i < 500; i++) {
            PersistentMap<Integer, Integer> before = map;
            TreeMap<Integer, Integer> expectedBefore = new TreeMap<>(expected);
            for (int change = random.nextInt(4); change >= 0; change--) {
                int key = random.nextInt(keys);
                int value = random.nextInt(3);
                if (random.nextInt(5) < 3) {
                    map = map.with(key, value);
                    expected.put(key, value);
                } else {
                    map = map.without(key);
                    expected.remove(key);
                }
            }
            assertThat(before).isEqualTo(expectedBefore);
            assertThat(List.copyOf(map.entrySet())).isEqualTo(List.copyOf(expected.entrySet()));
            assertThat(map.size()).isEqualTo(expected.size());
            int key = random.nextInt(keys);
            assertThat(map.get(key)).isEqualTo(expected.get(key));
            assertThat(map.floorEntry(key)).isEqualTo(expected.floorEntry(key));
            assertThat(map.equals(before)).isEqualTo(expected.equals(expectedBefore));
            assertThat(SortedDifference.of(map, before)).isEqualTo(SortedDifference.of(expected, expectedBefore));
            assertThat(SortedDifference.of(map.keys(), before.keys()))
                    .isEqualTo(SortedDifference.of(Sorted.copyOf(expected.keySet()), Sorted.copyOf(before.keySet())));
        }
    }

    @Test
    void a_change_among_many_and_finding_it_touch_few_entries() {
        AtomicInteger comparisons = new AtomicInteger();
        TreeMap<Counted, String> many = new TreeMap<>();
        for (int i = 0; i < 100_000; i++) {
            many.put(new Counted(2 * i, comparisons), "value");
        }
        PersistentMap<Counted, String> before = PersistentMap.copyOf(many);
        comparisons.set(0);
        PersistentMap<Counted, String> after =
                before.with(new Counted(70_001, comparisons), "new").without(new Counted(123_456, comparisons));
        assertThat(SortedDifference.of(after, before).missing()).hasSize(1);
        assertThat(SortedDifference.of(after, before).surplus()).hasSize(1);
        assertThat(after.equals(before)).isFalse();
        assertThat(comparisons.get()).isLessThan(1000);
    }

    @Test
    void it_stays_level_when_entries_come_in_order() {
        AtomicInteger comparisons = new AtomicInteger();
        PersistentMap<Counted, String> map = PersistentMap.empty();
        for (int i = 0; i < 10_000; i++) {
            map = map.with(new Counted(i, comparisons), "value");
        }
        comparisons.set(0);
        assertThat(map.get(new Counted(0, comparisons))).isEqualTo("value");
        assertThat(comparisons.get()).isLessThan(25);
    }

    @Test
    void an_equal_entry_makes_no_other_map() {
        PersistentMap<String, String> map =
                PersistentMap.<String, String>empty().with("a", "1").with("b", "2");
        assertThat(map.with("a", "1")).isSameAs(map);
        assertThat(map.without("c")).isSameAs(map);
        assertThat(Sorted.copyOf(map)).isSameAs(map);
    }

    @Test
    void many_changes_at_once_are_the_same_as_one_after_the_other() {
        TreeMap<String, Optional<Integer>> changes =
                new TreeMap<>(Map.of("a", Optional.of(1), "b", Optional.empty(), "c", Optional.of(3)));
        assertThat(PersistentMap.<String, Integer>empty().with(changes)).isEqualTo(Map.of("a", 1, "c", 3));
        assertThat(PersistentMap.<String, Integer>empty()
                        .with("b", 2)
                        .with("d", 4)
                        .with(changes))
                .isEqualTo(Map.of("a", 1, "c", 3, "d", 4));
    }

    @Test
    void parts_of_it_are_those_of_any_sorted_map() {
        PersistentMap<Integer, String> map = PersistentMap.copyOf(new TreeMap<>(Map.of(1, "a", 2, "b", 3, "c")));
        assertThat(map.firstKey()).isEqualTo(1);
        assertThat(map.lastKey()).isEqualTo(3);
        assertThat(map.subMap(2, 3)).isEqualTo(Map.of(2, "b"));
        assertThat(map.headMap(2)).isEqualTo(Map.of(1, "a"));
        assertThat(map.tailMap(2)).isEqualTo(Map.of(2, "b", 3, "c"));
        assertThat(new ArrayList<>(map.keys().subSet(1, 3))).containsExactly(1, 2);
        assertThat(new ArrayList<>(map.keys().headSet(3))).containsExactly(1, 2);
        assertThat(new ArrayList<>(map.keys().tailSet(3))).containsExactly(3);
        assertThat(map.keys().first()).isEqualTo(1);
        assertThat(map.keys().last()).isEqualTo(3);
    }
}
