package li.wlz.kuport.delivery;

import li.wlz.kuport.lab.Layout;

/** Pods on a bridge whose ports send packets back to where they came from. */
class InsideClientsOnBridgeNetnsIT extends InsideClients {
    InsideClientsOnBridgeNetnsIT() {
        super(Layout.plain());
    }
}
