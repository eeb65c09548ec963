package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.Endpoint;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.SortedDifference;
import li.wlz.kuport.model.World;
import li.wlz.kuport.model.World.ServicePort;

/**
 * What all nodes decide alike about each PortMap.
 *
 * <p>It remembers, and decides anew only where a change can reach: a PortMap by itself when it or its Service changes; conflicts
 * among an {@link Overlap} when a member does; pods and nodes among those of one Service when one of them does.
 */
final class Rulings {
    private final Agreement agreement;
    private final Services services = new Services();
    private final Scopes scopes;
    private final Acceptance acceptance;
    private final Mappings mappings;

    private final Map<ObjectKey, Ruling> rulings = new HashMap<>();
    private final Map<ObjectKey, Set<Ruling>> ofService = new HashMap<>();
    private final Overlaps overlaps = new Overlaps();

    private SortedMap<ObjectKey, PortRequest> portMaps = Sorted.map();
    private SortedMap<ObjectKey, List<ServicePort>> ports = Sorted.map();
    private SortedMap<ObjectKey, List<Endpoint>> endpoints = Sorted.map();

    Rulings(Agreement agreement, Settings settings) {
        this.agreement = agreement;
        this.scopes = new Scopes(agreement.classes(), agreement.placement());
        this.acceptance = new Acceptance(
                new ClassPermission(agreement.namespaceLabels(), new ProtectedPorts(settings)),
                services,
                scopes,
                agreement.placement());
        this.mappings = new Mappings(services, agreement.nodes(), agreement.health());
    }

    /** Decides about the PortMaps of a world with the same nodes and classes. */
    Overlaps.Changes update(World world) {
        services.take(world);
        Set<ObjectKey> changedServices = new TreeSet<>();
        addKeys(changedServices, SortedDifference.of(world.services(), ports));
        addKeys(changedServices, SortedDifference.of(world.endpoints(), endpoints));
        Set<ObjectKey> changed = new TreeSet<>();
        addKeys(changed, SortedDifference.of(world.portMaps(), portMaps));
        changedServices.forEach(service -> of(service).forEach(ruling -> changed.add(ruling.key())));
        portMaps = world.portMaps();
        ports = world.services();
        endpoints = world.endpoints();

        List<Ruling> went = new ArrayList<>();
        List<Ruling> came = new ArrayList<>();
        for (ObjectKey key : changed) {
            forget(key, went);
            PortRequest request = portMaps.get(key);
            if (request != null) {
                came.add(remember(key, new Ruling(acceptance.judge(request))));
            }
        }
        Overlaps.Changes changes = overlaps.exchange(went, came);
        Set<ObjectKey> unsettled = new TreeSet<>(changedServices);
        went.forEach(ruling -> unsettled.add(ruling.request().service()));
        changes.fresh().forEach(overlap -> settle(overlap, unsettled));
        unsettled.forEach(service -> choose(service, changes));
        return changes;
    }

    private static void addKeys(Set<ObjectKey> keys, SortedDifference<? extends Map.Entry<ObjectKey, ?>> difference) {
        difference.missing().forEach(entry -> keys.add(entry.getKey()));
        difference.surplus().forEach(entry -> keys.add(entry.getKey()));
    }

    private Set<Ruling> of(ObjectKey service) {
        return ofService.getOrDefault(service, Set.of());
    }

    private void forget(ObjectKey key, List<Ruling> went) {
        Ruling ruling = rulings.remove(key);
        if (ruling != null) {
            went.add(ruling);
            ofService.computeIfPresent(ruling.request().service(), (service, all) -> {
                all.remove(ruling);
                return all.isEmpty() ? null : all;
            });
        }
    }

    private Ruling remember(ObjectKey key, Ruling ruling) {
        rulings.put(key, ruling);
        ofService
                .computeIfAbsent(ruling.request().service(), service -> new HashSet<>())
                .add(ruling);
        return ruling;
    }

    /** Settles conflicts; adds the Services of those whose verdict is now another. */
    private void settle(Overlap overlap, Set<ObjectKey> unsettled) {
        List<Judged> claims = overlap.members().stream().map(Ruling::alone).toList();
        Map<ObjectKey, PortRequest> losers =
                claims.size() == 1 ? Map.of() : new Conflicts(agreement.placement()).losers(claims);
        for (Ruling member : overlap.members()) {
            PortRequest winner = losers.get(member.key());
            Judged verdict = member.alone();
            if (winner != null && verdict.verdict().accepted()) {
                verdict = verdict.but(lost(winner));
            }
            if (member.settle(verdict)) {
                unsettled.add(member.request().service());
            }
        }
    }

    private static Verdict lost(PortRequest winner) {
        return new Verdict(
                AcceptedReason.PortConflict,
                "the older PortMap " + winner.key() + " has " + winner.protocol() + " " + winner.ports()
                        + " there; this one takes over when that one goes, or choose another port");
    }

    /** Chooses pods and nodes for the mappings of a Service. */
    private void choose(ObjectKey service, Overlaps.Changes changes) {
        List<Ruling> accepted = of(service).stream()
                .filter(ruling -> ruling.settled().verdict().accepted())
                .sorted(Comparator.comparing(Ruling::request, Accepted.OLDEST_FIRST))
                .toList();
        List<Mapping> chosen =
                mappings.of(accepted.stream().map(Ruling::settled).toList());
        for (Ruling ruling : of(service)) {
            if (!ruling.settled().verdict().accepted()) {
                ruling.choose(null);
            }
        }
        for (int i = 0; i < accepted.size(); i++) {
            if (accepted.get(i).choose(chosen.get(i))) {
                changes.gone().add(accepted.get(i).overlap());
                changes.fresh().add(accepted.get(i).overlap());
            }
        }
    }

    Overlaps overlaps() {
        return overlaps;
    }

    /** Whether far more is remembered than there is, of PortMaps that are gone. */
    boolean isOvergrown() {
        return scopes.size() > 100 + 2 * rulings.size();
    }
}
