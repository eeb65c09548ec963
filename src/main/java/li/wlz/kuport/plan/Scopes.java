package li.wlz.kuport.plan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.model.PortRequest;
import org.jspecify.annotations.Nullable;

/** The scope of each mapping; mappings that have the same share one object. */
final class Scopes {
    private final SortedMap<String, ClassNodes> classes;
    private final Placement placement;
    private final Map<Key, Scope> scopes = new HashMap<>();

    private record Key(String className, List<String> interfaces) {}

    Scopes(SortedMap<String, ClassNodes> classes, Placement placement) {
        this.classes = classes;
        this.placement = placement;
    }

    /** The scope of a mapping; null where its class is unknown. */
    @Nullable
    Scope of(PortRequest request) {
        ClassNodes classNodes = classes.get(request.className());
        return classNodes == null
                ? null
                : scopes.computeIfAbsent(
                        new Key(request.className(), request.interfaces()), key -> build(classNodes, key.interfaces()));
    }

    int size() {
        return scopes.size();
    }

    private Scope build(ClassNodes classNodes, List<String> interfaces) {
        SortedMap<String, List<EntryPoint>> entryPoints = new TreeMap<>();
        classNodes.offers().forEach((node, offer) -> {
            List<EntryPoint> points =
                    offer.narrowed(interfaces, (address, names) -> placement.mayBeOn(node, address, names));
            if (!points.isEmpty()) {
                entryPoints.put(node, points);
            }
        });
        return new Scope(classNodes, interfaces, entryPoints);
    }
}
