package li.wlz.kuport.story;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.inspect.AssumedFacts;
import li.wlz.kuport.intake.Intake;
import li.wlz.kuport.kernel.KernelNode;
import li.wlz.kuport.lab.Namespace;
import li.wlz.kuport.manifest.PolledFolder;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.reconcile.Pass;
import li.wlz.kuport.reconcile.spi.Reporter;
import li.wlz.kuport.reconcile.spi.Source;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The same stories in a real kernel: it takes what is planned, reads back as it was written, and a second pass changes nothing. */
class StoriesNetnsIT {
    @TestFactory
    Stream<DynamicTest> the_kernel_takes_every_plan_and_a_second_pass_changes_nothing() {
        return Story.all().stream()
                .flatMap(story -> story.nodes().stream()
                        .map(node -> DynamicTest.dynamicTest(story + " on " + node, () -> apply(story, node))));
    }

    private static void apply(Story story, String node) {
        try (Namespace namespace = Namespace.create("story")) {
            interfaces(namespace, story, node);
            String listing = namespace.call(() -> {
                try (KernelNode kernel = KernelNode.open(Settings.defaults(node))) {
                    Outcomes outcomes = new Outcomes();
                    Pass pass = new Pass(
                            Settings.defaults(node), new PolledFolder(story.manifests()), kernel, List.of(outcomes));
                    assertThat(pass.pass(true))
                            .as("all in force, but " + outcomes)
                            .isTrue();
                    String first = listing(namespace);
                    assertThat(pass.pass(true)).isTrue();
                    assertThat(listing(namespace)).as("after a second pass").isEqualTo(first);
                    return first;
                }
            });
            // nft itself finds what the golden says: each element of each map of the plan's ruleset.
            story.view(node)
                    .ruleset()
                    .lines()
                    .filter(line -> line.startsWith("add element "))
                    .forEach(line -> assertThat(namespace.run("nft", line.replaceFirst("^add element", "get element")))
                            .as(line)
                            .contains("elements = {"));
            assertThat(listing).contains("table inet kuport");
        }
    }

    private static String listing(Namespace namespace) {
        return namespace.run(
                "sh",
                "-c",
                "nft --handle list table inet kuport; ip rule; ip -6 rule; ip route show table all proto 109;"
                        + " ip -6 route show table all proto 109; ip -d -o link show; ip neigh show nud permanent");
    }

    /** Devices that hold what the plan took for granted. */
    private static void interfaces(Namespace namespace, Story story, String node) {
        Source.Snapshot snapshot = story.snapshot();
        NodeFacts facts = AssumedFacts.of(
                new Intake(null).read(snapshot.resources(), false).world(), node);
        facts.interfaces().forEach(device -> {
            namespace.ip("link add %1$s type veth peer name peer-%1$s\nlink set %1$s up mtu %2$d\nlink set peer-%1$s up"
                    .formatted(device.name(), device.mtu()));
            device.addresses()
                    .forEach(address -> namespace.ip("address add %s/%d dev %s nodad"
                            .formatted(address.address(), address.prefixLength(), device.name())
                            .replace(
                                    address.address().family() == li.wlz.kuport.model.IpFamily.IPV4 ? " nodad" : "\0",
                                    "")));
        });
    }

    private static final class Outcomes implements Reporter {
        private String last = "nothing was reported";

        @Override
        public void report(Outcome outcome) {
            last = outcome.failures().toString();
        }

        @Override
        public String toString() {
            return last;
        }
    }
}
