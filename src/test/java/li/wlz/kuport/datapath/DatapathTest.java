package li.wlz.kuport.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.netlink.RoutingState;
import li.wlz.kuport.nft.Listing;
import org.junit.jupiter.api.Test;

class DatapathTest {
    private final Datapath datapath = new Datapath(Plans.SETTINGS);

    @Test
    void one_changed_mapping_is_a_script_about_its_elements() {
        Listing listing = datapath.wanted(Plans.full()).table().listing();
        TreeMap<Dialled, Delivery> accept = new TreeMap<>(Plans.full().accept());
        accept.put(Plans.dialled("udp 203.0.113.9 3000"), Delivery.to(Plans.target("240.0.0.3 3000")));
        Wanted wanted = datapath.wanted(Plans.with(Plans.full(), accept));
        assertThat(datapath.changes(wanted, listing, RoutingState.NOTHING).script())
                .hasValue("""
                delete element inet kuport accept4 { 203.0.113.9 . udp . 3000 }
                add element inet kuport accept4 { 203.0.113.9 . udp . 3000 : 240.0.0.3 . 3000 }
                """);
    }

    @Test
    void what_an_object_remembers_never_shows_in_its_answers() {
        Random random = new Random(3);
        for (int round = 0; round < 50; round++) {
            TreeMap<Dialled, Delivery> accept = new TreeMap<>();
            for (int port = 1; port <= 20; port++) {
                Dialled dialled = Plans.dialled((random.nextBoolean() ? "udp " : "tcp ")
                        + (random.nextBoolean() ? "203.0.113.9 " : "2001:db8::9 ")
                        + port
                        + (random.nextInt(4) == 0 ? "-" + port : ""));
                switch (random.nextInt(3)) {
                    case 0 -> accept.put(dialled, Delivery.refuse());
                    case 1 -> accept.put(dialled, Delivery.to(Plans.target("240.0.0.2 " + port)));
                    default -> accept.remove(dialled);
                }
            }
            NodePlan plan = Plans.with(random.nextBoolean() ? Plans.full() : NodePlan.EMPTY, accept);
            assertThat(datapath.wanted(plan)).isEqualTo(new Datapath(Plans.SETTINGS).wanted(plan));
        }
    }

    @Test
    void draining_targets_alone_change_nothing_in_the_kernel() {
        Listing listing = datapath.wanted(Plans.full()).table().listing();
        TreeMap<Dialled, Delivery> accept = new TreeMap<>(Plans.full().accept());
        accept.replaceAll((dialled, delivery) -> new Delivery(delivery.target(), List.of(Plans.target("10.0.0.1 1"))));
        Wanted wanted = datapath.wanted(Plans.with(Plans.full(), accept));
        assertThat(datapath.changes(wanted, listing, RoutingState.NOTHING).script())
                .isEmpty();
    }
}
