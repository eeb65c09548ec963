package li.wlz.kuport.plan;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import li.wlz.kuport.model.ClassReport;
import li.wlz.kuport.model.Decision;
import li.wlz.kuport.model.Delivery;
import li.wlz.kuport.model.Dialled;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.Listener;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodePlan;
import li.wlz.kuport.model.NodePlan.Egress;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.NodeRow;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PersistentMap;
import li.wlz.kuport.model.PodAnnotations;
import li.wlz.kuport.model.PortMapReport;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.SortedDifference;
import li.wlz.kuport.model.Target;
import li.wlz.kuport.model.World;
import org.jspecify.annotations.Nullable;

/** All that was decided on one {@link Ground}: for each {@link Overlap} what this node does, and what is put together of that. */
final class Remembered {
    private final Settings settings;
    private final String self;
    private final Ground ground;
    private final Agreement agreement;
    private final Rulings rulings;
    private final LinkPlan link;
    private final OwnAddresses addresses;
    private final List<Offer> offers;
    private final OwnReport ownReport;
    private final SortedMap<String, ClassReport> classReports;
    private final Here here;

    private List<Listener> listeners;
    private SortedSet<Dialled> opened;
    private final Map<Overlap, Delivered> delivered = new HashMap<>();
    private final Table<Delivered, Dialled, Delivery> accept = new Table<>(Delivered::accept);
    private final Table<Delivered, Dialled, Delivery> deliver = new Table<>(Delivered::deliver);
    private final Table<Delivered, Dialled, Delivery> own = new Table<>(Delivered::own);
    private final Tally<IpAddress> pods = new Tally<>();
    private final Tally<IpFamily> forwarded = new Tally<>();
    private final Tally<IpFamily> linked = new Tally<>();
    private PersistentMap<ObjectKey, PortMapReport> reports = PersistentMap.empty();
    private @Nullable PortMapReports reporter;
    private @Nullable Uplinks uplinks;

    /**
     * The uplinks as last planned.
     *
     * @param asked the devices that pods ask for by annotations
     */
    private record Uplinks(
            SortedSet<String> asked, SortedMap<String, NodePlan.Uplink> byName, SortedSet<NodeProblem> problems) {}

    /** Decides what rests on the ground alone. */
    Remembered(Settings settings, LinkAddresses linkAddresses, Ground ground, World world, NodeFacts facts) {
        this.settings = settings;
        this.self = settings.nodeName();
        this.ground = ground;
        this.agreement = Agreement.of(world);
        this.rulings = new Rulings(agreement, settings);
        this.addresses = new OwnAddresses(facts);
        this.offers = agreement.classes().values().stream()
                .map(classNodes -> classNodes.offers().get(self))
                .filter(Objects::nonNull)
                .toList();
        PodAnnotations annotations = settings.podAnnotations();
        this.link = annotations != null && (annotations.alone() || settings.usesIptables())
                ? LinkPlan.none("annotations of pods alone are served here")
                : new LinkPlanner(settings, linkAddresses, agreement, facts).plan();
        this.ownReport = new OwnReport(settings, facts, addresses, offers, link);
        this.classReports = new ClassReports(settings, agreement).all();
        this.here = new Here(self, agreement, facts, link, linkAddresses, addresses);
        this.listeners = facts.listeners();
        this.opened = facts.opened();
    }

    boolean isOf(Ground other) {
        return ground.equals(other) && !rulings.isOvergrown();
    }

    /**
     * Decides on the same ground.
     *
     * @param actual the facts as they are for annotations, which may be served where PortMaps cannot be
     * @param inForce where the kernel sends what is dialled at the moment
     */
    Decision decide(World world, NodeFacts facts, NodeFacts actual, SortedMap<Dialled, Target> inForce) {
        Overlaps.Changes changes = rulings.update(world);
        Set<Overlap> fresh = new LinkedHashSet<>(changes.fresh());
        fresh.addAll(touchedBySockets(facts));
        Set<Overlap> gone = new LinkedHashSet<>(changes.gone());
        gone.addAll(fresh);
        gone.forEach(this::forget);
        fresh.forEach(this::deliver);
        PersistentMap<Dialled, Delivery> portMapsAccept =
                settings.usesIptables() ? PersistentMap.empty() : accept.now();
        PodAnnotations annotations = settings.podAnnotations();
        PodDeliveries asking = annotations == null
                ? null
                : new PodDeliveries(settings, annotations, here, world.pods(), actual, inForce, portMapsAccept);
        Uplinks ways = uplinks(facts, asking == null ? Sorted.set() : asking.devices());
        NodeReport report = ownReport.report(
                union(forwarded.present(), asking == null ? Set.of() : asking.forwarded()),
                linked.present(),
                ways.problems());
        return new Decision(
                plan(ways.byName(), portMapsAccept, asking),
                report,
                reports(report, world, changes.gone(), fresh),
                classReports,
                asking == null ? Sorted.map() : asking.reports());
    }

