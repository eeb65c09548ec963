package li.wlz.kuport.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import li.wlz.kuport.model.MarkIndices;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.netlink.RoutingState;
import li.wlz.kuport.nft.Listing;
import org.junit.jupiter.api.Test;

class ReadBackTest {
    private static final Wanted WANTED = new Datapath(Plans.SETTINGS).wanted(Plans.full());
    private static final Listing LISTING = WANTED.table().listing();
    private static final RoutingState ROUTING = new RoutingState(
            List.of(),
            WANTED.routing().addresses(),
            WANTED.routing().neighbours(),
            WANTED.routing().forwarding(),
            WANTED.routing().routes(),
            WANTED.routing().rules());

    private static MarkIndices indices(Listing table, RoutingState routing, Integer... connectionMarks) {
        return ReadBack.indices(Plans.SETTINGS.marks(), table, routing, Sorted.copyOf(List.of(connectionMarks)));
    }

    private static MarkIndices taken(Integer... resting) {
        return new MarkIndices(
                Sorted.copyOf(Map.of(Plans.PEER_MAC, 1)),
                Sorted.copyOf(Map.of("eth0", 0x81)),
                Sorted.copyOf(List.of(resting)));
    }

    @Test
    void the_maps_tell_which_indices_are_taken() {
        assertThat(indices(LISTING, RoutingState.NOTHING)).isEqualTo(taken());
    }

    @Test
    void F1_indices_survive_the_loss_of_the_table() {
        assertThat(indices(Listing.NOTHING, ROUTING)).isEqualTo(taken());
        assertThat(ReadBack.opened(Listing.NOTHING)).isEmpty();
    }

    @Test
    void an_index_rests_while_a_connection_bears_it() {
        assertThat(indices(LISTING, ROUTING, 0x6b700001, 0x6b700502, 0x6b7000ff, 0x00004083))
                .isEqualTo(taken(2));
    }

    @Test
    void what_is_open_is_read_from_the_maps_refusals_included() {
        assertThat(ReadBack.opened(LISTING))
                .isEqualTo(Sorted.copyOf(Plans.full().accept().keySet()));
    }

    @Test
    void elements_that_somebody_else_put_into_our_maps_are_no_open_ports() {
        Listing listing = Listing.parse("""
                {"nftables": [{"table": {"family": "inet", "name": "kuport"}},
                 {"map": {"family": "inet", "name": "accepted4", "table": "kuport", "map": "verdict",
                  "type": ["ipv4_addr", "inet_proto", "inet_service"], "elem": [
                   [{"concat": ["203.0.113.9", 6, 0]}, {"drop": null}],
                   [{"concat": ["203.0.113.9", 132, 80]}, {"drop": null}],
                   [{"concat": ["203.0.113.9", 6, 80]}, {"drop": null}]]}}]}
                """);
        assertThat(ReadBack.opened(listing)).containsExactly(Plans.dialled("tcp 203.0.113.9 80"));
    }
}
