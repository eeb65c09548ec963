package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.World;

/**
 * What all nodes decide alike, from API objects alone: nothing is negotiated, there is no leader.
 *
 * @param classes the accepting nodes of each class
 * @param judged each PortMap that was readable, by namespace and name
 * @param mappings the accepted ones, oldest first
 */
record Agreement(
        World world,
        Placement placement,
        Health health,
        SortedMap<String, ClassNodes> classes,
        List<Judged> judged,
        List<Mapping> mappings) {

    static Agreement of(World world, Settings settings) {
        Placement placement = new Placement(world.nodeReports());
        Health health = new Health(world);
        Services services = new Services(world);
        SortedMap<String, ClassNodes> classes = ClassNodes.all(world.classes(), world.nodes());
        Acceptance acceptance = new Acceptance(
                new ClassPermission(world.namespaceLabels(), new ProtectedPorts(settings)),
                services,
                new Scopes(classes, placement),
                placement);
        List<Judged> judged = new ArrayList<>(world.portMaps().size());
        world.portMaps().values().forEach(request -> judged.add(acceptance.judge(request)));

        List<Judged> claiming = new ArrayList<>(judged);
        claiming.removeIf(one -> !one.verdict().claims());
        claiming.sort((one, other) -> Accepted.OLDEST_FIRST.compare(one.request(), other.request()));
        Map<ObjectKey, PortRequest> losers = new Conflicts(placement).losers(claiming);
        judged.replaceAll(one -> settled(one, losers));
        claiming.removeIf(one -> !settled(one, losers).verdict().accepted());
        return new Agreement(
                world, placement, health, classes, judged, new Mappings(services, world.nodes(), health).of(claiming));
    }

    private static Judged settled(Judged one, Map<ObjectKey, PortRequest> losers) {
        PortRequest winner = losers.isEmpty() ? null : losers.get(one.request().key());
        return winner == null || !one.verdict().accepted() ? one : one.but(lost(winner));
    }

    private static Verdict lost(PortRequest winner) {
        return new Verdict(
                AcceptedReason.PortConflict,
                "the older PortMap " + winner.key() + " has " + winner.protocol() + " " + winner.ports()
                        + " there; this one takes over when that one goes, or choose another port");
    }
}
