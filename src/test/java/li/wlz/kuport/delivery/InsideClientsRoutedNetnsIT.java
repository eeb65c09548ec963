package li.wlz.kuport.delivery;

import li.wlz.kuport.lab.Feature;
import li.wlz.kuport.lab.Layout;

/** Pods behind routed veth pairs, as Calico has them. */
class InsideClientsRoutedNetnsIT extends InsideClients {
    InsideClientsRoutedNetnsIT() {
        super(Layout.plain().with(Feature.ROUTED_PODS));
    }
}
