package li.wlz.kuport.story;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every node of every story plans what its file says, to the letter. */
class StoriesTest {
    @TestFactory
    Stream<DynamicTest> plans_are_as_written() {
        return Story.all().stream()
                .flatMap(story -> story.nodes().stream()
                        .map(node -> DynamicTest.dynamicTest(
                                story + " on " + node,
                                () -> Golden.check(
                                        story.plan(node), story.view(node).text()))));
    }

    @Test
    void there_are_stories_and_each_has_nodes() {
        assertThat(Story.all())
                .hasSizeGreaterThan(5)
                .allSatisfy(story -> assertThat(story.nodes()).as(story.name()).isNotEmpty());
    }
}
