package li.wlz.kuport.intake;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapClass;
import li.wlz.kuport.crd.PortMapNode;
import li.wlz.kuport.crd.Resources;
import li.wlz.kuport.intake.SliceReader.Slice;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.NodeReport;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PodAnnotations;
import li.wlz.kuport.model.PodRequest;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.Problem;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.World;
import li.wlz.kuport.model.World.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * Turns resources into values.
 *
 * <p>It remembers what it made of each instance, so that a pass costs little where little has changed; the result depends on
 * the resources alone. Used by one thread.
 */
public final class Intake {
    private final Shelf<PortMap, PortRequest> portMaps = new Shelf<>(PortMapReader.KIND, PortMapReader::read);
    private final Shelf<PortMapClass, PortClass> classes = new Shelf<>(PortClassReader.KIND, PortClassReader::read);
    private final Shelf<PortMapNode, NodeReport> reports = new Shelf<>(NodeReportReader.KIND, NodeReportReader::read);
    private final Shelf<Node, ClusterNode> nodes = new Shelf<>(NodeReader.KIND, NodeReader::read);
    private final Shelf<Service, List<World.ServicePort>> services =
            new Shelf<>(ServiceReader.KIND, ServiceReader::read);
    private final Shelf<EndpointSlice, Slice> slices = new Shelf<>(SliceReader.KIND, SliceReader::read);
    private final Shelf<Namespace, SortedMap<String, String>> namespaces =
            new Shelf<>(ServiceReader.NAMESPACE_KIND, ServiceReader::readNamespace);
    private final @Nullable Shelf<Pod, PodRequest> pods;
    private final boolean podsAlone;
    private final EndpointMerger merger = new EndpointMerger();

    /** @param annotations how pods may ask for ports by an annotation; null where they may not */
    public Intake(@Nullable PodAnnotations annotations) {
        pods = annotations == null ? null : new Shelf<>(PodReader.KIND, new PodReader(annotations)::read);
        podsAlone = annotations != null && annotations.alone();
    }

    /**
     * What was read.
     *
     * @param problems what users wrote wrong, by kind, within a kind by file
     */
    public record Result(World world, List<Problem> problems) {
        public Result {
            problems = List.copyOf(problems);
        }
    }

    /**
     * Checks each object and makes it a value; one that is wrong never touches the others.
     *
     * @param rowsShared whether agents see each other's rows of status
     */
    public Result read(Resources resources, boolean rowsShared) {
        portMaps.update(podsAlone ? List.of() : resources.portMaps());
        classes.update(resources.portMapClasses());
        reports.update(resources.portMapNodes());
        nodes.update(resources.nodes());
        services.update(resources.services());
        slices.update(resources.endpointSlices());
        namespaces.update(resources.namespaces());
        if (pods != null) {
            pods.update(resources.pods());
        }

        merger.update(slices.changed(), slices.values());
        World world = new World(
                rowsShared,
                byName(nodes),
                byName(reports),
                byName(namespaces),
                byName(classes),
                requests(),
                refused(),
                services.values(),
                merger.endpoints(),
                pods == null ? Sorted.map() : pods.values());
        List<Problem> problems = Stream.of(portMaps, classes, reports, nodes, services, slices, namespaces, pods)
                .flatMap(Stream::ofNullable)
                .flatMap(shelf -> shelf.problems().stream())
                .toList();
        return new Result(world, problems);
    }

    /** Those whose class, if it is there, can be used. */
    private SortedMap<ObjectKey, PortRequest> requests() {
        if (classes.refusals().isEmpty()) {
            return portMaps.values();
        }
        SortedMap<ObjectKey, PortRequest> requests = new TreeMap<>(portMaps.values());
        requests.values().removeIf(request -> refusalOfClass(request) != null);
        return requests;
    }

    /** The PortMaps that are wrong themselves, and those of a class that cannot be used: these are told why it cannot. */
    private List<Refusal> refused() {
        SortedMap<ObjectKey, Refusal> refused = new TreeMap<>(portMaps.refusals());
        if (!classes.refusals().isEmpty()) {
            portMaps.values().forEach((key, request) -> {
                Refusal ofClass = refusalOfClass(request);
                if (ofClass != null) {
                    refused.put(key, new Refusal(key, request.generation(), ofClass.reason(), ofClass.message()));
                }
            });
        }
        return List.copyOf(refused.values());
    }

    private @Nullable Refusal refusalOfClass(PortRequest request) {
        return classes.refusals().get(new ObjectKey("", request.className()));
    }

    private static <T> SortedMap<String, T> byName(Shelf<?, T> shelf) {
        SortedMap<String, T> values = new TreeMap<>();
        shelf.values().forEach((key, value) -> values.put(key.name(), value));
        return values;
    }
}
