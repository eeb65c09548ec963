package li.wlz.kuport.intake;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import li.wlz.kuport.crd.PortMapClassSpec;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.PortClass.NodeOffer;
import org.jspecify.annotations.Nullable;

/** Reads what the nodes of a class offer; what is wrong is left out, and with it the node, where nothing would be left. */
final class NodeOfferReader {
    private static final NodeOffer NOTHING = new NodeOffer(List.of(), List.of(), new TreeMap<>());

    private final Mistakes mistakes;

    NodeOfferReader(Mistakes mistakes) {
        this.mistakes = mistakes;
    }

    /**
     * The offers by node.
     *
     * @param keepEmpty whether a node of which nothing is left stays, offering nothing: else a selector of further nodes would
     *     give it back what its own entry meant to withhold
     */
    SortedMap<String, NodeOffer> read(
            Map<String, ? extends PortMapClassSpec.@Nullable NodeOffer> nodes, boolean keepEmpty) {
        SortedMap<String, NodeOffer> offers = new TreeMap<>();
        for (var entry : nodes.entrySet()) {
            String field = "spec.nodes[" + Text.shown(entry.getKey()) + "]";
            NodeOffer offer = offer(field, entry.getKey(), entry.getValue());
            if (offer != null) {
                offers.put(entry.getKey(), offer);
            } else if (keepEmpty) {
                offers.put(entry.getKey(), NOTHING);
            }
        }
        return offers;
    }

    private @Nullable NodeOffer offer(String field, String node, PortMapClassSpec.@Nullable NodeOffer written) {
        PortMapClassSpec.NodeOffer offer =
                Objects.requireNonNullElse(written, new PortMapClassSpec.NodeOffer(null, null, null));
        if (!Names.isObjectName(node)) {
            mistakes.add(field, Text.quoted(node) + " is not the name of a node; " + Names.OBJECT_NAME_RULE);
            return null;
        }
        List<String> interfaces = interfaces(field + ".interfaces", Written.list(offer.interfaces()));
        List<IpAddress> addresses = addresses(field + ".addresses", Written.list(offer.addresses()));
        boolean listed = !Written.list(offer.addresses()).isEmpty();
        // Without its addresses the node would answer on all that its interfaces hold.
        if (listed ? addresses.isEmpty() : interfaces.isEmpty()) {
            mistakes.add(field, "offers nothing that can be used; name interfaces or addresses");
            return null;
        }
        return new NodeOffer(interfaces, addresses, external(field + ".external", Written.map(offer.external())));
    }

    List<String> interfaces(String field, List<? extends @Nullable String> names) {
        List<String> read = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            if (name == null || !Names.isInterface(name)) {
                mistakes.add(
                        field + "[" + i + "]",
                        (name == null ? "is empty" : Text.quoted(name) + " is not the name of an interface") + "; "
                                + Names.INTERFACE_RULE);
            } else if (!read.contains(name)) {
                read.add(name);
            }
        }
        return read;
    }

    private List<IpAddress> addresses(String field, List<? extends @Nullable String> texts) {
        List<IpAddress> read = new ArrayList<>();
        for (int i = 0; i < texts.size(); i++) {
            IpAddress address = address(field + "[" + i + "]", texts.get(i));
            if (address != null && !read.contains(address)) {
                read.add(address);
            }
        }
        return read;
    }

    private SortedMap<IpAddress, IpAddress> external(String field, Map<String, ? extends @Nullable String> pairs) {
        SortedMap<IpAddress, IpAddress> read = new TreeMap<>();
        for (var pair : pairs.entrySet()) {
            String where = field + "[" + Text.shown(pair.getKey()) + "]";
            IpAddress local = address(where, pair.getKey());
            IpAddress outside = address(where, pair.getValue());
            if (local == null || outside == null) {
                continue;
            }
            if (local.family() != outside.family()) {
                mistakes.add(where, outside + " is of the other family than " + local + "; write one of the same");
            } else {
                read.put(local, outside);
            }
        }
        return read;
    }

    /** An address that a client can dial; null with a problem noted where it is none. */
    private @Nullable IpAddress address(String field, @Nullable String text) {
        Optional<IpAddress> address = text == null ? Optional.empty() : IpAddress.tryParse(text);
        if (address.isEmpty()) {
            mistakes.add(
                    field,
                    (text == null || text.isEmpty() ? "is empty" : Text.quoted(text) + " is not an address")
                            + "; write one such as 203.0.113.9 or 2001:db8::9, without a prefix length");
            return null;
        }
        IpAddress found = address.get();
        if (found.isUnspecified() || found.isLoopback() || found.isLinkLocal() || found.isMulticast()) {
            mistakes.add(field, found + " cannot be dialled from elsewhere; write an address that the node holds");
            return null;
        }
        return found;
    }
}