    /** They rest on the ground but for the devices that pods ask for by annotations. */
    private Uplinks uplinks(NodeFacts facts, SortedSet<String> asked) {
        Uplinks known = uplinks;
        if (known != null && known.asked().equals(asked)) {
            return known;
        }
        SortedSet<NodeProblem> problems = new TreeSet<>();
        Uplinks planned =
                new Uplinks(asked, new UplinkPlanner(facts, addresses, offers, asked).plan(problems), problems);
        uplinks = planned;
        return planned;
    }

    private NodePlan plan(
            SortedMap<String, NodePlan.Uplink> uplinks,
            PersistentMap<Dialled, Delivery> portMapsAccept,
            @Nullable PodDeliveries asking) {
        if (settings.usesIptables()) {
            // In the tables of iptables there are same-node deliveries alone.
            return new NodePlan(
                    null,
                    Sorted.map(),
                    Sorted.map(),
                    asking == null ? portMapsAccept : asking.accept(),
                    Sorted.map(),
                    Sorted.map(),
                    asking == null ? Sorted.set() : asking.pods(),
                    asking == null ? Egress.NONE : asking.egress(Sorted.map()));
        }
        return new NodePlan(
                link.link(),
                link.peers(),
                uplinks,
                asking == null ? portMapsAccept : asking.accept(),
                deliver.now(),
                own.now(),
                asking == null ? pods.present() : union(pods.present(), asking.pods()),
                asking == null ? Egress.NONE : asking.egress(uplinks));
    }

    private static <T extends Comparable<T>> SortedSet<T> union(SortedSet<T> some, Collection<T> more) {
        SortedSet<T> all = new TreeSet<>(some);
        all.addAll(more);
        return all;
    }

    /** Those with ports on which the host began or ceased to listen, or which we opened or closed. */
    private Set<Overlap> touchedBySockets(NodeFacts facts) {
        Set<Listener> different = new HashSet<>(facts.listeners());
        different.removeAll(listeners);
        Set<Listener> ended = new HashSet<>(listeners);
        ended.removeAll(facts.listeners());
        different.addAll(ended);
        SortedDifference<Dialled> openings = SortedDifference.of(facts.opened(), opened);
        Set<Overlap> touched = new LinkedHashSet<>();
        different.forEach(
                socket -> touched.addAll(rulings.overlaps().at(socket.protocol(), PortRange.of(socket.port()))));
        openings.missing().forEach(open -> touched.addAll(rulings.overlaps().at(open.protocol(), open.ports())));
        openings.surplus().forEach(open -> touched.addAll(rulings.overlaps().at(open.protocol(), open.ports())));
        listeners = facts.listeners();
        opened = facts.opened();
        here.take(facts);
        return touched;
    }

    private void forget(Overlap overlap) {
        Delivered before = delivered.remove(overlap);
        if (before != null) {
            accept.remove(before);
            deliver.remove(before);
            own.remove(before);
            pods.remove(before.pods());
            forwarded.remove(before.forwarded());
            linked.remove(before.linked());
        }
    }

    private void deliver(Overlap overlap) {
        Delivered now = Deliveries.of(here, overlap.mappings());
        delivered.put(overlap, now);
        accept.add(now);
        deliver.add(now);
        own.add(now);
        pods.add(now.pods());
        forwarded.add(now.forwarded());
        linked.add(now.linked());
    }

    /** What is said of each PortMap, anew where its overlap or this node's own report is another. */
    private SortedMap<ObjectKey, PortMapReport> reports(
            NodeReport report, World world, Set<Overlap> gone, Set<Overlap> fresh) {
        SortedMap<ObjectKey, Optional<PortMapReport>> changed = new TreeMap<>();
        PortMapReports known = reporter;
        boolean all = known == null || !known.areBy(report);
        PortMapReports current = known == null || all ? new PortMapReports(self, agreement, report) : known;
        reporter = current;
        gone.forEach(overlap -> overlap.members().forEach(member -> changed.put(member.key(), Optional.empty())));
        (all ? delivered.keySet() : fresh)
                .forEach(overlap -> overlap.members()
                        .forEach(member ->
                                changed.put(member.key(), Optional.of(current.of(member, rowOf(member, overlap))))));
        reports = reports.with(changed);
        PersistentMap<ObjectKey, PortMapReport> withRefusals = reports;
        for (World.Refusal refusal : world.refused()) {
            withRefusals = withRefusals.with(refusal.key(), current.of(refusal));
        }
        return withRefusals;
    }

    private @Nullable NodeRow rowOf(Ruling member, Overlap overlap) {
        Delivered of = delivered.get(overlap);
        return of == null ? null : of.rows().get(member.key());
    }
}
