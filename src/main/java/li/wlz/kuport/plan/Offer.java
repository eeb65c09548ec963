package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.function.BiPredicate;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.PortClass;

/**
 * What a class offers on one accepting node.
 *
 * @param entryPoints the listed addresses if there are any, else the interfaces
 * @param interfaces all that the class names there, whether or not they are entry points
 * @param external what to publish instead of a local address
 */
record Offer(List<EntryPoint> entryPoints, List<String> interfaces, SortedMap<IpAddress, IpAddress> external) {
    static Offer of(PortClass.NodeOffer offer) {
        List<EntryPoint> points = new ArrayList<>();
        offer.addresses().stream().distinct().sorted().forEach(a -> points.add(new EntryPoint.Listed(a)));
        if (points.isEmpty()) {
            offer.interfaces().stream().distinct().sorted().forEach(i -> points.add(new EntryPoint.Interface(i)));
        }
        return new Offer(List.copyOf(points), offer.interfaces(), offer.external());
    }

    /**
     * The entry points that a mapping asks for.
     *
     * @param interfaces what the mapping asks for; empty for all
     * @param on whether a listed address counts as being on one of the interfaces
     */
    List<EntryPoint> narrowed(List<String> interfaces, BiPredicate<IpAddress, List<String>> on) {
        if (interfaces.isEmpty()) {
            return entryPoints;
        }
        return entryPoints.stream()
                .filter(point -> switch (point) {
                    case EntryPoint.Interface(String name) -> interfaces.contains(name);
                    case EntryPoint.Listed(IpAddress address) -> on.test(address, interfaces);
                })
                .toList();
    }
}
