package li.wlz.kuport.lab;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;

/**
 * Collects what is to be set up in many namespaces and carries it out in few steps: one {@code ip -batch} and one {@code nft -f}
 * each.
 */
final class Wiring {
    private final StringBuilder links = new StringBuilder();
    private final Map<Namespace, StringBuilder> ip = new LinkedHashMap<>();
    private final Map<Namespace, StringBuilder> nft = new LinkedHashMap<>();
    private final Map<Namespace, Map<String, String>> sysctls = new LinkedHashMap<>();

    /** A pair of devices that are each other's wire: {@code ip link add ... type veth peer ...}, both up. */
    void veth(Namespace one, String oneName, Namespace other, String otherName) {
        links.append(
                "link add %s netns %s type veth peer name %s netns %s%n".formatted(oneName, one, otherName, other));
        ip(one, "link set %s up".formatted(oneName));
        ip(other, "link set %s up".formatted(otherName));
    }

    /** A bridge, up; forwards at once and never learns about multicast. */
    void bridge(Namespace namespace, String name) {
        ip(namespace, "link add %s type bridge forward_delay 0 mcast_snooping 0".formatted(name));
        ip(namespace, "link set %s up".formatted(name));
    }

    void port(Namespace namespace, String bridge, String device) {
        ip(namespace, "link set %s master %s".formatted(device, bridge));
    }

    /** Both addresses of a host in a segment. */
    void address(Namespace namespace, String device, Segment segment, DualAddress addresses) {
        for (IpFamily family : IpFamily.values()) {
            ip(
                    namespace,
                    "address add %s/%d dev %s"
                            .formatted(addresses.of(family), segment.of(family).prefixLength(), device));
        }
    }

    void defaultRoute(Namespace namespace, DualAddress gateway) {
        gateway.both().forEach(address -> ip(namespace, "route add %s via %s".formatted(anywhere(address), address)));
    }

    void route(Namespace namespace, Segment destination, DualAddress gateway) {
        for (IpFamily family : IpFamily.values()) {
            ip(namespace, "route add %s via %s".formatted(destination.of(family), gateway.of(family)));
        }
    }

    void deviceRoute(Namespace namespace, Segment destination, String device) {
        for (Cidr block : destination.both()) {
            ip(namespace, "route add %s dev %s".formatted(block, device));
        }
    }

    /** One more line for {@code ip -batch} in the namespace. */
    void ip(Namespace namespace, String line) {
        ip.computeIfAbsent(namespace, n -> new StringBuilder()).append(line).append('\n');
    }

    void nft(Namespace namespace, String text) {
        nft.computeIfAbsent(namespace, n -> new StringBuilder()).append(text).append('\n');
    }

    /** A kernel parameter, set before any device comes: those named {@code default} count for all devices. */
    void sysctl(Namespace namespace, String name, String value) {
        sysctls.computeIfAbsent(namespace, n -> new LinkedHashMap<>()).put(name, value);
    }

    /** The destination of a default route, by the gateway's family. */
    static Cidr anywhere(IpAddress gateway) {
        return new Cidr(IpAddress.unspecified(gateway.family()), 0);
    }

    /** Carries everything out; what came first in a namespace is done first. */
    void apply() {
        inParallel(sysctls.entrySet().stream().map(entry -> () -> entry.getKey().sysctl(entry.getValue())));
        if (!links.isEmpty()) {
            Namespace.ipBatch(links.toString());
        }
        inParallel(Stream.concat(
                ip.entrySet().stream()
                        .map(entry -> () -> entry.getKey().ip(entry.getValue().toString())),
                nft.entrySet().stream()
                        .map(entry -> () -> entry.getKey().nft(entry.getValue().toString()))));
    }

    /** Runs the steps at the same time and waits for all; the first that failed speaks. */
    static void inParallel(Stream<Runnable> steps) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<Object>> calls = steps.map(Executors::callable).toList();
            for (Future<Object> done : threads.invokeAll(calls)) {
                done.get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof LabException refused ? refused : new LabException("setting up the lab", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted while setting up the lab", e);
        }
    }
}
