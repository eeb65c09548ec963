package li.wlz.kuport.plan;

import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.LabelSelector;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.Sorted;

/**
 * A class with its accepting nodes: those that it names or selects, and that exist. An entry in {@code nodes} wins over the
 * selector.
 *
 * @param offers what each accepting node offers, by name
 */
record ClassNodes(PortClass portClass, SortedMap<String, Offer> offers) {
    static ClassNodes of(PortClass portClass, SortedMap<String, ClusterNode> nodes) {
        SortedMap<String, Offer> offers = new TreeMap<>();
        LabelSelector selector = portClass.nodeSelector();
        if (selector != null && Selectors.mistake(selector) == null) {
            Offer offer = Offer.of(new PortClass.NodeOffer(portClass.interfaces(), List.of(), Sorted.map()));
            nodes.values().stream()
                    .filter(node -> selector.matches(node.labels()))
                    .forEach(node -> offers.put(node.name(), offer));
        }
        portClass.nodes().forEach((name, offer) -> {
            if (nodes.containsKey(name)) {
                offers.put(name, Offer.of(offer));
            }
        });
        return new ClassNodes(portClass, offers);
    }

    /** The accepting nodes of every class, by the class's name. */
    static SortedMap<String, ClassNodes> all(
            SortedMap<String, PortClass> classes, SortedMap<String, ClusterNode> nodes) {
        SortedMap<String, ClassNodes> all = new TreeMap<>();
        classes.forEach((name, portClass) -> all.put(name, of(portClass, nodes)));
        return all;
    }

    /** Whether the way back of its mappings is the link. */
    boolean usesLink() {
        return switch (portClass.returnPath()) {
            case Vxlan -> true;
            case None -> false;
        };
    }

    /** The interfaces that the class names, on nodes that exist or not. */
    SortedSet<String> interfaceNames() {
        SortedSet<String> names = new TreeSet<>();
        if (portClass.nodeSelector() != null) {
            names.addAll(portClass.interfaces());
        }
        portClass.nodes().values().forEach(offer -> names.addAll(offer.interfaces()));
        return names;
    }
}
