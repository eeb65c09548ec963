package li.wlz.kuport.inspect;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import li.wlz.kuport.model.ClusterNode;
import li.wlz.kuport.model.Endpoint;
import li.wlz.kuport.model.InterfaceAddress;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.LabelSelector;
import li.wlz.kuport.model.NetworkInterface;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.PortRange;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.Protocol;
import li.wlz.kuport.model.Settings;
import li.wlz.kuport.model.Sorted;
import li.wlz.kuport.model.World;
import li.wlz.kuport.plan.Planner;

/**
 * Lets a node plan for a world that asks all of it: clients by each of its interfaces, and a pod on another node.
 *
 * <p>So what would be wrong is known before there is a cluster to ask, in the words of the agent itself.
 */
final class Rehearsal {
    /** No Node can bear this name. */
    private static final String ELSEWHERE = "another node";

    private static final String CLASS = "rehearsal";
    private static final ObjectKey MAPPING = new ObjectKey("rehearsal", "rehearsal");
    private static final PortRange PORT = PortRange.of(1024);
    private static final Map<IpFamily, IpAddress> ADDRESSES =
            Map.of(IpFamily.IPV4, IpAddress.parse("192.0.2.1"), IpFamily.IPV6, IpAddress.parse("2001:db8::1"));

    private final Settings settings;
    private final NodeFacts facts;

    Rehearsal(Settings settings, NodeFacts facts) {
        this.settings = settings;
        this.facts = facts;
    }

    /**
     * What the node would have to complain of.
     *
     * @param families of the pod's addresses
     */
    List<NodeProblem> problems(IpFamily... families) {
        return new Planner(settings)
                .decide(world(Stream.of(families).toList()), facts)
                .report()
                .problems();
    }

    private World world(List<IpFamily> families) {
        return new World(
                false,
                Sorted.copyOf(Map.of(
                        settings.nodeName(),
                        node(settings.nodeName(), List.of()),
                        ELSEWHERE,
                        node(ELSEWHERE, List.copyOf(ADDRESSES.values())))),
                Sorted.map(),
                Sorted.map(),
                Sorted.copyOf(Map.of(CLASS, offeringEverything())),
                Sorted.copyOf(Map.of(MAPPING, request())),
                List.of(),
                Sorted.copyOf(Map.of(MAPPING, List.of(new World.ServicePort("", Protocol.UDP, PORT.first())))),
                Sorted.copyOf(Map.of(MAPPING, List.of(pod(families)))),
                Sorted.map());
    }

    private static ClusterNode node(String name, List<IpAddress> internalIps) {
        return new ClusterNode(name, 0, Sorted.map(), true, internalIps, List.of(), List.of());
    }

    private PortClass offeringEverything() {
        List<String> interfaces = facts.interfaces().stream()
                .filter(device -> !device.loopback() && !dialled(device).isEmpty())
                .map(NetworkInterface::name)
                .toList();
        return new PortClass(
                CLASS,
                0,
                1,
                Sorted.copyOf(
                        Map.of(settings.nodeName(), new PortClass.NodeOffer(interfaces, List.of(), Sorted.map()))),
                null,
                List.of(),
                PortClass.ServingMode.Single,
                PortClass.PortPolicy.ANY,
                LabelSelector.EVERYTHING,
                PortClass.ReturnPathMode.Vxlan,
                null);
    }

    private static List<IpAddress> dialled(NetworkInterface device) {
        return device.addresses().stream()
                .map(InterfaceAddress::address)
                .filter(address -> !address.isLinkLocal())
                .toList();
    }

    private static PortRequest request() {
        return new PortRequest(
                MAPPING,
                0,
                1,
                CLASS,
                Protocol.UDP,
                PORT,
                List.of(),
                MAPPING.name(),
                Integer.toString(PORT.first()),
                null,
                null,
                Sorted.map());
    }

    private static Endpoint pod(List<IpFamily> families) {
        SortedMap<IpFamily, IpAddress> addresses = new TreeMap<>(ADDRESSES);
        addresses.keySet().retainAll(families);
        return new Endpoint(
                "pod",
                ELSEWHERE,
                true,
                true,
                false,
                addresses,
                List.of(new Endpoint.Port("", Protocol.UDP, PORT.first())));
    }
}
