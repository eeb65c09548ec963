package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.World;

/**
 * What all nodes decide alike, from API objects alone: nothing is negotiated, there is no leader.
 *
 * @param classes the accepting nodes of each class
 * @param verdicts on each PortMap, those that {@code intake} refused included
 * @param mappings the accepted ones, oldest first
 */
record Agreement(
        World world,
        Placement placement,
        Health health,
        SortedMap<String, ClassNodes> classes,
        SortedMap<ObjectKey, Verdict> verdicts,
        List<Mapping> mappings) {

    static Agreement of(World world, Settings settings) {
        Placement placement = new Placement(world.nodeReports());
        Health health = new Health(world);
        SortedMap<String, ClassNodes> classes = ClassNodes.all(world.classes(), world.nodes());
        Scopes scopes = new Scopes(classes, placement);
        SortedMap<ObjectKey, Verdict> verdicts = verdicts(world, settings, scopes, placement);
        List<Mapping> mappings = new Mappings(world, scopes, health).of(verdicts);
        return new Agreement(world, placement, health, classes, verdicts, mappings);
    }

    private static SortedMap<ObjectKey, Verdict> verdicts(
            World world, Settings settings, Scopes scopes, Placement placement) {
        Acceptance acceptance = new Acceptance(world, scopes, placement, new ProtectedPorts(settings));
        SortedMap<ObjectKey, Verdict> verdicts = new TreeMap<>();
        List<Conflicts.Claim> claims = new ArrayList<>();
        for (PortRequest request : world.portMaps().values()) {
            Verdict verdict = acceptance.judge(request);
            verdicts.put(request.key(), verdict);
            if (verdict.claims()) {
                claims.add(new Conflicts.Claim(request, Objects.requireNonNull(scopes.of(request))));
            }
        }
        claims.sort((one, other) -> Accepted.OLDEST_FIRST.compare(one.request(), other.request()));
        new Conflicts(placement)
                .losers(claims)
                .forEach((loser, winner) -> verdicts.computeIfPresent(
                        loser, (key, verdict) -> verdict.accepted() ? lost(winner) : verdict));
        world.refused()
                .forEach(refusal -> verdicts.put(refusal.key(), new Verdict(refusal.reason(), refusal.message())));
        return verdicts;
    }

    private static Verdict lost(PortRequest winner) {
        return new Verdict(
                AcceptedReason.PortConflict,
                "the older PortMap " + winner.key() + " has " + winner.protocol() + " " + winner.ports()
                        + " there; this one takes over when that one goes, or choose another port");
    }
}
