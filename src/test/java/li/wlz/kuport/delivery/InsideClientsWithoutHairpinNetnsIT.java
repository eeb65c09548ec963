package li.wlz.kuport.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Feature;
import li.wlz.kuport.lab.Layout;
import li.wlz.kuport.lab.MeshNode;

/** Pods on a bridge whose ports send nothing back to where it came from. */
class InsideClientsWithoutHairpinNetnsIT extends InsideClients {
    InsideClientsWithoutHairpinNetnsIT() {
        super(Layout.plain().with(Feature.NO_HAIRPIN));
    }

    /**
     * With br_netfilter, a packet whose translated destination is on the bridge it came from stays there, and the port that it
     * came by takes nothing back: nothing above the bridge can help, which is why CNIs turn hairpin on.
     */
    @Override
    void itself(MeshNode node, Dial dial) {
        assertThat(node.pod(1).dial(dial.within(Duration.ofMillis(500)))).isEqualTo(new Answer.TimedOut());
    }
}
