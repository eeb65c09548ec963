package li.wlz.kuport.inspect;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import li.wlz.kuport.crd.PortMapNode;
import li.wlz.kuport.crd.PortMapNodeStatus;
import li.wlz.kuport.model.Cidr;
import li.wlz.kuport.model.InterfaceAddress;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;
import li.wlz.kuport.model.NetworkInterface;
import li.wlz.kuport.model.NodeFacts;
import li.wlz.kuport.model.Settings;
import org.jspecify.annotations.Nullable;

/**
 * A node's own PortMapNode, from its facts alone: for folders of files, where no agent's report reaches the others.
 *
 * <p>Which interfaces classes name is not known here, so all that hold a usable address are listed. The underlay address is looked
 * for in {@link Settings#underlayCidrs}; without a match there is none, and peers take the Node's annotation or InternalIP.
 */
public final class OwnPortMapNode {
    private OwnPortMapNode() {}

    /** The object to put into the folder. */
    public static PortMapNode of(Settings settings, String version, NodeFacts facts) {
        PortMapNode node = new PortMapNode();
        node.setMetadata(new ObjectMetaBuilder().withName(settings.nodeName()).build());
        node.setStatus(new PortMapNodeStatus(version, link(settings, facts), interfaces(facts), null, null));
        return node;
    }

    private static PortMapNodeStatus.Link link(Settings settings, NodeFacts facts) {
        Optional<IpAddress> underlay = underlay(settings, facts);
        Optional<Integer> meshMtu = underlay.flatMap(facts::holderOf).map(NetworkInterface::mtu);
        return new PortMapNodeStatus.Link(
                true,
                underlay.map(IpAddress::toString).orElse(null),
                meshMtu.orElse(null),
                meshMtu.map(mtu -> mtu - settings.linkOverhead()).orElse(null),
                settings.linkPort(),
                settings.vni());
    }

    /** The node's address in the mesh, as far as its settings alone say. */
    static Optional<IpAddress> underlay(Settings settings, NodeFacts facts) {
        for (Cidr cidr : settings.underlayCidrs()) {
            Optional<IpAddress> found = facts.interfaces().stream()
                    .flatMap(OwnPortMapNode::usable)
                    .filter(address -> address.family() == settings.underlayFamily() && cidr.contains(address))
                    .findFirst();
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static List<PortMapNodeStatus.@Nullable Interface> interfaces(NodeFacts facts) {
        return facts.interfaces().stream()
                .filter(device -> usable(device).findAny().isPresent())
                .map(device -> new PortMapNodeStatus.Interface(
                        device.name(), texts(device, IpFamily.IPV4), texts(device, IpFamily.IPV6)))
                .collect(Collectors.<PortMapNodeStatus.@Nullable Interface>toList());
    }

    private static List<@Nullable String> texts(NetworkInterface device, IpFamily family) {
        return usable(device)
                .filter(address -> address.family() == family)
                .map(IpAddress::toString)
                .collect(Collectors.<@Nullable String>toList());
    }

    /** The addresses that may be handed out. */
    private static Stream<IpAddress> usable(NetworkInterface device) {
        return device.addresses().stream()
                .filter(a -> !a.temporary() && !a.deprecated() && !a.tentative())
                .map(InterfaceAddress::address)
                .filter(a -> !a.isLoopback() && !a.isLinkLocal() && !a.isMulticast());
    }
}
