package li.wlz.kuport.delivery;

import java.util.List;
import li.wlz.kuport.delivery.Manifests.Backend;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Host;
import li.wlz.kuport.lab.World;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.Protocol;

/** Servers in the places whose replies take different ways out of edge, all published there: for tests of these ways. */
final class Ways {
    /** A pod of home1: replies are forwarded, from the link. */
    static final int FAR = 3000;
    /** A pod of edge: replies are forwarded, from its device. */
    static final int NEAR = 3001;
    /** A server in edge's own network: replies begin on edge. */
    static final int HOST = 3002;
    /** Has no endpoint: its refusals begin on edge. */
    static final int NOBODY = 3003;

    private static final int HOST_PORT = 8090;

    private Ways() {}

    /**
     * Starts the servers and publishes them.
     *
     * @param spec of the class, without its return path
     */
    static void serve(Stage stage, String spec) {
        World world = stage.world();
        stage.serve(world.home1().pod(1));
        stage.serve(world.edge().pod(1));
        stage.serveOnHost(world.edge(), HOST_PORT);
        stage.cluster().write("class", Manifests.portMapClass("public", spec));
        stage.publish(
                "far", "public", FAR, Backend.of(world.home1(), world.home1().pod(1)));
        stage.publish(
                "near", "public", NEAR, Backend.of(world.edge(), world.edge().pod(1)));
        stage.publish("host", "public", HOST, HOST_PORT, Backend.inHostNetworkOf(world.edge()));
        stage.publish("nobody", "public", NOBODY);
        stage.cluster().settle();
    }

    /** Each client dials each server at each address: all see it as itself and answer, and who is not there is refused. */
    static void everyServerSees(List<Host> clients, Protocol protocol, List<IpAddress> dialled) {
        Visits.eachSeenAsItself(clients, dialled, protocol, FAR, "home1-pod1");
        Visits.eachSeenAsItself(clients, dialled, protocol, NEAR, "edge-pod1");
        Visits.eachSeenAsItself(clients, dialled, protocol, HOST, "host-edge");
        for (Host client : clients) {
            for (IpAddress address : dialled) {
                // The kernel limits how many ICMP errors it sends to one host.
                Dial dial = Dial.to(protocol, address, NOBODY).attempts(20).within(Visits.PATIENCE);
                Visits.refused(client.namespace(), dial);
            }
        }
    }
}
