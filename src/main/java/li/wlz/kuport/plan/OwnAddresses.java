package li.wlz.kuport.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import li.wlz.kuport.model.InterfaceAddress;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NetworkInterface;
import li.wlz.kuport.model.NodeFacts;
import org.jspecify.annotations.Nullable;

/** The addresses of this node that can be dialled: of a scope beyond the link, and not tentative. */
final class OwnAddresses {
    private final NodeFacts facts;
    private final Map<String, List<InterfaceAddress>> byInterface = new HashMap<>();
    private final Map<String, List<IpAddress>> dialable = new HashMap<>();
    private final Map<IpAddress, String> holders = new HashMap<>();

    OwnAddresses(NodeFacts facts) {
        this.facts = facts;
        for (NetworkInterface networkInterface : facts.interfaces()) {
            List<InterfaceAddress> usable = networkInterface.addresses().stream()
                    .filter(OwnAddresses::dialable)
                    .toList();
            byInterface.put(networkInterface.name(), usable);
            dialable.put(
                    networkInterface.name(),
                    usable.stream().map(InterfaceAddress::address).toList());
            usable.forEach(a -> holders.putIfAbsent(a.address(), networkInterface.name()));
        }
    }

    private static boolean dialable(InterfaceAddress held) {
        IpAddress address = held.address();
        return !held.tentative()
                && !address.isLoopback()
                && !address.isLinkLocal()
                && !address.isMulticast()
                && !address.isUnspecified();
    }

    /** What can be dialled at an entry point; empty where the node does not have it. */
    List<IpAddress> at(EntryPoint entryPoint) {
        return switch (entryPoint) {
            case EntryPoint.Interface(String name) -> dialable.getOrDefault(name, List.of());
            case EntryPoint.Listed(IpAddress address) -> isLocal(address) ? List.of(address) : List.of();
        };
    }

    /** The interface that holds the address; null where none does. */
    @Nullable
    String holder(IpAddress address) {
        return holders.get(address);
    }

    /** Whether the node takes packets to the address: an interface holds it, or a route says that it is local. */
    boolean isLocal(IpAddress address) {
        return holders.containsKey(address)
                || facts.routes().stream()
                        .anyMatch(route -> route.destination().contains(address) && isLoopback(route.device()));
    }

    private boolean isLoopback(String device) {
        return facts.networkInterface(device).map(NetworkInterface::loopback).orElse(false);
    }

    /**
     * The addresses of an interface as the node reports them. Of each family the first may be handed out; a family of which none may is
     * left out.
     */
    List<IpAddress> reported(String interfaceName) {
        List<IpAddress> first = new ArrayList<>();
        List<IpAddress> rest = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            List<InterfaceAddress> held = byInterface.getOrDefault(interfaceName, List.of()).stream()
                    .filter(a -> a.address().family() == family)
                    .toList();
            if (held.stream().anyMatch(OwnAddresses::publishable)) {
                held.forEach(a -> (publishable(a) ? first : rest).add(a.address()));
            }
        }
        return Stream.concat(first.stream(), rest.stream()).toList();
    }

    private static boolean publishable(InterfaceAddress held) {
        return !held.temporary() && !held.deprecated();
    }
}
